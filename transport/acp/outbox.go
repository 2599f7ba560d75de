package acp

import (
	"sync"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// outbox holds the host's own lines for the client until they are written. It
// has no bound, so that whoever puts a line in never waits for the client: a
// client that does not read must not stop the pump that it writes to.
type outbox struct {
	to *stdio.Frames

	mu     sync.Mutex
	lines  [][]byte
	ready  sync.Cond
	closed bool
	done   chan struct{}
}

// newOutbox makes an outbox; run empties it.
func newOutbox(to *stdio.Frames) *outbox {
	o := &outbox{to: to, done: make(chan struct{})}
	o.ready.L = &o.mu
	return o
}

// put adds a line, its line end included.
func (o *outbox) put(line []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return stdio.ErrClosed
	}
	o.lines = append(o.lines, line)
	o.ready.Signal()
	return nil
}

// run writes what is put in until close and everything is out.
func (o *outbox) run() {
	defer close(o.done)
	for {
		batch := o.next()
		if batch == nil {
			return
		}
		for _, line := range batch {
			_, _ = o.to.Write(line) // a client that is gone is found by the pumps
		}
	}
}

// next waits for lines; nil means that there will be no more.
func (o *outbox) next() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.lines) == 0 && !o.closed {
		o.ready.Wait()
	}
	batch := o.lines
	o.lines = nil
	return batch
}

// close takes no more lines; those put in before are still written.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.ready.Signal()
}
