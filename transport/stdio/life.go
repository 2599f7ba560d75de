package stdio

import (
	"context"
	"os"
	"time"
)

// Life says what ends the process.
type Life struct {
	// Orphan lets the process outlive the one that started it (a daemon).
	Orphan bool
	// Grace is how long the process has to leave after its context ended before
	// Exit is called; 1.5 s by default. A second signal does not wait.
	Grace time.Duration
	// Exit ends the process; os.Exit by default.
	Exit func(code int)
}

// End is the cause of a context of Life: what ended the process.
type End struct {
	// Signal is the one received, or nil when the parent process is gone.
	Signal os.Signal
}

// Error says what ended the process.
func (e *End) Error() string { return "" }

// Begin returns a context that ends, with an *End as its cause, when SIGTERM,
// SIGINT or SIGHUP comes or the process that started this one is gone. Call
// stop when the program is done.
func (l Life) Begin(ctx context.Context) (_ context.Context, stop func()) { return ctx, func() {} }
