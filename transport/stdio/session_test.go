package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// script is a Handler made of functions; what is left out answers "{}" or does
// nothing.
type script struct {
	inline       func(method string) bool
	request      func(ctx context.Context, r Request) Reply
	notification func(ctx context.Context, r Request)
}

func (s script) Inline(method string) bool {
	if s.inline == nil {
		return method == "initialize"
	}
	return s.inline(method)
}

func (s script) Request(ctx context.Context, r Request) Reply {
	if s.request == nil {
		return ok()
	}
	return s.request(ctx, r)
}

func (s script) Notification(ctx context.Context, r Request) {
	if s.notification != nil {
		s.notification(ctx, r)
	}
}

func ok() Reply { return Reply{Result: json.RawMessage(`{}`)} }

// session is a conversation with a Peer inside a synctest bubble: time passes
// only when everything waits, so that "there is no answer" can be seen.
type session struct {
	t     *testing.T
	peer  *Peer
	in    *io.PipeWriter
	out   *io.PipeReader
	lines chan string
	ended chan error // what Run returned
	stop  context.CancelCauseFunc
}

// talk runs test in a bubble, with a Peer that serves h.
func talk(t *testing.T, c Config, h script, test func(s *session)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, c, h)
		go s.collect()
		test(s)
		s.end()
	})
}

// open starts a Peer; inside a bubble only.
func open(t *testing.T, c Config, h script) *session {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c.In, c.Out, c.Handler = inR, outW, h
	ctx, stop := context.WithCancelCause(t.Context())
	s := &session{
		t: t, peer: NewPeer(c), in: inW, out: outR, stop: stop,
		lines: make(chan string, 1<<14), ended: make(chan error, 1),
	}
	go func() {
		s.ended <- s.peer.Run(ctx)
		_ = inR.Close()
		_ = outW.Close()
	}()
	return s
}

// collect reads what the peer writes; until it is called nobody does.
func (s *session) collect() {
	defer close(s.lines)
	r := bufio.NewReader(s.out)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		s.lines <- strings.TrimSuffix(line, "\n")
	}
}

// send writes text as it stands.
func (s *session) send(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		s.t.Fatalf("send: %v", err)
	}
}

// call sends a request with the given raw id.
func (s *session) call(id, method, params string) {
	s.t.Helper()
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`+"\n", id, method, params))
}

func (s *session) cancelCall(id string) {
	s.t.Helper()
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`+"\n", id))
}

// next is the next line from the peer.
func (s *session) next() string {
	s.t.Helper()
	select {
	case line, more := <-s.lines:
		if !more {
			s.t.Fatal("the peer wrote nothing more")
		}
		return line
	case <-time.After(time.Minute):
		s.t.Fatal("the peer wrote nothing for a minute")
	}
	return ""
}

// want checks that the next lines are exactly these.
func (s *session) want(lines ...string) {
	s.t.Helper()
	for _, want := range lines {
		if diff := cmp.Diff(want, s.next()); diff != "" {
			s.t.Errorf("the line differs (-want +got):\n%s", diff)
		}
	}
}

// wantNone checks that everything waits and nothing was written.
func (s *session) wantNone() {
	s.t.Helper()
	synctest.Wait()
	select {
	case line, more := <-s.lines:
		if more {
			s.t.Errorf("there should be no line, but there is %s", line)
		}
	default:
	}
}

// wantAlive checks that the next request is served.
func (s *session) wantAlive() {
	s.t.Helper()
	s.call(`"alive"`, "ping", "{}")
	s.want(`{"jsonrpc":"2.0","id":"alive","result":{}}`)
}

// wantEnd checks what Run returns, and when.
func (s *session) wantEnd(want error, after time.Duration) {
	s.t.Helper()
	start := time.Now()
	if err := <-s.ended; !errors.Is(err, want) {
		s.t.Errorf("Run returned %v, want %v", err, want)
	}
	if took := time.Since(start); took != after {
		s.t.Errorf("Run returned after %v, want %v", took, after)
	}
	s.ended <- nil
}

// end closes the pipes and waits for all that ran in the bubble.
func (s *session) end() {
	_ = s.in.Close()
	<-s.ended
	_ = s.out.Close()
	synctest.Wait()
}
