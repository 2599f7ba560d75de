package sqlite

import (
	"context"
	"database/sql/driver"
)

// BeginTx begins by a kept statement: parsing BEGIN and COMMIT costs as much as
// running them. The wait for another process's lock ends with ctx.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	begin := "BEGIN IMMEDIATE"
	switch {
	case o.Isolation != 0:
		return c.allOfConn.BeginTx(ctx, o)
	case o.ReadOnly:
		begin = "BEGIN"
	}
	if _, err := c.ExecContext(ctx, begin, nil); err != nil {
		_ = c.end("ROLLBACK") // it may have begun as the context ended
		return nil, err
	}
	return transaction{c}, nil
}

// transaction ends by a kept statement, and not by the context: in WAL mode a
// commit waits for nobody, and one that happened is never called cancelled.
type transaction struct{ conn *conn }

// Commit commits, or leaves no transaction behind.
func (t transaction) Commit() error {
	err := t.conn.end("COMMIT")
	if err != nil {
		_ = t.conn.end("ROLLBACK") // nothing to undo where SQLite did it
	}
	return err
}

// Rollback undoes.
func (t transaction) Rollback() error { return t.conn.end("ROLLBACK") }

func (c *conn) end(how string) error {
	_, err := c.ExecContext(context.Background(), how, nil)
	return err
}
