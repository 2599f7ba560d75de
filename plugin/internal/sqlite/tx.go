package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// Normal runs f in an immediate transaction and commits it when f gives nil.
// After a power cut the latest of such commits may be gone, never a part of
// one. f must not use the DB itself: the only connection is its own.
func (d *DB) Normal(ctx context.Context, f func(*sql.Tx) error) error {
	if d.newer != nil {
		return d.newer
	}
	tx, err := d.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return finish(ctx, tx, f)
}

// Full is Normal whose commit, and every one before it, is on the disk when it
// returns. EXTRA is FULL that also makes the end of a journal file last; a file
// that has its -wal knows no difference.
func (d *DB) Full(ctx context.Context, f func(*sql.Tx) error) (err error) {
	if d.newer != nil {
		return d.newer
	}
	c, err := d.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer c.Close()
	if _, err := c.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous=EXTRA"); err != nil { // waits for nobody
		return fmt.Errorf("begin: %w", err)
	}
	defer relax(ctx, c)
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return finish(ctx, tx, f)
}

// View runs f in a transaction that sees one state of the file and changes
// nothing; it waits for nobody. It works on a file from a newer program too.
func (d *DB) View(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := d.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return ended(ctx, errors.Join(f(tx), rollback(tx)))
}

// relax sets the connection back to NORMAL, or throws it away.
func relax(ctx context.Context, c *sql.Conn) {
	if _, err := c.ExecContext(context.WithoutCancel(ctx), "PRAGMA synchronous=NORMAL"); err != nil {
		_ = c.Raw(func(any) error { return driver.ErrBadConn })
	}
}

func finish(ctx context.Context, tx *sql.Tx, f func(*sql.Tx) error) error {
	if err := f(tx); err != nil {
		return ended(ctx, errors.Join(err, rollback(tx)))
	}
	if err := tx.Commit(); err != nil {
		return ended(ctx, fmt.Errorf("commit: %w", err))
	}
	return nil
}

// ended names the context where it, and not f, ended the transaction.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// rollback undoes the transaction; one that SQLite or the context has ended
// already is no fault.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return fmt.Errorf("rollback: %w", err)
	}
	return nil
}
