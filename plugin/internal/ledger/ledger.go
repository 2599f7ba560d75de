package ledger

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/tools"
)

// Config says where the ledger is. With an empty Path there is no state folder:
// every write is refused and audit rows go to the log only.
type Config struct {
	// Path is host.db; audit.head lies beside it.
	Path string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Owner names this process in its claims: process id and something random.
	// Empty makes one.
	Owner string
	// Log gets what could not be recorded; never keys, arguments or content.
	Log zerolog.Logger
}

// Ledger is the host's record of writes and calls, shared by all host processes
// of a user. It is safe for concurrent use.
type Ledger struct {
	config Config
}

// Open prepares a ledger. It touches no disk and starts nothing.
func Open(c Config) *Ledger { return &Ledger{config: c} }

// Close writes what waits and closes the file. A ledger that was never used
// stays off the disk.
func (l *Ledger) Close() error { return nil }

// Find gives the stored answer of a write that is finished, marked as replayed;
// found is false where there is none yet. The same key with another body is
// mnote_tool_idempotency_conflict. Its ids are those of the first call.
func (l *Ledger) Find(ctx context.Context, w Write) (answer tools.Envelope, found bool, err error) {
	return tools.Envelope{}, false, errNoState()
}

// MatchInDoubt looks for the key of a write equal to w in kernel, workspace,
// actor, profile, tool, session, document and body whose outcome is unknown or
// whose answer was never delivered: w, which came without a key, is then its
// retry. w.Key.Key is ignored.
func (l *Ledger) MatchInDoubt(ctx context.Context, w Write) (key tools.Key, found bool, err error) {
	return "", false, errNoState()
}

// Claim takes w's key and spends w.ApprovalID and w.PlanID with it, all or
// nothing. While another call holds the key it waits until w.Deadline or the
// context ends. One of the results is set: a claim to forward under, the stored
// answer (as Find gives it) of the call that was waited for, or an error, and
// then nothing may be sent.
func (l *Ledger) Claim(ctx context.Context, w Write) (*Claim, *tools.Envelope, error) {
	return nil, nil, errNoState()
}

// Empty is the claim of a call that takes none, a read or a dry run: its ends
// record the row and nothing else.
func (l *Ledger) Empty() *Claim { return &Claim{ledger: l} }

// Delivered notes that the answer of a call was written to the client; an equal
// write from now on is a new one.
func (l *Ledger) Delivered(toolCallID string) {}

// Record adds a call's row to the audit: at once when the call wrote or was
// refused, in a batch when it read. A row that cannot be kept is logged.
func (l *Ledger) Record(ctx context.Context, r Row) {}
