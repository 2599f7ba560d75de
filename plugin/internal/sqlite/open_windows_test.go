package sqlite_test

// oddNames gives file names that only this system allows.
func oddNames() []string { return []string{"a#b.db"} }
