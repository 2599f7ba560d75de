package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

// endWait bounds how long the end of a claim may wait for the file. The end is
// written even when the call's own context is over.
const endWait = 5 * time.Second

// Claim is a key taken for one forwarding. Exactly one of Finish, Doubt and
// Release ends it; Late may follow Doubt. Each records the call's row in the
// same transaction.
type Claim struct {
	ledger  *Ledger
	write   Write
	id      []byte // nil for the empty claim
	attempt int64
	again   bool
	plan    Plan
}

// Empty is the claim of a call that takes none, a read or a dry run: its ends
// record the row and nothing else.
func (l *Ledger) Empty() *Claim { return &l.none }

// Again reports whether the same write may have been sent before: its outcome
// was unknown, or a lease ran out.
func (c *Claim) Again() bool { return c.again }

// Plan is the host's plan that the same write was sent on before, when it is
// sent Again; its ID is "" where there is none.
func (c *Claim) Plan() Plan { return c.plan }

// Key is the idempotency key to forward under; "" for the empty claim.
func (c *Claim) Key() tools.Key { return c.write.Key.Key }

// Finish stores the kernel's answer, on the disk when it returns, and the row.
// A stored answer is never replaced. On an error the answer stands all the
// same: the write happened, and a later call with the key asks the kernel.
func (c *Claim) Finish(ctx context.Context, answer tools.Envelope, r Row) error {
	if c.id == nil { // most calls; what follows would put answer and row on the heap
		c.ledger.Record(ctx, r)
		return nil
	}
	return c.finish(ctx, answer, r)
}

func (c *Claim) finish(ctx context.Context, answer tools.Envelope, r Row) error {
	l, stored := c.ledger, answer.JSON() // not while others wait for the lock
	last, err := c.end(ctx, l.file.Full, r, func(tx *sqlite.Tx) error { return c.store(tx, stored) })
	if err != nil {
		return err
	}
	l.head.durable(last, l.now())
	l.fresh.Store(true)
	l.out.hand(c.write.ToolCallID, c.id, l.now())
	l.arm()
	return nil
}

// store writes the answer, as JSON, unless there is one.
func (c *Claim) store(tx *sqlite.Tx, answer []byte) error {
	now := c.ledger.now().UnixMicro()
	var row int64
	err := tx.Row(`UPDATE claim SET state = ?, lease = 0, reason = '', at = ? WHERE id = ? AND state <> ? RETURNING row`,
		finished, now, c.id, finished).Scan(&row)
	if errors.Is(err, sqlite.ErrNoRow) {
		row, err = c.remake(tx, now)
	}
	if err != nil || row == 0 {
		return err
	}
	_, err = tx.Exec("INSERT OR REPLACE INTO answer (claim, envelope) VALUES (?, ?)", row, answer)
	return err
}

// remake makes the claim's row anew where it is missing, since the file was lost
// after the claim; it gives 0 where there is one, with its answer.
func (c *Claim) remake(tx *sqlite.Tx, now int64) (row int64, err error) {
	w := c.write
	err = tx.Row(`INSERT INTO claim (id, twin, body, key, state, open, owner, signed, attempt, lease, reason, at)
		VALUES (?, ?, ?, ?, ?, 1, ?, 0, ?, 0, '', ?) ON CONFLICT (id) DO NOTHING RETURNING row`,
		c.id, w.twin(), w.BodyHash, string(w.Key.Key), finished, c.ledger.owner, c.attempt, now).Scan(&row)
	if errors.Is(err, sqlite.ErrNoRow) {
		return 0, nil
	}
	return row, err
}

// Doubt notes that the outcome is unknown: nobody holds the key, and the next
// call with it, or an equal one without a key, is the retry.
func (c *Claim) Doubt(ctx context.Context, reason tools.Code, r Row) error {
	return c.lightly(ctx, r, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`UPDATE claim SET state = ?, lease = 0, reason = ?, at = ?
			WHERE id = ? AND state = ? AND owner = ? AND attempt = ?`,
			inDoubt, string(reason), c.ledger.now().UnixMicro(), c.id, taken, c.ledger.owner, c.attempt)
		return err
	})
}

// Release gives the key back, and the plan and the yes that it spent: nothing
// was sent, or the kernel refused and changed nothing. A key that was in doubt before is so again.
func (c *Claim) Release(ctx context.Context, r Row) error {
	if c.again {
		return c.Doubt(ctx, r.Code, r)
	}
	return c.lightly(ctx, r, func(tx *sqlite.Tx) error {
		n, err := tx.Exec(`DELETE FROM claim WHERE id = ? AND state = ? AND owner = ? AND attempt = ?`,
			c.id, taken, c.ledger.owner, c.attempt)
		if n == 0 || err != nil {
			return err // another call has the key by now, and what was spent with it
		}
		return c.restore(tx, r.Code)
	})
}

// Late stores an answer that came after Doubt, for the retry.
func (c *Claim) Late(ctx context.Context, answer tools.Envelope) error {
	if c.id == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	return c.ledger.file.Full(ctx, func(tx *sqlite.Tx) error { return c.store(tx, answer.JSON()) })
}

// lightly ends the claim in a commit that need not outlive a power cut.
func (c *Claim) lightly(ctx context.Context, r Row, change func(*sqlite.Tx) error) error {
	l := c.ledger
	if _, err := c.end(ctx, l.file.Normal, r, change); err != nil || c.id == nil {
		return err
	}
	l.head.dirty(l.now())
	l.fresh.Store(true)
	l.arm()
	return nil
}

// end makes the change and adds the row in one transaction of the kind. The
// empty claim only records the row; a row that finds no place is queued.
func (c *Claim) end(ctx context.Context, transact func(context.Context, func(*sqlite.Tx) error) error, r Row, change func(*sqlite.Tx) error) (last mark, err error) {
	l := c.ledger
	if c.id == nil {
		l.Record(ctx, r)
		return mark{}, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	err = transact(ctx, func(tx *sqlite.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		last, err = l.append(tx, []Row{r}, true)
		return err
	})
	if err != nil {
		l.ended.add(c, l.now())
		l.enqueue(r)
	}
	return last, err
}
