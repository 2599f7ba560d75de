package ledger

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

// Chain is what Verify found.
type Chain struct {
	// Rows were checked, the chain's numbers First to Last; 0 without any.
	Rows  int64 `json:"rows"`
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	// Head is the last row that audit.head knows; 0 where there is no such file.
	Head int64 `json:"head"`
	// Start says why the chain begins where it does.
	Start Start `json:"start"`
	// Broken is nil when every row is as it was written.
	Broken *Break `json:"broken"`
}

// Start says why a chain begins where it does.
type Start string

// The starts of a chain.
const (
	StartNew    Start = "new"    // with the first row ever
	StartPruned Start = "pruned" // older rows were dropped after their time
	StartLost   Start = "lost"   // the file before was lost or set aside; audit.head knew its last row
)

// Break is the first place where the chain is not as it was written.
type Break struct {
	Seq  int64  `json:"seq"`
	Kind Damage `json:"kind"`
}

// Damage says how a chain is broken.
type Damage string

// The damages that Verify tells apart.
const (
	Altered   Damage = "altered"   // the row is not what its hash, or audit.head, says
	Dropped   Damage = "dropped"   // the row is missing
	Reordered Damage = "reordered" // the row was written in another place
	Truncated Damage = "truncated" // the row and all behind it, known to audit.head, are missing
	Unmarked  Damage = "unmarked"  // audit.head is gone or unreadable: rows from this one on may be missing
)

// A chain that is this old has an audit.head beside it, however the process that
// began it ended: one that wrote keeps it at once, one that read in headLag.
const (
	markedRead  = 2 * headLag
	markedWrite = 5 * time.Second
)

// walk is one pass over the chain.
type walk struct {
	chain Chain
	start mark
	last  mark // the row before the next one to check
	head  mark
	// unmarked says that there is no head to be read where one must be.
	unmarked func(record) bool
	cut      bool
}

// Verify checks every row of the chain. The error is for a file that cannot be
// read.
func (l *Ledger) Verify(ctx context.Context) (Chain, error) {
	if l.file == nil {
		return Chain{}, errNoState()
	}
	if l.fileLost() && !l.pending() {
		return l.lost(), nil
	}
	_ = l.flush(ctx, false) // what cannot be written is not in the chain
	for {
		w, err := l.walk(ctx)
		if err != nil || w.chain.Broken == nil {
			return w.chain, err
		}
		now, _, err := l.start(ctx)
		if err != nil || now.seq == w.start.seq {
			return w.chain, err
		}
		// Another process pruned meanwhile: what seemed missing was old.
	}
}

// fileLost reports whether host.db is not there, or empty. It is asked before
// anything opens the file: that would make a fresh one, and hide the loss.
func (l *Ledger) fileLost() bool {
	info, err := os.Stat(l.file.Config.Path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

// lost is the chain of a file that is not there: broken where audit.head knows
// rows of it, else none was ever written.
func (l *Ledger) lost() Chain {
	head, err := l.head.read()
	if err != nil || head.seq == 0 {
		return Chain{Start: StartNew}
	}
	return Chain{Head: head.seq, Start: StartLost, Broken: &Break{1, Truncated}}
}

func (l *Ledger) walk(ctx context.Context) (w walk, err error) {
	// The file's mark never is ahead of the rows, so it is read first.
	if w.head, err = l.head.read(); err == nil {
		w.chain.Head = w.head.seq
	} else {
		w.unmarked = l.unmarked(err)
	}
	if w.start, w.chain.Start, err = l.start(ctx); err != nil {
		return w, err
	}
	w.last = w.start
	for {
		records, err := l.records(ctx, Filter{After: w.last.seq}, page)
		if err != nil {
			return w, err
		}
		for _, r := range records {
			if w.chain.Broken = w.check(r); w.chain.Broken != nil {
				return w, l.tellOrder(ctx, &w, r)
			}
		}
		if len(records) < page {
			w.finish()
			return w, nil
		}
	}
}

// start reads where the chain begins. A file without that note is new; one
// beside an audit.head took the place of a file that was lost, and its chain
// begins with the first row ever, which is missing.
func (l *Ledger) start(ctx context.Context) (m mark, why Start, err error) {
	err = l.file.View(ctx, func(tx *sqlite.Tx) error {
		err := tx.Row("SELECT seq, hash, why FROM chain").Scan(&m.seq, &m.hash, &why)
		if !errors.Is(err, sqlite.ErrNoRow) {
			return err
		}
		m, why = mark{0, make([]byte, 32)}, StartNew
		if _, err := l.head.read(); err == nil {
			why = StartLost
		}
		return nil
	})
	return m, why, err
}

// check holds one row against the row before it.
func (w *walk) check(r record) *Break {
	next := w.last.seq + 1
	own := hashRow(r.prev, r.fields)
	switch {
	case r.seq != next:
		return &Break{next, Dropped}
	case !bytes.Equal(own, r.hash):
		return &Break{r.seq, Altered}
	case !bytes.Equal(r.prev, w.last.hash):
		return &Break{r.seq, Dropped}
	case r.seq == w.head.seq && !bytes.Equal(r.hash, w.head.hash):
		return &Break{r.seq, Altered}
	}
	if w.chain.Rows == 0 {
		w.chain.First = r.seq
	}
	w.cut = w.cut || w.unmarked != nil && w.unmarked(r)
	w.chain.Rows++
	w.chain.Last = r.seq
	w.last = mark{r.seq, r.hash}
	return nil
}

// finish notices rows that audit.head knows and the file does not, and a head
// that should be there.
func (w *walk) finish() {
	switch {
	case w.head.seq > w.last.seq:
		w.chain.Broken = &Break{w.last.seq + 1, Truncated}
	case w.cut:
		w.chain.Broken = &Break{w.last.seq + 1, Unmarked}
	}
}

// unmarked tells of a row whether there must be an audit.head, which could not
// be read. One that is there and holds something else is missed by any row.
func (l *Ledger) unmarked(err error) func(record) bool {
	now := l.now()
	return func(r record) bool {
		row, rowErr := r.row()
		age := now.Sub(row.Time)
		return !errors.Is(err, fs.ErrNotExist) || rowErr == nil && (age > markedRead || row.Effect == tools.EffectWrite && age > markedWrite)
	}
}

// tellOrder turns a row whose predecessor is elsewhere in the file from a
// dropped one into a reordered one.
func (l *Ledger) tellOrder(ctx context.Context, w *walk, r record) error {
	if w.chain.Broken.Kind != Dropped || r.seq != w.last.seq+1 {
		return nil
	}
	return l.file.View(ctx, func(tx *sqlite.Tx) error {
		var n int
		err := tx.Row("SELECT count(*) FROM audit WHERE hash = ?", r.prev).Scan(&n)
		if err == nil && n > 0 {
			w.chain.Broken.Kind = Reordered
		}
		return err
	})
}
