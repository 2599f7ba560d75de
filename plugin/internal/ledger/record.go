package ledger

import (
	"context"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

const (
	// recordWait bounds how long a refusal waits to be recorded; then it joins
	// the batch and the answer goes out.
	recordWait = 2 * time.Second
	// flushWait bounds one flush in the background.
	flushWait = 5 * time.Second
)

// Record adds a call's row to the audit: at once when the call was refused or
// wrote, in a batch (200 ms or 256 rows) when it read or planned. It never fails
// a call: a row that cannot be kept now is tried again, and the log tells when
// rows are lost.
func (l *Ledger) Record(ctx context.Context, r Row) {
	if l.file == nil {
		return
	}
	if r.Time.IsZero() {
		r.Time = l.now()
	}
	if r.waits() {
		l.enqueue(r)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWait)
	defer cancel()
	err := l.file.Normal(ctx, func(tx *sqlite.Tx) error {
		_, err := l.append(tx, []Row{r}, true)
		return err
	})
	if err != nil {
		l.enqueue(r)
		return
	}
	l.head.dirty(l.now())
	l.fresh.Store(true)
	l.arm()
}

// Delivered notes that the answer of a call was written to the client: an equal
// write from now on is a new one.
func (l *Ledger) Delivered(toolCallID string) {
	if l.out.deliver(toolCallID) {
		l.arm()
	}
}

func (l *Ledger) enqueue(r Row) {
	full, ok := l.queue.add(r)
	switch {
	case !ok:
		l.log.Error().Str("traceId", r.TraceID).Str("tool", clip(r.Tool, maxTool)).Msg("an audit row is lost: the state file takes none and the queue is full")
	case full:
		l.queue.arm(0, l.flushLater)
	default:
		l.arm()
	}
}

func (l *Ledger) arm() { l.queue.arm(batchPause, l.flushLater) }

// flushLater is the flush in the background; it runs once at a time.
func (l *Ledger) flushLater() {
	if !l.queue.start() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushWait)
	defer cancel()
	err := l.flush(ctx, false)
	pause := batchPause
	if err != nil {
		l.log.Warn().Err(err).Msg("audit rows wait: the state file takes none")
		pause = retryPause
	}
	l.queue.stop()
	if l.pending() || l.fresh.Load() {
		l.queue.arm(pause, l.flushLater)
	}
}

func (l *Ledger) pending() bool {
	_, due := l.head.due()
	return due || l.queue.size() > 0 || len(l.out.unnoted()) > 0
}

// flush records what waits: rows, delivered answers, the chain's head. With
// all set nothing is left to a power cut.
func (l *Ledger) flush(ctx context.Context, all bool) error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	rows, ids := l.queue.take(), l.out.unnoted()
	sync := l.head.wantsSync(l.now()) || all && (len(rows) > 0 || l.head.unsynced())
	fresh := l.fresh.Swap(false)
	if sync || fresh || len(rows) > 0 || len(ids) > 0 {
		if err := l.write(ctx, batch{rows, ids, fresh, sync}); err != nil {
			l.queue.putBack(rows)
			if fresh {
				l.fresh.Store(true)
			}
			return err
		}
		l.out.noted(ids)
		l.queue.reuse(rows)
	}
	if err := l.advance(ctx); err != nil {
		return err
	}
	return l.prune(ctx)
}

// batch is what one flush writes.
type batch struct {
	rows []Row
	ids  []string // of claims whose answers were delivered
	// fresh says that rows wait to be found, sync that all is to be on the disk.
	fresh, sync bool
}

func (l *Ledger) write(ctx context.Context, b batch) error {
	run := l.file.Normal
	if b.sync {
		run = l.file.Full
	}
	var last mark
	err := run(ctx, func(tx *sqlite.Tx) (err error) {
		if last, err = l.append(tx, b.rows, false); err != nil {
			return err
		}
		for _, id := range b.ids {
			if _, err := tx.Exec("UPDATE claim SET open = 0 WHERE id = ? AND state = ?", []byte(id), finished); err != nil {
				return err
			}
		}
		if !b.fresh && len(b.rows) == 0 {
			return nil
		}
		return find(tx)
	})
	switch {
	case err != nil:
		return err
	case b.sync:
		l.head.durable(last, l.now())
	case len(b.rows) > 0:
		l.head.dirty(l.now())
	}
	return nil
}

// advance brings audit.head up to the last row known to be on the disk. The
// empty transaction is the turn among processes.
func (l *Ledger) advance(ctx context.Context) error {
	m, due := l.head.due()
	if !due {
		return nil
	}
	err := l.file.Normal(ctx, func(*sqlite.Tx) error { return l.head.write(m) })
	if err == nil {
		l.head.wrote(m)
	}
	return err
}
