package kernel_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

// serve starts a server for the test and gives its URL.
func serve(t *testing.T, h http.Handler) string {
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // some handlers misbehave on purpose
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.URL
}

// raw starts a TCP server that hands each connection, numbered from 1, to talk.
func raw(t *testing.T, talk func(n int, c net.Conn, r *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 1; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				talk(n, c, bufio.NewReader(c))
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// take reads one whole request off a connection.
func take(r *bufio.Reader) (*http.Request, error) {
	req, err := http.ReadRequest(r)
	if err == nil {
		_, err = io.Copy(io.Discard, req.Body)
	}
	return req, err
}

// refusedURL is an address where nobody listens.
func refusedURL(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func TestNothingSent(t *testing.T) {
	t.Parallel()
	f := newFake()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tc := range map[string]struct {
		ctx  context.Context
		cfg  kernel.Config
		code tools.Code
		want details
	}{
		"refused":        {t.Context(), kernel.Config{URL: refusedURL(t)}, tools.CodeKernelUnavailable, details{"reason": "refused"}},
		"no such host":   {t.Context(), kernel.Config{URL: "http://kernel.invalid"}, tools.CodeKernelUnavailable, details{"reason": "refused"}},
		"no URL":         {t.Context(), kernel.Config{}, tools.CodeKernelUnavailable, details{"reason": "no_kernel"}},
		"no http":        {t.Context(), kernel.Config{URL: "ftp://host/x"}, tools.CodeKernelUnavailable, details{"reason": "no_kernel"}},
		"unparsable URL": {t.Context(), kernel.Config{URL: "http://user:" + token + "@ho st/%zz"}, tools.CodeKernelUnavailable, details{"reason": "no_kernel"}},
		"odd token":      {t.Context(), kernel.Config{URL: "http://host", Token: "a\nb: " + token}, tools.CodeKernelUnavailable, details{"reason": "no_kernel"}},
		"cancelled":      {gone, kernel.Config{URL: refusedURL(t)}, tools.CodeCancelled, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := kernel.New(tc.cfg)
			_, err := c.Call(tc.ctx, saving(f))
			e := coded(t, err, tc.code)
			if d := cmp.Diff(tc.want, e.Details); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if strings.Contains(e.Error(), token) {
				t.Errorf("the token leaks: %v", e)
			}
			_, err = c.Manifest(tc.ctx, "")
			coded(t, err, tc.code)
		})
	}
}

// alarm is a context whose deadline passes when the test says so.
type alarm struct {
	context.Context
	rang chan struct{}
}

func newAlarm(ctx context.Context) *alarm { return &alarm{ctx, make(chan struct{})} }

func (a *alarm) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), true }
func (a *alarm) Done() <-chan struct{}       { return a.rang }

func (a *alarm) Err() error {
	select {
	case <-a.rang:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestLost: once the first byte of a write is out, every lost answer is a
// timeout with outcome unknown, however it is lost.
func TestLost(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	f := newFake()
	for name, tc := range map[string]struct {
		says  string // to a request that was read
		hangs bool   // then, instead of dropping the connection
	}{
		"dropped":        {"", false},
		"head cut":       {head[:20], false},
		"body truncated": {head + "Content-Length: 900\r\n\r\n{\"ok\":true", false},
		"chunk cut":      {head + "Transfer-Encoding: chunked\r\n\r\n20\r\n{\"ok\"", false},
		"no HTTP":        {"SSH-2.0-OpenSSH\r\n", false},
		"hanging":        {"", true},
		"slow head":      {head, true},
		"body hangs":     {head + "Content-Length: 900\r\n\r\n{", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hung := make(chan struct{})
			c := kernel.New(kernel.Config{URL: raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
				take(r)
				io.WriteString(c, tc.says)
				if tc.hangs {
					hung <- struct{}{}
					r.ReadByte() // until the client leaves
				}
			})})
			t.Cleanup(c.Close)
			keyless := saving(f)
			keyless.IdempotencyKey = ""
			known, harmless := saving(f), saving(f) // the kind counts, whatever the scope words say
			known.Kind, known.Scopes = tools.KindWrite, reading(f).Scopes
			harmless.Kind = tools.KindRead
			for _, call := range []struct {
				tools.Call
				want details
			}{
				{saving(f), lostWrite(nil)},
				{keyless, details{"outcome": "unknown"}},
				{reading(f), nil},
				{known, lostWrite(nil)},
				{harmless, nil},
			} {
				ctx := newAlarm(t.Context())
				if tc.hangs {
					go func() { <-hung; close(ctx.rang) }()
				}
				_, err := c.Call(ctx, call.Call)
				e := coded(t, err, tools.CodeTimeout)
				if d := cmp.Diff(call.want, e.Details); d != "" {
					t.Errorf("%s: -want +got\n%s", call.ToolName, d)
				}
			}
		})
	}
}

