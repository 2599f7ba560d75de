//go:build unix

package ledger_test

func moreRoles() map[string]func(path, arg string) error {
	return map[string]func(path, arg string) error{"full-disk": fullDiskRole}
}
