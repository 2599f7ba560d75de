package kernel_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

// answerOf is what a fake without a token says to a request, as a body.
func answerOf(f *fakeServer, r *bufio.Reader) (string, error) {
	req, err := http.ReadRequest(r)
	if err != nil {
		return "", err
	}
	rec := httptest.NewRecorder()
	f.ServeHTTP(rec, req)
	_, err = io.Copy(io.Discard, req.Body)
	return rec.Body.String(), err
}

// TestWireAnswers: answers of every form are read, and a second request goes over
// the same connection exactly where one may follow.
func TestWireAnswers(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	measured := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	chunked := func(body string) string {
		return fmt.Sprintf("Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n%x\r\n%s\r\n0\r\nX: 1\r\n\r\n", len(body), body)
	}
	for name, tc := range map[string]struct {
		says   func(body string) string
		leaves bool // behind the first answer
		conns  int32
	}{
		"measured":         {func(b string) string { return ok + measured(b) }, false, 1},
		"chunked":          {func(b string) string { return ok + chunked(b) }, false, 1},
		"announced first":  {func(b string) string { return "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + measured(b) }, false, 1},
		"the last one":     {func(b string) string { return ok + "Connection: close\r\n" + measured(b) }, false, 2},
		"without a length": {func(b string) string { return ok + "\r\n" + b }, true, 2},
		"HTTP/1.0":         {func(b string) string { return "HTTP/1.0 200 OK\r\n" + measured(b) }, false, 2},
		"said more":        {func(b string) string { return ok + measured(b) + ok + measured("{}") }, false, 2},
		"left":             {func(b string) string { return ok + measured(b) }, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			f.token = ""
			var conns atomic.Int32
			left := make(chan struct{}, 2)
			c := kernel.New(kernel.Config{URL: raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
				conns.Add(1)
				for body, err := answerOf(f, r); err == nil; body, err = answerOf(f, r) {
					io.WriteString(c, tc.says(body))
					if tc.leaves {
						c.Close()
						left <- struct{}{}
						return
					}
				}
			})})
			t.Cleanup(c.Close)
			for _, call := range []tools.Call{reading(f), saving(f)} { // a write shows that nothing was lost
				env, err := c.Call(t.Context(), call)
				if err != nil || !env.OK {
					t.Fatalf("%s: %v %s", call.ToolName, err, env.JSON())
				}
				if tc.leaves {
					<-left
				}
			}
			if n := conns.Load(); n != tc.conns {
				t.Errorf("%d connections, want %d", n, tc.conns)
			}
		})
	}
}

// TestWireEndlessHead: an answer whose head never ends is lost, whatever it says.
func TestWireEndlessHead(t *testing.T) {
	t.Parallel()
	f := newFake()
	for name, line := range map[string]string{"headers": "X: y\r\n", "announcements": "\r\nHTTP/1.1 103 Early Hints\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := kernel.New(kernel.Config{URL: raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
				take(r)
				for _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n"); err == nil; {
					_, err = io.WriteString(c, strings.Repeat(line, 1000))
				}
			})})
			t.Cleanup(c.Close)
			_, err := c.Call(t.Context(), saving(f))
			if d := cmp.Diff(lostWrite(nil), coded(t, err, tools.CodeTimeout).Details); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// TestWireMany: calls beside each other, some of them given up on the way, get each
// its own answer, and what is given up spoils no connection for the next.
func TestWireMany(t *testing.T) {
	t.Parallel()
	f := newFake()
	c := overHTTP(t, f)
	var all sync.WaitGroup
	for worker := range 16 {
		all.Go(func() {
			for i := range 40 {
				ctx, cancel := context.WithCancel(t.Context())
				call := reading(f)
				call.ToolCallID = fmt.Sprintf("call_%d_%d", worker, i)
				if i%4 == 3 {
					go cancel()
				}
				env, err := c.Call(ctx, call) // which holds the answer's id against the call's
				cancel()
				if err != nil && (i%4 != 3 || tools.AsError(err).Code != tools.CodeCancelled) {
					t.Error(err)
				}
				if err == nil && env.ToolCallID != call.ToolCallID {
					t.Errorf("%s got the answer to %s", call.ToolCallID, env.ToolCallID)
				}
			}
		})
	}
	all.Wait()
}

// TestWireLong: a request too long for a wire goes out all the same.
func TestWireLong(t *testing.T) {
	t.Parallel()
	f := newFake()
	long := saving(f)
	long.Selection = []byte(`"` + strings.Repeat("x", 64<<10) + `"`)
	if env, err := overHTTP(t, f).Call(t.Context(), long); err != nil || !env.OK {
		t.Errorf("%v %s", err, env.JSON())
	}
}