// TestCancelled: a call whose caller goes away says so, and of a write that is
// out also that it may have happened.
func TestCancelled(t *testing.T) {
	t.Parallel()
	f := newFake()
	for carrier, open := range carriers {
		t.Run(carrier, func(t *testing.T) {
			t.Parallel()
			arrived, ended := make(chan struct{}), make(chan struct{}, 2)
			c := open(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				arrived <- struct{}{}
				<-r.Context().Done()
				ended <- struct{}{}
			}))
			for call, want := range map[*tools.Call]details{ptr(saving(f)): lostWrite(nil), ptr(reading(f)): nil} {
				ctx, cancel := context.WithCancel(t.Context())
				go func() { <-arrived; cancel() }()
				_, err := c.Call(ctx, *call)
				if d := cmp.Diff(want, coded(t, err, tools.CodeCancelled).Details); d != "" {
					t.Errorf("-want +got\n%s", d)
				}
				<-ended // the handler learns of it as well
			}
		})
	}
}

// TestReused: a pooled connection that dies under a POST is not tried again by
// net/http behind our back; under a GET it may be.
func TestReused(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.token = ""
	var posts, gets atomic.Int32
	c := kernel.New(kernel.Config{URL: raw(t, func(n int, c net.Conn, r *bufio.Reader) {
		for i := 1; ; i++ {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			map[string]*atomic.Int32{"GET": &gets, "POST": &posts}[req.Method].Add(1)
			if n == 1 && i == 2 { // taken, and then the line goes dead
				io.Copy(io.Discard, req.Body)
				return
			}
			rec := httptest.NewRecorder()
			f.ServeHTTP(rec, req)
			io.Copy(io.Discard, req.Body)
			resp := rec.Result()
			resp.ContentLength = int64(rec.Body.Len())
			resp.Write(c)
		}
	})})
	t.Cleanup(c.Close)
	if _, err := c.Call(t.Context(), reading(f)); err != nil {
		t.Fatal(err)
	}
	_, err := c.Call(t.Context(), saving(f))
	if d := cmp.Diff(lostWrite(nil), coded(t, err, tools.CodeTimeout).Details); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if n := posts.Load(); n != 2 {
		t.Errorf("the kernel saw %d POSTs, want 2: the write went out once", n)
	}
	if _, err := c.Manifest(t.Context(), ""); err != nil {
		t.Errorf("a new connection serves the next request: %v", err)
	}
}

// deaf is a connection that takes not one byte once it is told to.
type deaf struct {
	net.Conn
	dead *atomic.Bool
}

func (c deaf) Write(b []byte) (int, error) {
	if c.dead.Load() {
		return 0, errors.New("the line is dead")
	}
	return c.Conn.Write(b)
}

