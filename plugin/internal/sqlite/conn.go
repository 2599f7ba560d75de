package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"modernc.org/sqlite"
)

// maxKept bounds the statements that one connection keeps.
const maxKept = 64

// conn is a connection of the driver that parses each statement once: parsing
// costs as much as running the short statements of this program. It runs them
// without database/sql and without a context, for either would have a goroutine
// watch each statement, and a short one is over before that has begun. It is
// used by one goroutine at a time.
type conn struct {
	raw  driverConn
	kept map[string]*statement
	args []driver.NamedValue // the memory of one statement's arguments
}

// driverConn is what is asked of a connection; the driver has it all.
type driverConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
}

type statement struct {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
	busy bool // its rows are open
}

// dial opens a connection with every setting of the name. Waiting for locks is
// left to patiently.
func dial(name string) (*conn, error) {
	c, err := sqlite.NewConnector(name)
	if err != nil {
		return nil, err
	}
	opened, err := c.Connect(context.Background())
	if err != nil {
		return nil, err
	}
	raw, ok := opened.(driverConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the SQLite driver's connection lacks a part: %T", opened), opened.Close())
	}
	return &conn{raw: raw, kept: map[string]*statement{}}, nil
}

// close closes the statements and the connection.
func (c *conn) close() error {
	for _, s := range c.kept {
		_ = s.Stmt.Close()
	}
	clear(c.kept)
	return c.raw.Close()
}

// exec runs a statement or a script and tells how many rows the last one changed.
func (c *conn) exec(query string, args ...any) (changed int64, err error) {
	ctx := context.Background()
	values, err := c.bind(args)
	if err != nil {
		return 0, err
	}
	defer clear(values) // they may be large
	var done driver.Result
	switch s, err := c.keep(query); {
	case err != nil:
		return 0, err
	case s == nil:
		if done, err = c.raw.ExecContext(ctx, query, values); err != nil {
			return 0, err
		}
	default:
		if done, err = s.StmtExecContext.ExecContext(ctx, values); err != nil {
			return 0, err
		}
	}
	return done.RowsAffected()
}

// query runs a statement with rows, until the context ends. Whoever asks closes
// the rows.
func (c *conn) query(ctx context.Context, query string, args ...any) (driver.Rows, error) {
	values, err := c.bind(args)
	if err != nil {
		return nil, err
	}
	defer clear(values)
	s, err := c.keep(query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.raw.QueryContext(ctx, query, values)
	}
	r, err := s.StmtQueryContext.QueryContext(ctx, values)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &rows{r, s}, nil
}

// keep gives the prepared statement of the text, or nil where it is to be run
// directly: a PRAGMA works while it is prepared, a script runs once, a statement
// whose rows are open cannot run again, and there may be enough of them.
func (c *conn) keep(query string) (*statement, error) {
	if s := c.kept[query]; s != nil {
		if s.busy {
			return nil, nil
		}
		return s, nil
	}
	if len(c.kept) >= maxKept || strings.HasPrefix(query, "PRAGMA") || strings.Contains(query, ";") {
		return nil, nil
	}
	p, err := c.raw.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	exec, canExec := p.(driver.StmtExecContext)
	ask, canQuery := p.(driver.StmtQueryContext)
	if !canExec || !canQuery {
		return nil, p.Close()
	}
	s := &statement{Stmt: p, StmtExecContext: exec, StmtQueryContext: ask}
	c.kept[query] = s
	return s, nil
}

// rows gives its statement free when it is closed.
type rows struct {
	driver.Rows
	from *statement
}

// Close ends the rows.
func (r *rows) Close() error {
	r.from.busy = false
	return r.Rows.Close()
}

// next reads a row into values; more is false at the end.
func next(r driver.Rows, values []driver.Value) (more bool, err error) {
	if err = r.Next(values); errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}
