package ledger_test

import "github.com/mnote-dev/mnote-host/plugin/internal/child"

func moreRoles() map[string]child.Role { return nil }
