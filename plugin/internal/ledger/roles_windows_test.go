package ledger_test

func moreRoles() map[string]func(path, arg string) error { return nil }
