package stdio

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
)

// DefaultMaxLine is the longest line that Frames takes when nothing else is said.
const DefaultMaxLine = 16 << 20

// FramesConfig says where lines come from and go to. The zero MaxLine means
// DefaultMaxLine; In or Out may be nil when only the other one is used.
type FramesConfig struct {
	In      io.Reader
	Out     io.Writer
	MaxLine int
}

// TooLongError reports a line above the cap. The line was skipped whole: the
// next read gives the next line.
type TooLongError struct {
	Limit int   // the cap, in bytes
	Size  int64 // what the line had
	// Head and Tail are the first and last bytes of the line, enough to find out
	// whose it was; they do not overlap.
	Head, Tail []byte
}

// Error says how long the line was and what is allowed.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("a line of %d bytes is longer than the limit of %d", e.Size, e.Limit)
}

// Look is the start of a line that was not read yet.
type Look struct {
	// Head holds the first bytes of the line; with Whole the whole line as sent,
	// line end included (the last line may have none). It is valid until the
	// next call that reads.
	Head  []byte
	Whole bool
}

// Frames reads lines from one stream and writes lines to another. There are two
// ways to read. Read is for who serves frames: it gives each line by itself,
// blank ones left out. Look, then one of Take, Pass or Skip, is for who passes
// them on: it gives every byte as it came, and a long frame need not be held
// to be passed.
//
// Reading is for one goroutine at a time; writing is for any number.
type Frames struct {
	in  lines
	out writer
}

// NewFrames makes Frames over the two streams of c.
func NewFrames(c FramesConfig) *Frames {
	f := &Frames{in: lines{src: c.In, limit: cmp.Or(c.MaxLine, DefaultMaxLine)}}
	f.out.open(c.Out)
	return f
}

// Read returns the next line that is not blank, without its line end and the
// white space around it; the caller owns the bytes. The last line needs no line
// end. A line above the cap is skipped whole and reported as *TooLongError, and
// reading goes on with the next call; any other error is final, io.EOF when the
// stream ended.
func (f *Frames) Read() ([]byte, error) {
	for {
		n, err := f.in.end(f.in.limit + len("\r\n"))
		if err != nil {
			return nil, err
		}
		if n < 0 || f.in.tooLong(n) {
			return nil, f.in.skipLong()
		}
		line := bytes.Trim(f.in.peek(n), " \t\r\n")
		if len(line) == 0 {
			f.in.advance(n)
			continue
		}
		return f.in.own(line, n), nil
	}
}

// Look waits for the next line until at least n bytes of it are there, or all of
// it. It takes nothing: a second Look with a larger n shows more of the same
// line.
func (f *Frames) Look(n int) (Look, error) {
	size, err := f.in.end(n)
	switch {
	case err != nil:
		return Look{}, err
	case size < 0:
		return Look{Head: f.in.peekAll()}, nil
	}
	return Look{Head: f.in.peek(size), Whole: true}, nil
}

// Take reads the whole line that Look showed, as sent, line end included. The
// bytes are valid until the next call that reads.
func (f *Frames) Take() ([]byte, error) {
	n, err := f.in.end(f.in.limit + len("\r\n"))
	if err != nil {
		return nil, err
	}
	if n < 0 || f.in.tooLong(n) {
		return nil, f.in.skipLong()
	}
	line := f.in.peek(n)
	f.in.advance(n)
	return line, nil
}

// Skip drops the line that Look showed, however long it is.
func (f *Frames) Skip() error {
	return f.in.copyLine(func([]byte) error { return nil })
}

// Pass writes the line that Look showed to another Frames, unchanged to the last
// byte, and holds no more of it than what is in the buffer: what did not fit the
// look is streamed. Nothing else is written to that Frames meanwhile. A line
// above the cap ends in *TooLongError, and what was written of it stands: the
// stream that it went to can hardly be used further.
func (f *Frames) Pass(to *Frames) error { return f.PassSeen(to, func([]byte) {}) }

// PassSeen is Pass, and see is shown each piece before it is written: what it
// learned from the whole line is known before the line's end is out.
func (f *Frames) PassSeen(to *Frames, see func(piece []byte)) error {
	to.out.hold()
	defer to.out.release()
	passed := 0
	return f.in.copyLine(func(b []byte) error {
		if passed += len(b); passed > f.in.limit+len("\r\n") {
			return &TooLongError{Limit: f.in.limit, Size: int64(passed)}
		}
		see(b)
		return to.out.direct(b)
	})
}

// Write writes p, which must be whole lines, with one Write and nothing else in
// between. After the first error it writes nothing more and gives that error.
func (f *Frames) Write(p []byte) (int, error) {
	f.out.hold()
	defer f.out.release()
	if err := f.out.direct(p); err != nil {
		return 0, err
	}
	return len(p), nil
}
