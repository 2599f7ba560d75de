package stdio

import (
	"io"
	"sync"
)

// line is something that is one line of output once its turn comes.
type line interface {
	// put adds the line, its line end included, to o; or nothing, when by now
	// nobody wants it any more.
	put(o *output)
	// written is called after put, when the bytes went out or with the error that
	// kept them back.
	written(err error)
}

// writer is the one writer of a stream. Whoever finds it free writes, first his
// own line and then whatever others queued meanwhile, joined into one write.
type writer struct {
	mu    sync.Mutex
	freed sync.Cond // busy turned false
	queue []line
	spare []line // the memory of the batch before, for the queue after this one
	busy  bool   // one goroutine owns dst

	dst output
}

func (w *writer) open(out io.Writer) {
	w.freed.L = &w.mu
	w.dst.dst = out
}

// push queues l and reports whether the caller has to call drain.
func (w *writer) push(l line) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = append(w.queue, l)
	lead := !w.busy
	w.busy = true
	return lead
}

// drain writes until the queue is empty. Only for the goroutine that made the
// writer busy.
func (w *writer) drain() {
	for batch := w.next(); len(batch) > 0; batch = w.next() {
		for _, l := range batch {
			l.put(&w.dst)
		}
		err := w.dst.flush()
		for _, l := range batch {
			l.written(err)
		}
		clear(batch)
	}
}

// next takes what is queued, or frees the writer when there is nothing.
func (w *writer) next() []line {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue, w.spare = w.spare[:0], w.queue
	if len(w.spare) == 0 {
		w.busy = false
		w.freed.Signal()
	}
	return w.spare
}

// hold waits until the writer is free and keeps it until release.
func (w *writer) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.busy {
		w.freed.Wait()
	}
	w.busy = true
}

func (w *writer) release() { w.drain() }

// direct writes b at once. Only between hold and release.
func (w *writer) direct(b []byte) error {
	w.dst.write(b)
	return w.dst.err
}

// output collects lines up to a pipe's capacity and writes them together. A long
// piece is written from where it lies. The first error stays.
type output struct {
	dst io.Writer
	buf []byte
	err error
}

func (o *output) add(b []byte) {
	if o.buf == nil {
		o.buf = make([]byte, 0, chunk)
	}
	for len(o.buf)+len(b) > chunk {
		n := chunk - len(o.buf)
		if n == chunk { // nothing is waiting: no need to copy
			n = len(b) / chunk * chunk
			o.write(b[:n])
		} else {
			o.buf = append(o.buf, b[:n]...)
			o.flush()
		}
		b = b[n:]
	}
	o.buf = append(o.buf, b...)
}

func (o *output) addString(s string) {
	if len(o.buf)+len(s) > chunk {
		o.add([]byte(s))
		return
	}
	if o.buf == nil {
		o.buf = make([]byte, 0, chunk)
	}
	o.buf = append(o.buf, s...)
}

func (o *output) flush() error {
	if len(o.buf) > 0 {
		o.write(o.buf)
		o.buf = o.buf[:0]
	}
	return o.err
}

func (o *output) write(b []byte) {
	if o.err != nil {
		return
	}
	n, err := o.dst.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	o.err = err
}
