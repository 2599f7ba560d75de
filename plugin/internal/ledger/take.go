package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

// state is how far a write has come.
type state int

const (
	taken    state = 1
	inDoubt  state = 2
	finished state = 3
)

const (
	// leaseGrace is how long after a call's deadline its claim still holds.
	leaseGrace = 5 * time.Second
	// firstLook and lastLook bound the pause between two looks at a key that
	// another call holds.
	firstLook = 20 * time.Millisecond
	lastLook  = 250 * time.Millisecond
)

// Claim takes w's key and spends w's plan and person's yes with it, all or
// nothing. While another call holds it, in this process or another, Claim waits
// until w.Deadline or the context ends, and takes over from one that is gone or
// whose lease ran out. It gives a claim to forward under; or, with the claim
// naming its key alone, the stored answer (as Find gives it) of the call that was
// waited for or repeated; or an error, and then nothing may be sent.
func (l *Ledger) Claim(ctx context.Context, w Write) (*Claim, *tools.Envelope, error) {
	if l.file == nil {
		return nil, nil, errNoState()
	}
	if w.Key.Key == "" || w.BodyHash == "" || w.Deadline.IsZero() {
		return nil, nil, fmt.Errorf("claim of %s without key, body hash or deadline", w.Key.Tool)
	}
	for pause := firstLook; ; pause = min(pause*3/2, lastLook) {
		c, answer, err := l.look(ctx, &w)
		if pause > firstLook && errors.Is(err, context.DeadlineExceeded) {
			err = errStillHeld(w.Key.Key) // the time was spent on the key, not on the file
		}
		if !errors.Is(err, errHeld) {
			return c, answer, err
		}
		if err := l.pause(ctx, w, pause); err != nil {
			return nil, nil, err
		}
	}
}

// pause waits for the next look, or says why there is none.
func (l *Ledger) pause(ctx context.Context, w Write, d time.Duration) error {
	if !l.now().Before(w.Deadline) {
		return errStillHeld(w.Key.Key)
	}
	t := time.NewTimer(min(d, w.Deadline.Sub(l.now())))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errStillHeld(w.Key.Key)
		}
		return sqlite.Coded(ctx.Err())
	}
}

// look tries once, in one transaction. A bare write that repeats another has
// that one's key from then on, however long it waits for it.
func (l *Ledger) look(ctx context.Context, w *Write) (c *Claim, answer *tools.Envelope, err error) {
	err = l.file.Normal(ctx, func(tx *sqlite.Tx) error {
		if err := l.settleKey(tx, w); err != nil {
			return err
		}
		c = &Claim{ledger: l, write: *w, id: w.id(), attempt: 1}
		answer, err = l.take(tx, c)
		return err
	})
	switch {
	case errors.Is(err, errHeld):
		return nil, nil, errHeld
	case err != nil:
		return nil, nil, err
	case answer != nil:
		l.out.hand(w.ToolCallID, c.id, l.now())
		return &Claim{ledger: l, write: *w}, answer, nil
	}
	return c, nil, nil
}

func (l *Ledger) settleKey(tx *sqlite.Tx, w *Write) error {
	if !w.Bare {
		return nil
	}
	key, err := l.match(tx, *w)
	if key != "" {
		w.Key.Key, w.Bare = key, false
	}
	return err
}

// take takes the key for the claim, or gives the answer that is stored under it.
func (l *Ledger) take(tx *sqlite.Tx, c *Claim) (*tools.Envelope, error) {
	fresh, err := l.insert(tx, c)
	if err != nil {
		return nil, err
	}
	if fresh {
		return nil, l.spend(tx, c.write)
	}
	e, err := readEntry(tx, c.id)
	if err != nil {
		return nil, err
	}
	if answer, err := e.answerTo(c.write); err != nil || answer != nil {
		return answer, err
	}
	if err := l.takeOver(tx, c, e); err != nil {
		return nil, err
	}
	return nil, l.spend(tx, c.write)
}

func (l *Ledger) insert(tx *sqlite.Tx, c *Claim) (bool, error) {
	w := c.write
	n, err := tx.Exec(`INSERT INTO claim (id, twin, body, key, state, open, owner, signed, attempt, lease, reason, at)
		VALUES (?, ?, ?, ?, ?, 1, ?, ?, 1, ?, '', ?) ON CONFLICT (id) DO NOTHING`,
		c.id, w.twin(), w.BodyHash, string(w.Key.Key), taken, l.owner, l.alive.sign(), w.Deadline.Add(leaseGrace).UnixMicro(), l.now().UnixMicro())
	return n == 1, err
}

// takeOver takes a key that is in doubt or that nobody holds.
func (l *Ledger) takeOver(tx *sqlite.Tx, c *Claim, e entry) error {
	if e.state == taken && l.held(c.id, e) {
		return errHeld
	}
	c.again, c.attempt = true, e.attempt+1
	_, err := tx.Exec(`UPDATE claim SET state = ?, owner = ?, signed = ?, attempt = ?, lease = ?, at = ? WHERE id = ?`,
		taken, l.owner, l.alive.sign(), c.attempt, c.write.Deadline.Add(leaseGrace).UnixMicro(), l.now().UnixMicro(), c.id)
	if err != nil {
		return err
	}
	c.plan, _, err = readPlan(tx, "spent_by = ?", c.id)
	if errors.Is(err, sqlite.ErrNoRow) {
		c.plan, err = Plan{}, nil
	}
	return err
}

// held reports whether a call is at work under a key that is taken: its lease
// runs, its owner lives, and it did not end unwritten in this process.
func (l *Ledger) held(id []byte, e entry) bool {
	if l.now().UnixMicro() >= e.lease || e.signed && l.alive.gone(e.owner) {
		return false
	}
	return e.owner != l.owner || !l.ended.has(id, e.attempt)
}
