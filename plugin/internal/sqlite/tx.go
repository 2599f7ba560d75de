package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// Normal runs f in an immediate transaction and commits it when f gives nil.
// After a power cut the latest of such commits may be gone, never a part of
// one. f must not use the DB itself, and should be short: the wait for another
// process's lock ends with ctx, what runs under the lock goes on to its next
// statement.
func (d *DB) Normal(ctx context.Context, f func(*Tx) error) error {
	return d.write(ctx, f, d.commit)
}

// Full is Normal whose commit, and every one before it, is on the disk when it
// returns nil. After an error of the disk the commit may stand all the same.
func (d *DB) Full(ctx context.Context, f func(*Tx) error) error {
	return d.write(ctx, f, func() error {
		if err := d.commit(); err != nil {
			return err
		}
		return d.sync()
	})
}

// sync puts the -wal on the disk, as SQLite does at the end of a commit at the
// level FULL: with it lies every frame written so far, or a checkpoint has moved
// the frame into the database and synced both. To switch the level instead costs
// two PRAGMAs a write, which are parsed each time they run. A file that is Alone
// is at the highest level always.
func (d *DB) sync() error {
	if d.wal == nil {
		return nil
	}
	if err := syncData(d.wal); err != nil {
		d.broken = true
		return fmt.Errorf("%w: %w", errUnsynced, err)
	}
	return nil
}

// View runs f in a transaction that sees one state of the file and changes
// nothing; it waits for nobody. It works on a file from a newer program too.
func (d *DB) View(ctx context.Context, f func(*Tx) error) error {
	return d.run(ctx, "BEGIN", f, d.rollback)
}

func (d *DB) write(ctx context.Context, f func(*Tx) error, end func() error) error {
	if d.newer != nil {
		return d.newer
	}
	return d.run(ctx, "BEGIN IMMEDIATE", f, end)
}

// run begins, runs f, and ends by end what f did without an error. Nothing, not
// even a panic, leaves a transaction behind.
func (d *DB) run(ctx context.Context, begin string, f func(*Tx) error, end func() error) (err error) {
	if d.conn == nil {
		return errClosed
	}
	tx := &Tx{conn: d.conn, ctx: ctx}
	if _, err := tx.Exec(begin); err != nil {
		d.broken = d.broken || !waits(err) && ctx.Err() == nil // in a transaction, say
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if tx.conn != nil { // f panicked
			_ = d.rollback()
		}
	}()
	err = f(tx)
	tx.conn = nil
	if err == nil {
		err = tx.ctx.Err()
	}
	if err != nil {
		return errors.Join(err, d.rollback())
	}
	return end()
}

// commit commits, or leaves no transaction behind. It does not end with the
// context: in WAL mode a commit waits for nobody, and one that happened is never
// called cancelled.
func (d *DB) commit() error {
	err := patiently(context.Background(), func() error { _, err := d.conn.exec("COMMIT"); return err })
	if err != nil {
		return errors.Join(fmt.Errorf("commit: %w", err), d.rollback())
	}
	return nil
}

// rollback undoes the transaction; one that SQLite has undone already is no
// fault. A connection of which nobody knows whether it is in one is broken.
func (d *DB) rollback() error {
	_, err := d.conn.exec("ROLLBACK")
	if err == nil || isNoTransaction(err) {
		return nil
	}
	d.broken = true
	return fmt.Errorf("rollback: %w", err)
}

// Tx is a transaction under way; it is over when the function that got it
// returns.
type Tx struct {
	conn *conn
	ctx  context.Context
}

// Exec runs a statement without rows and tells how many rows it changed.
func (t *Tx) Exec(query string, args ...any) (changed int64, err error) {
	err = t.patiently(func() error {
		changed, err = t.conn.exec(query, args...)
		return err
	})
	return changed, err
}

// Row gives the first row of a query; its Scan tells ErrNoRow where there is
// none.
func (t *Tx) Row(query string, args ...any) Row {
	for row := range t.Rows(query, args...) {
		return row
	}
	return Row{err: ErrNoRow}
}

// Rows gives the rows of a short query, each valid until the next. An error is
// the last one: its Scan tells.
func (t *Tx) Rows(query string, args ...any) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		s, more, err := t.query(query, args)
		if s == nil {
			yield(Row{err: err})
			return
		}
		defer t.conn.rest(s)
		values := make([]any, s.columns)
		for ; more && err == nil; more, err = t.conn.step(s) {
			for i := range values {
				values[i] = t.conn.column(s, i)
			}
			if !yield(Row{values: values}) {
				return
			}
		}
		if err != nil {
			yield(Row{err: err})
		}
	}
}

// query starts a statement and takes its first step, if there is more.
func (t *Tx) query(query string, args []any) (s *statement, more bool, err error) {
	err = t.patiently(func() (err error) {
		if s, _, err = t.conn.statement(query); err != nil {
			return err
		}
		if s == nil {
			return errors.New("no statement to ask")
		}
		if err = t.conn.bind(s, args); err == nil {
			more, err = t.conn.step(s)
		}
		if err != nil {
			t.conn.rest(s)
			s = nil
			return err
		}
		s.busy = true
		return nil
	})
	return s, more, err
}

// Search is Rows for a query that may look at much of the file: it ends with the
// transaction's context.
func (t *Tx) Search(query string, args ...any) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		if t.conn == nil {
			yield(Row{err: errOver})
			return
		}
		defer t.conn.watch(t.ctx)()
		for row := range t.Rows(query, args...) {
			if row.err != nil && t.ctx.Err() != nil {
				row.err = t.ctx.Err() // it was interrupted
			}
			if !yield(row) {
				return
			}
		}
	}
}

// patiently runs a statement unless the transaction or its context is over.
func (t *Tx) patiently(f func() error) error {
	if t.conn == nil {
		return errOver
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	return patiently(t.ctx, f)
}

var (
	errClosed   = errors.New("the database is closed")
	errOver     = errors.New("the transaction is over")
	errUnsynced = errors.New("a commit may not be on the disk")
)
