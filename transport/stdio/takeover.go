package stdio

import (
	"io"
	"os"
	"time"
)

// Streams are the three streams of the process after TakeOver.
type Streams struct {
	In io.Reader
	// Out is the real stdout: frames, or the output of a command.
	Out io.Writer
	// Err is stderr for logs. Writing to it never fails and never blocks: what a
	// dead or stuck reader does not take is dropped. Flush before the exit.
	Err io.Writer

	logs *drop
}

// TakeOver keeps the real stdout in Streams.Out and points file descriptor 1 and
// os.Stdout at stderr, so that no print of a library, nor of a child process,
// can break the protocol. From then on a closed pipe is an error of the write
// and never a signal that kills. Call it first thing in main, once.
func TakeOver() Streams {
	surviveClosedPipes()
	out := takeStdout()
	os.Stdout = os.Stderr
	logs := newDrop(os.Stderr)
	return Streams{In: os.Stdin, Out: out, Err: logs, logs: logs}
}

// flushTime is how long Flush waits for a slow stderr.
const flushTime = 200 * time.Millisecond

// Flush waits a moment for what was written to Err to reach stderr.
func (s Streams) Flush() {
	if s.logs != nil {
		s.logs.flush(flushTime)
	}
}