// TestReusedNothingWritten: where the dead connection took no byte, net/http
// tries another one by itself, and if there is none, nothing was sent.
func TestReusedNothingWritten(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.token = ""
	url := serve(t, f)
	for name, tc := range map[string]struct {
		redial bool
		code   tools.Code
	}{
		"another connection": {redial: true},
		"none":               {code: tools.CodeKernelUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var dials atomic.Int32
			var dead atomic.Bool
			tr := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				n := dials.Add(1)
				if n > 1 && !tc.redial {
					return nil, errors.New("connection refused")
				}
				conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
				if err != nil || n > 1 {
					return conn, err
				}
				return deaf{conn, &dead}, nil
			}}
			defer tr.CloseIdleConnections()
			c := kernel.New(kernel.Config{URL: url, Client: &http.Client{Transport: tr}})
			if _, err := c.Call(t.Context(), reading(f)); err != nil {
				t.Fatal(err)
			}
			dead.Store(true)
			call := saving(f)
			call.IdempotencyKey = tools.Key("idem " + name)
			env, err := c.Call(t.Context(), call)
			if tc.code == "" {
				if err != nil || !env.OK || env.Audit.Replayed {
					t.Errorf("%v %s", err, env.JSON())
				}
				return
			}
			if d := cmp.Diff(details{"reason": "refused"}, coded(t, err, tc.code).Details); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// TestRedirect: the token and a write go to no other host, and a write goes
// nowhere a second time.
func TestRedirect(t *testing.T) {
	t.Parallel()
	var strangers atomic.Int32
	elsewhere := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	f := newFake()
	mux := http.NewServeMux()
	mux.Handle("/moved/", http.StripPrefix("/moved", f))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/near/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/moved"+strings.TrimPrefix(r.URL.RequestURI(), "/near"), http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/loop/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.RequestURI(), http.StatusFound)
	})
	url := serve(t, mux)
	for path, manifest := range map[string]tools.Code{"": tools.CodeContractViolation, "/near": "", "/loop": tools.CodeContractViolation} {
		c := kernel.New(kernel.Config{URL: url + path, Token: token})
		t.Cleanup(c.Close)
		_, err := c.Call(t.Context(), saving(f))
		coded(t, err, tools.CodeContractViolation)
		_, err = c.Manifest(t.Context(), "")
		if manifest == "" && err != nil {
			t.Errorf("%s: a read follows a redirect within its origin: %v", path, err)
		}
		if manifest != "" {
			coded(t, err, manifest)
		}
	}
	if strangers.Load() != 0 || f.Effects() != 0 {
		t.Errorf("another host was asked %d times, %d writes happened", strangers.Load(), f.Effects())
	}
}

func TestHugeBody(t *testing.T) {
	t.Parallel()
	f := newFake()
	announced := func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99999999999") }
	endless := func(w http.ResponseWriter, _ *http.Request) {
		for chunk := make([]byte, 1<<20); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
	for name, tc := range map[string]struct {
		open   func(testing.TB, http.Handler) *kernel.Client
		answer http.HandlerFunc
	}{
		"announced": {overHTTP, announced}, "endless": {inProcess, endless},
	} {
		t.Run(name, func(t *testing.T) {
			c := tc.open(t, tc.answer)
			_, err := c.Call(t.Context(), reading(f))
			e := coded(t, err, tools.CodePayloadTooLarge)
			if d := cmp.Diff(details{"limitBytes": 64 << 20}, e.Details); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if name != "announced" {
				return // the same answer again costs its whole length
			}
			_, err = c.Call(t.Context(), saving(f))
			if d := cmp.Diff(lostWrite(nil), coded(t, err, tools.CodeContractViolation).Details); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			_, err = c.Manifest(t.Context(), "")
			coded(t, err, tools.CodeContractViolation)
		})
	}
}

// TestETag: an etag that holds costs no body.
func TestETag(t *testing.T) {
	t.Parallel()
	for carrier, open := range carriers {
		t.Run(carrier, func(t *testing.T) {
			t.Parallel()
			c := open(t, newFake())
			m, err := c.Manifest(t.Context(), "")
			if err != nil || m.ETag == "" || len(m.Tools) == 0 || len(m.Raw) == 0 {
				t.Fatalf("%v %q %d", err, m.ETag, len(m.Tools))
			}
			if _, err := c.Manifest(t.Context(), m.ETag); !errors.Is(err, capabilities.ErrNotModified) {
				t.Errorf("got %v", err)
			}
		})
	}
}
