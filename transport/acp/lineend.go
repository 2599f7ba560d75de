package acp

import (
	"io"
	"sync/atomic"
)

// lineEnd writes to the client and knows whether the last line was finished: an
// agent may be cut off in the middle of one.
type lineEnd struct {
	to   io.Writer
	open atomic.Bool
}

// Write passes the bytes on.
func (l *lineEnd) Write(b []byte) (int, error) {
	n, err := l.to.Write(b)
	if n > 0 {
		l.open.Store(b[n-1] != '\n')
	}
	return n, err
}
