package kernel

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxCarried is the longest call that a wire takes: what surely fits into the buffers
// of a connection, so that who writes it never waits for who reads it.
const maxCarried = 32 << 10

// maxOut is how much memory for a next request a wire keeps.
const maxOut = 4 << 10

// wires are the connections that calls take to a kernel which speaks plain HTTP, as
// nearly every one does: it runs beside us. The goroutine of a call writes its request
// and reads the answer. net/http's Transport has two more goroutines for each
// connection, and to wake them, and be woken by them, was a third of all that a read
// cost. The rest is still its: TLS, a long call that may be answered before the whole
// of it was taken, and whatever is no call.
type wires struct {
	addr string
	head string // of every call, but for the lines that differ
	dial func(ctx context.Context, network, addr string) (net.Conn, error)

	mu    sync.Mutex
	idle  []*wire // the one that rested longest first
	timer *time.Timer
}

// newWires gives the wires to where calls go, nil where there can be none.
func newWires(calls *url.URL, token secret) *wires {
	odd := func(r rune) bool { return r > '~' || r == '%' } // net/http spells it otherwise
	if !looks || calls.Scheme != "http" || strings.ContainsFunc(calls.Host, odd) {
		return nil
	}
	s := &wires{addr: calls.Host, dial: dialer().DialContext}
	if calls.Port() == "" {
		s.addr = net.JoinHostPort(calls.Hostname(), "80")
	}
	s.head = "POST " + calls.RequestURI() + " HTTP/1.1\r\nHost: " + calls.Host + "\r\nUser-Agent: Go-http-client/1.1\r\n" +
		"Content-Type: application/json\r\nAccept: application/json\r\n"
	if bearer := token.bearer(); bearer != "" {
		s.head += "Authorization: " + bearer + "\r\n"
	}
	return s
}

// post sends a call and gives its answer as soon as its head is there.
func (s *wires) post(ctx context.Context, lang, traceParent string, body []byte, sent *watch) (*http.Response, error) {
	w, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	w.out = append(append(append(w.out[:0], s.head...), "Accept-Language: "...), lang...)
	w.out = append(append(w.out, "\r\nTraceparent: "...), traceParent...)
	w.out = strconv.AppendInt(append(w.out, "\r\nContent-Length: "...), int64(len(body)), 10)
	w.out = append(append(w.out, "\r\n\r\n"...), body...)
	return w.exchange(ctx, sent)
}

// take gives a wire that nobody has: the one that was used last, since the others
// may then end, or a new one.
func (s *wires) take(ctx context.Context) (*wire, error) {
	for ctx.Err() == nil {
		w := s.rested()
		if w == nil {
			conn, err := s.dial(ctx, "tcp", s.addr)
			if err != nil {
				return nil, err
			}
			return newWire(s, conn), nil
		}
		if w.quiet() {
			return w, nil
		}
		w.conn.Close() // its kernel has gone, or says what nobody asked
	}
	return nil, ctx.Err()
}

// rested takes an idle wire, nil where there is none.
func (s *wires) rested() *wire {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.idle) - 1
	if last < 0 {
		return nil
	}
	w := s.idle[last]
	s.idle[last] = nil
	s.idle = s.idle[:last]
	return w
}

// rest keeps a wire for another call, but not for ever.
func (s *wires) rest(w *wire) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) == maxIdle {
		w.conn.Close()
		return
	}
	if cap(w.out) > maxOut {
		w.out = nil
	}
	w.rested = time.Now()
	s.idle = append(s.idle, w)
	if s.timer == nil {
		s.timer = time.AfterFunc(maxRest, s.retire)
	}
}

// retire closes what has rested for too long, and comes again while there is more.
func (s *wires) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := 0
	for old < len(s.idle) && time.Since(s.idle[old].rested) >= maxRest {
		s.idle[old].conn.Close()
		old++
	}
	s.idle = append([]*wire(nil), s.idle[old:]...)
	if s.timer = nil; len(s.idle) > 0 {
		s.timer = time.AfterFunc(maxRest-time.Since(s.idle[0].rested), s.retire)
	}
}

// close ends the wires that rest.
func (s *wires) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.idle {
		w.conn.Close()
	}
	s.idle = nil
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}
