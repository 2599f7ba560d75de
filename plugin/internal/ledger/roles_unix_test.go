//go:build unix

package ledger_test

import "github.com/mnote-dev/mnote-host/plugin/internal/child"

func moreRoles() map[string]child.Role {
	return map[string]child.Role{"full-disk": on(fullDiskRole)}
}
