package sqlite

import (
	"math"
	"strings"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// statement is a prepared one.
type statement struct {
	stmt    uintptr // sqlite3_stmt*
	params  int
	columns int
	kept    bool
	busy    bool // its rows are open
	// space holds the texts and bytes that are bound, until the next are.
	space uintptr
	size  int
}

// maxSpace is how much a statement keeps for its next arguments.
const maxSpace = 16 << 10

// statement gives the first statement of a text, nil where there is none, and the
// text behind it. One whose rows are open cannot run again: it is prepared once
// more.
func (c *conn) statement(query string) (s *statement, rest string, err error) {
	if s := c.kept[query]; s != nil && !s.busy {
		return s, "", nil
	}
	s, rest, err = c.prepare(query)
	if err != nil || s == nil {
		return nil, "", err
	}
	if c.kept[query] == nil && len(c.kept) < maxKept && keeps(query) {
		s.kept = true
		c.kept[strings.Clone(query)] = s
	}
	return s, rest, nil
}

func (c *conn) prepare(query string) (*statement, string, error) {
	text, err := libc.CString(query)
	if err != nil {
		return nil, "", err
	}
	defer c.free(text)
	if err := c.fault(lib.Xsqlite3_prepare_v2(c.tls, c.db, text, -1, c.out, c.out+pointer)); err != nil {
		return nil, "", err
	}
	s := &statement{stmt: c.result(0)}
	if s.stmt == 0 { // blanks and comments
		return nil, "", nil
	}
	s.params = int(lib.Xsqlite3_bind_parameter_count(c.tls, s.stmt))
	s.columns = int(lib.Xsqlite3_column_count(c.tls, s.stmt))
	return s, strings.TrimSpace(query[c.result(1)-text:]), nil
}

// rest ends a run of the statement.
func (c *conn) rest(s *statement) {
	s.busy = false
	if !s.kept {
		c.drop(s)
		return
	}
	lib.Xsqlite3_reset(c.tls, s.stmt) // it tells the fault of the last step once more
	if s.size > maxSpace {
		lib.Xsqlite3_clear_bindings(c.tls, s.stmt)
		c.free(s.space)
		s.space, s.size = 0, 0
	}
}

// drop is the end of the statement.
func (c *conn) drop(s *statement) {
	lib.Xsqlite3_finalize(c.tls, s.stmt)
	c.free(s.space)
	s.stmt, s.space, s.size = 0, 0, 0
}

// bind gives the statement its arguments. Texts and bytes are copied into its own
// space, where they stay until it is bound anew: every parameter is, each time.
func (c *conn) bind(s *statement, args []any) error {
	need, err := c.plain(args, s.params)
	defer clear(c.args) // they may be large
	if err != nil {
		return err
	}
	if need > s.size {
		c.free(s.space)
		s.space, s.size = c.malloc(need), need
		if s.space == 0 {
			s.size = 0
			return errMemory
		}
	}
	at := s.space
	for i, v := range c.args {
		n := int32(i + 1)
		var rc int32
		switch v := v.(type) {
		case nil:
			rc = lib.Xsqlite3_bind_null(c.tls, s.stmt, n)
		case int64:
			rc = lib.Xsqlite3_bind_int64(c.tls, s.stmt, n, v)
		case string:
			copy(memory(at, len(v)), v)
			rc = lib.Xsqlite3_bind_text(c.tls, s.stmt, n, at, int32(len(v)), 0)
			at += uintptr(len(v))
		case []byte:
			copy(memory(at, len(v)), v)
			rc = lib.Xsqlite3_bind_blob(c.tls, s.stmt, n, at, int32(len(v)), 0)
			at += uintptr(len(v))
		}
		if err := c.fault(rc); err != nil {
			return err
		}
	}
	return nil
}

// maxLength is what SQLite takes as one text.
const maxLength = math.MaxInt32 / 2

// column reads one column of the row that the statement is at.
func (c *conn) column(s *statement, i int) any {
	n := int32(i)
	switch lib.Xsqlite3_column_type(c.tls, s.stmt, n) {
	case lib.SQLITE_INTEGER:
		return lib.Xsqlite3_column_int64(c.tls, s.stmt, n)
	case lib.SQLITE_FLOAT:
		return lib.Xsqlite3_column_double(c.tls, s.stmt, n)
	case lib.SQLITE_TEXT:
		p := lib.Xsqlite3_column_text(c.tls, s.stmt, n)
		return string(memory(p, int(lib.Xsqlite3_column_bytes(c.tls, s.stmt, n))))
	case lib.SQLITE_BLOB:
		p := lib.Xsqlite3_column_blob(c.tls, s.stmt, n)
		if p == 0 {
			return []byte{}
		}
		return append([]byte{}, memory(p, int(lib.Xsqlite3_column_bytes(c.tls, s.stmt, n)))...)
	}
	return nil
}
