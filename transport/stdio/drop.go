package stdio

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// maxPending is how much text waits for a slow stderr before more is dropped.
const maxPending = 256 << 10

// drop is a writer that never blocks and never fails: a goroutine writes behind
// it, what is too much is dropped and counted, and a dead stream is written to
// no more.
type drop struct {
	mu      sync.Mutex
	to      io.Writer
	pending []byte
	lost    int           // writes dropped since the last that went out
	busy    chan struct{} // there while the goroutine writes; closed when it is done
	dead    bool
}

func newDrop(to io.Writer) *drop { return &drop{to: to} }

// Write takes p, or drops it.
func (d *drop) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.dead:
		return len(p), nil
	case len(d.pending)+len(p) > maxPending:
		d.lost++
		return len(p), nil
	}
	d.pending = append(d.pending, p...)
	if d.busy == nil {
		d.busy = make(chan struct{})
		go d.writeBehind()
	}
	return len(p), nil
}

func (d *drop) writeBehind() {
	for text := d.next(); text != nil; text = d.next() {
		if _, err := d.to.Write(text); err != nil {
			d.mu.Lock()
			d.dead = true
			d.mu.Unlock()
		}
	}
}

// next takes what is pending; nil, and the goroutine is done, when there is
// nothing or nobody to give it to.
func (d *drop) next() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead || len(d.pending) == 0 {
		d.pending = nil
		close(d.busy)
		d.busy = nil
		return nil
	}
	text := d.pending
	d.pending = nil
	if d.lost > 0 {
		text = fmt.Appendf(text, "(%d log lines dropped: stderr was not read)\n", d.lost)
		d.lost = 0
	}
	return text
}

// flush waits until all is written, but no longer than limit.
func (d *drop) flush(limit time.Duration) {
	d.mu.Lock()
	busy := d.busy
	d.mu.Unlock()
	if busy != nil {
		waitFor(limit, busy)
	}
}
