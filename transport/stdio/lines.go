package stdio

import (
	"bytes"
	"errors"
	"io"
)

const (
	// chunk is what one read asks for at least, and the buffer at rest: the
	// capacity of a Linux pipe.
	chunk = 64 << 10
	// keepTop is the largest buffer kept once it is empty.
	keepTop = 1 << 20
	// excerpt is how much of a line that is too long is kept at either end.
	excerpt = 4 << 10
	// maxEmptyReads is how often a reader may give nothing and no error.
	maxEmptyReads = 100
)

// lines finds line ends in what a reader gives. It is a bufio.Reader whose
// buffer grows to the line, so that a line can be looked at before it is taken,
// and a long one handed over without a second copy.
type lines struct {
	src   io.Reader
	limit int

	buf     []byte // buf[r:w] was read from src and not handed out
	r, w    int
	scanned int   // the first bytes of buf[r:w] that hold no line end
	err     error // why src gives no more
}

// end returns the length of the next line, its line end included, reading until
// that is known or n bytes are there without one: then it returns -1. What
// stands before the end of the stream is a line too.
func (l *lines) end(n int) (int, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.r+l.scanned:l.w], '\n'); i >= 0 {
			l.scanned += i
			return l.scanned + 1, nil
		}
		l.scanned = l.w - l.r
		switch {
		case l.err == io.EOF && l.scanned > 0:
			return l.scanned, nil
		case l.err != nil:
			return 0, l.err
		case l.scanned >= n:
			return -1, nil
		}
		l.fill()
	}
}

// fill reads once from src, behind what is there.
func (l *lines) fill() {
	l.makeRoom()
	for range maxEmptyReads {
		n, err := l.src.Read(l.buf[l.w:])
		l.w += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// makeRoom leaves space for a read: in place, by moving what is there to the
// front, or in a buffer twice as large.
func (l *lines) makeRoom() {
	held := l.w - l.r
	switch {
	case held == 0 && len(l.buf) > 0:
		l.r, l.w = 0, 0
	case len(l.buf)-l.w >= chunk/4:
		return
	case held <= len(l.buf)/2 && len(l.buf) > 0:
		copy(l.buf, l.buf[l.r:l.w])
		l.r, l.w = 0, held
	default:
		l.rebase(l.nextSize())
	}
}

// nextSize doubles the buffer, but stops at what the longest line allowed needs.
func (l *lines) nextSize() int {
	size, top := max(chunk, 2*len(l.buf)), l.limit+chunk
	if size > top && top > len(l.buf)+chunk/4 {
		return top
	}
	return size
}

// rebase moves what is held to a new buffer of the given size.
func (l *lines) rebase(size int) {
	buf := make([]byte, size)
	l.w = copy(buf, l.buf[l.r:l.w])
	l.buf, l.r = buf, 0
}

func (l *lines) peek(n int) []byte { return l.buf[l.r : l.r+n : l.r+n] }

func (l *lines) peekAll() []byte { return l.buf[l.r:l.w:l.w] }

// tooLong reports whether the line of n bytes at the front is above the cap,
// its line end not counted.
func (l *lines) tooLong(n int) bool {
	if n <= l.limit {
		return false
	}
	line := bytes.TrimSuffix(l.peek(n), []byte("\n"))
	return len(bytes.TrimSuffix(line, []byte("\r"))) > l.limit
}

// advance gives up the first n bytes.
func (l *lines) advance(n int) {
	l.r += n
	l.scanned = 0
	if l.r == l.w && len(l.buf) > keepTop {
		l.buf, l.r, l.w = nil, 0, 0
	}
}

// own hands over line, which lies in the first n bytes, and gives those up. A
// line that fills most of the buffer keeps it, and the reader gets a new one; any
// other is copied.
func (l *lines) own(line []byte, n int) []byte {
	if n < chunk/2 || n < len(l.buf)/4 || n < (l.w-l.r)/2 {
		line = bytes.Clone(line)
		l.advance(n)
		return line
	}
	l.r += n
	l.scanned = 0
	l.rebase(max(chunk, l.w-l.r))
	return line[:len(line):len(line)]
}

// skipLong reads past the line at the front and reports it.
func (l *lines) skipLong() error {
	e := &TooLongError{Limit: l.limit}
	err := l.copyLine(func(b []byte) error {
		b = bytes.TrimSuffix(b, []byte("\n"))
		e.Size += int64(len(b))
		n := min(excerpt-len(e.Head), len(b))
		e.Head = append(e.Head, b[:n]...)
		e.Tail = lastOf(e.Tail, b[n:])
		return nil
	})
	if err != nil {
		return err
	}
	if bytes.HasSuffix(e.Tail, []byte("\r")) {
		e.Tail = e.Tail[:len(e.Tail)-1]
		e.Size--
	} else if len(e.Tail) == 0 && bytes.HasSuffix(e.Head, []byte("\r")) {
		e.Head = e.Head[:len(e.Head)-1]
		e.Size--
	}
	return e
}

// lastOf returns the last excerpt bytes of tail followed by b, in tail's memory.
func lastOf(tail, b []byte) []byte {
	if over := len(tail) + len(b) - excerpt; over > 0 {
		drop := min(over, len(tail))
		tail = tail[:copy(tail, tail[drop:])]
		b = b[max(0, len(b)-excerpt):]
	}
	return append(tail, b...)
}

// copyLine takes the line at the front and gives it to write piece by piece as
// it comes in, so that it never has to be held whole. When write fails the rest
// of the line is left unread.
func (l *lines) copyLine(write func([]byte) error) error {
	for started := false; ; started = true {
		n, err := l.end(1)
		if started && errors.Is(err, io.EOF) {
			return nil // the last line, unterminated
		}
		if err != nil {
			return err
		}
		piece := l.peekAll()
		if n >= 0 {
			piece = l.peek(n)
		}
		if err := write(piece); err != nil {
			return err
		}
		l.advance(len(piece))
		if n >= 0 && piece[n-1] == '\n' {
			return nil
		}
	}
}
