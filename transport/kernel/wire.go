package kernel

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"syscall"
	"time"
)

// maxHead bounds the head of an answer, as maxBody does its body.
const maxHead = 1 << 20

var errHead = errors.New("the head of the answer is larger than the limit")

// longAgo is a deadline that has passed: what reads or writes then gives up.
var longAgo = time.Unix(1, 0)

// wire is one connection to a kernel. It carries one call at a time: whoever has it
// writes and reads, and nobody else knows of it.
type wire struct {
	conn net.Conn
	of   *wires
	in   *bufio.Reader
	left int    // bytes that may still be read
	out  []byte // the request

	abort func()      // gives up what is under way
	stop  func() bool // takes the abort of this call back; false when it came

	rested time.Time // since when it is idle
	idle
}

func newWire(of *wires, conn net.Conn) *wire {
	w := &wire{conn: conn, of: of, abort: func() { _ = conn.SetDeadline(longAgo) }}
	w.in = bufio.NewReader(w)
	if c, ok := conn.(syscall.Conn); ok {
		w.idle.open(c)
	}
	return w
}

// Read implements io.Reader, within what is left.
func (w *wire) Read(b []byte) (int, error) {
	if w.left <= 0 {
		return 0, errHead
	}
	n, err := w.conn.Read(b[:min(len(b), w.left)])
	w.left -= n
	return n, err
}

// exchange writes the request and gives its answer as soon as its head is there.
func (w *wire) exchange(ctx context.Context, sent *watch) (*http.Response, error) {
	w.stop = context.AfterFunc(ctx, w.abort)
	sent.out.Store(true)
	resp, err := w.ask()
	if err != nil {
		return nil, w.failed(ctx, err)
	}
	b := &wireBody{ReadCloser: resp.Body, wire: w, ctx: ctx, last: resp.Close || resp.StatusCode/100 == 1}
	if resp.Body == http.NoBody {
		b.end()
	} else {
		resp.Body = b
	}
	return resp, nil
}

// ask writes the request and reads the head of its answer, past what only announces
// one.
func (w *wire) ask() (*http.Response, error) {
	if _, err := w.conn.Write(w.out); err != nil {
		return nil, err
	}
	w.left = maxHead
	for {
		resp, err := http.ReadResponse(w.in, nil)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode/100 != 1 || resp.StatusCode == http.StatusSwitchingProtocols {
			w.left = math.MaxInt
			return resp, nil
		}
	}
}

// failed ends the wire and gives the error; one that the context's end made is that.
func (w *wire) failed(ctx context.Context, err error) error {
	w.close()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// close ends the wire in the middle of a call.
func (w *wire) close() {
	w.stop()
	w.conn.Close()
}

// wireBody is the body of an answer. At its end the wire is free for another call;
// one that is not read to its end takes its wire with it.
type wireBody struct {
	io.ReadCloser
	wire *wire // nil once it was given back or closed
	ctx  context.Context
	last bool // nothing follows on the wire
}

// Read implements io.Reader.
func (b *wireBody) Read(p []byte) (int, error) {
	if b.wire == nil {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.end()
	} else if err != nil {
		err = b.wire.failed(b.ctx, err)
		b.wire = nil
	}
	return n, err
}

// end gives the wire back, if something can follow on it: not on an aborted one, and
// what has come already is no answer to a call that was not made yet.
func (b *wireBody) end() {
	w := b.wire
	b.wire = nil
	if w.stop() && !b.last && w.in.Buffered() == 0 {
		w.of.rest(w)
	} else {
		w.conn.Close()
	}
}

// Close implements io.Closer.
func (b *wireBody) Close() error {
	if b.wire != nil {
		b.wire.close()
		b.wire = nil
	}
	return nil
}
