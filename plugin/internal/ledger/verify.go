package ledger

import (
	"context"
	"io"
	"iter"
)

// Chain is what Verify found.
type Chain struct {
	// Rows were checked, from First to Last.
	Rows        int64 `json:"rows"`
	First, Last int64 `json:"-"`
	// Start says why the chain begins where it does.
	Start Start `json:"start"`
	// Broken is nil when every row is as it was written.
	Broken *Break `json:"broken"`
}

// Start says why a chain begins where it does.
type Start string

// The starts of a chain.
const (
	StartNew    Start = "new"    // the first row ever
	StartPruned Start = "pruned" // older rows were dropped after their time
	StartLost   Start = "lost"   // the file before was lost or set aside
)

// Break is the first row that is not as it was written.
type Break struct {
	Seq  int64  `json:"seq"`
	Kind Damage `json:"kind"`
}

// Damage says how a chain is broken.
type Damage string

// The damages that Verify tells apart.
const (
	Altered   Damage = "altered"   // the row's own hash does not fit it
	Dropped   Damage = "dropped"   // rows before this one are missing
	Reordered Damage = "reordered" // the row stands in another place than it was written
	Truncated Damage = "truncated" // the newest rows, known to audit.head, are missing
)

// Rows gives the audit's rows. An error ends them.
func (l *Ledger) Rows(ctx context.Context, f Filter) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) { yield(Row{}, errNoState()) }
}

// Verify walks the whole chain. The error is for a file that cannot be read.
func (l *Ledger) Verify(ctx context.Context) (Chain, error) { return Chain{}, errNoState() }

// Export writes the rows as JSON lines.
func (l *Ledger) Export(ctx context.Context, w io.Writer, f Filter) error { return errNoState() }
