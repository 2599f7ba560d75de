package ledger

import (
	"context"

	"github.com/mnote-dev/mnote-host/tools"
)

// Claim is a key taken for one forwarding. Exactly one of Finish, Doubt and
// Release ends it; Late may follow Doubt. Each records the call's row in the
// same transaction.
type Claim struct {
	ledger *Ledger
}

// Again reports whether the same write may have been sent before: its outcome
// was unknown, or a lease ran out.
func (c *Claim) Again() bool { return false }

// Finish stores the kernel's answer, on the disk when it returns, and the row.
// A stored answer is never replaced. On an error the answer stands all the
// same: the write happened, and a later call with the key asks the kernel.
func (c *Claim) Finish(ctx context.Context, answer tools.Envelope, r Row) error { return errNoState() }

// Doubt notes that the outcome is unknown: the key stays taken by nobody, for
// the retry.
func (c *Claim) Doubt(ctx context.Context, reason tools.Code, r Row) error { return errNoState() }

// Release gives the key back: nothing was sent, or the kernel said that nothing
// changed and that the call may be tried again. A key that was in doubt before
// is so again.
func (c *Claim) Release(ctx context.Context, r Row) error { return errNoState() }

// Late stores an answer that came after Doubt, for the retry.
func (c *Claim) Late(ctx context.Context, answer tools.Envelope) error { return errNoState() }
