package kernel

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// maxCarried is the longest request that a wire takes: what surely fits into the
// buffers of a connection, so that who writes it never waits for who reads it.
const maxCarried = 32 << 10

// wires are the connections to a kernel that speaks plain HTTP, as nearly every one
// does: it runs beside us. The goroutine of a call writes its request and reads the
// answer. net/http's Transport has two more goroutines for each connection, and to
// wake them, and be woken by them, was a third of all that a read cost. What only
// that one can do is still its: TLS, and a long request that is answered before the
// whole of it was taken.
type wires struct {
	other *http.Transport

	mu    sync.Mutex
	idle  []*wire // the one that rested longest first
	timer *time.Timer
}

// RoundTrip implements http.RoundTripper.
func (s *wires) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "http" || req.ContentLength < 0 || req.ContentLength > maxCarried {
		return s.other.RoundTrip(req)
	}
	w, err := s.take(req.Context(), address(req.URL))
	if err != nil {
		closeBody(req)
		return nil, err
	}
	return w.exchange(req)
}

// address is where a URL's host listens.
func address(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), "80")
}

// take gives a wire that nobody has: the one that was used last, since the others
// may then end, or a new one.
func (s *wires) take(ctx context.Context, addr string) (*wire, error) {
	for ctx.Err() == nil {
		w := s.rested(addr)
		if w == nil {
			conn, err := s.other.DialContext(ctx, "tcp", addr)
			if err != nil {
				return nil, err
			}
			return newWire(s, addr, conn), nil
		}
		if w.quiet() {
			return w, nil
		}
		w.conn.Close() // its kernel has gone, or says what nobody asked
	}
	return nil, ctx.Err()
}

// rested takes an idle wire, nil where there is none.
func (s *wires) rested(addr string) *wire {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.idle) - 1; i >= 0; i-- {
		if w := s.idle[i]; w.addr == addr {
			s.idle = append(s.idle[:i], s.idle[i+1:]...)
			return w
		}
	}
	return nil
}

// rest keeps a wire for another request, but not for ever.
func (s *wires) rest(w *wire) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) == s.other.MaxIdleConnsPerHost {
		w.conn.Close()
		return
	}
	w.rested = time.Now()
	s.idle = append(s.idle, w)
	if s.timer == nil {
		s.timer = time.AfterFunc(s.other.IdleConnTimeout, s.retire)
	}
}

// retire closes what has been idle for too long, and comes again while there is more.
func (s *wires) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.idle) > 0 && time.Since(s.idle[0].rested) >= s.other.IdleConnTimeout {
		s.idle[0].conn.Close()
		s.idle[0] = nil
		s.idle = s.idle[1:]
	}
	if s.timer = nil; len(s.idle) > 0 {
		s.timer = time.AfterFunc(s.other.IdleConnTimeout-time.Since(s.idle[0].rested), s.retire)
	}
}

// CloseIdleConnections is what http.Client's does.
func (s *wires) CloseIdleConnections() {
	s.other.CloseIdleConnections()
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
