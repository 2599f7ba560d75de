package ledger

// ParseHead lets the fuzz target reach the reader of audit.head.
func ParseHead(s string) (seq int64, hash []byte, err error) {
	m, err := parseHead(s)
	return m.seq, m.hash, err
}

// Query gives the SQL of a filter.
func Query(f Filter) (string, []any) { return f.query(page) }
