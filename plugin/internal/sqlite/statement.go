package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
)

// maxKept bounds the statements that one connection keeps.
const maxKept = 64

// connector opens connections that parse each statement once: parsing costs as
// much as running the short statements of this program.
type connector struct{ driver.Connector }

// Connect opens a connection.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	all, ok := opened.(allOfConn)
	if !ok {
		return nil, fmt.Errorf("the SQLite driver's connection lacks a part: %T", opened)
	}
	return &conn{allOfConn: all, kept: map[string]*statement{}}, nil
}

// allOfConn is what database/sql asks of a connection; the driver has it all.
type allOfConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// conn is a connection with its prepared statements by their text. database/sql
// uses it from one goroutine at a time.
type conn struct {
	allOfConn
	kept map[string]*statement
}

type statement struct {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
	busy bool // its rows are open
}

// Unwrap gives the driver's own connection.
func (c *conn) Unwrap() driver.Conn { return c.allOfConn }

// Close closes the statements and the connection.
func (c *conn) Close() error {
	for _, s := range c.kept {
		_ = s.Stmt.Close()
	}
	clear(c.kept)
	return c.allOfConn.Close()
}

// ExecContext runs a statement without rows.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.keep(ctx, query)
	if s == nil || err != nil {
		return orDirect(err, func() (driver.Result, error) { return c.allOfConn.ExecContext(ctx, query, args) })
	}
	return s.StmtExecContext.ExecContext(ctx, args)
}

// QueryContext runs a statement with rows.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.keep(ctx, query)
	if s == nil || err != nil {
		return orDirect(err, func() (driver.Rows, error) { return c.allOfConn.QueryContext(ctx, query, args) })
	}
	r, err := s.StmtQueryContext.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &rows{r, s}, nil
}

func orDirect[T any](err error, run func() (T, error)) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return run()
}

// keep gives the prepared statement of the text, or nil where it is to be run
// directly: a PRAGMA works while it is prepared, a script runs once, a statement
// whose rows are open cannot run again, and there may be enough of them.
func (c *conn) keep(ctx context.Context, query string) (*statement, error) {
	if s := c.kept[query]; s != nil {
		if s.busy {
			return nil, nil
		}
		return s, nil
	}
	if len(c.kept) >= maxKept || strings.HasPrefix(query, "PRAGMA") || strings.Contains(query, ";") {
		return nil, nil
	}
	p, err := c.PrepareContext(ctx, query)
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
