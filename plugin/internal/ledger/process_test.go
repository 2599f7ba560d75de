package ledger_test

var roles = map[string]func(path, arg string) error{}
