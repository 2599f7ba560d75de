package kernel_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

// TestSameBytes: what a handler answers in process is what it answers over a
// wire.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 20<<10)
	for name, h := range map[string]http.HandlerFunc{
		"nothing":      func(http.ResponseWriter, *http.Request) {},
		"text":         func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") },
		"json":         reply(200, `{"a":1}`, "Content-Type", "application/json", "X-One", "1"),
		"late header":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418); w.Header().Set("X-Late", "1") },
		"two statuses": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404); w.WriteHeader(200) },
		"early hints":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); io.WriteString(w, "x") },
		"no content":   reply(204, ""),
		"not modified": reply(304, "", "ETag", `"x"`),
		"body on 204":  reply(204, "no"),
		"long":         func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, long) },
		"long in bits": func(w http.ResponseWriter, _ *http.Request) {
			for i := range 4096 {
				io.WriteString(w, long[i*80:(i+1)*80])
			}
		},
		"flushed": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "a")
			w.(http.Flusher).Flush()
			io.WriteString(w, "b")
		},
		"flushed first": func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush(); io.WriteString(w, "<html>") },
		"echo": func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			io.WriteString(w, r.Method+" "+r.URL.String()+" "+r.RequestURI+" "+r.Header.Get("X-In")+" "+r.Proto+" ")
			w.Write(body)
			if err != nil || r.URL.IsAbs() || r.RemoteAddr == "" || r.Host == "" {
				io.WriteString(w, "not a server's request")
			}
		},
	} {
		for _, method := range []string{"GET", "POST", "HEAD"} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				wire := http.Client{Transport: &http.Transport{DisableCompression: true}}
				defer wire.CloseIdleConnections()
				want := exchanged(t, &wire, method, serve(t, h))
				got := exchanged(t, &http.Client{Transport: kernel.InProcess(h)}, method, "http://kernel.test")
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("-wire +in process\n%s", d)
				}
			})
		}
	}
}

type exchange struct {
	Status, Body string
	Header       http.Header
}

func exchanged(t *testing.T, c *http.Client, method, url string) exchange {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url+"/a%20b/c?q=1&q=2", strings.NewReader("in"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-In", "given")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	// A clock, and how the length travels, are the wire's own.
	for _, h := range []string{"Date", "Content-Length", "Transfer-Encoding", "Connection"} {
		resp.Header.Del(h)
	}
	return exchange{resp.Status, string(body), resp.Header}
}

// TestPanic: a handler that panics is a 500 and tells the client nothing; the
// log gets the stack and not what the panic said, which may be page content.
func TestPanic(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"at once":  func(http.ResponseWriter, *http.Request) { panic("page content") },
		"half way": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"ok":true`); panic("page content") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			c := kernel.New(kernel.Config{Client: &http.Client{Transport: kernel.InProcess(h)}, Log: zerolog.New(&log)})
			_, err := c.Call(t.Context(), saving(newFake()))
			e := coded(t, err, tools.CodeContractViolation)
			if d := cmp.Diff(lostWrite(details{"status": 500}), e.Details); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if all := e.Error() + log.String(); strings.Contains(all, "page content") || !strings.Contains(all, "inprocess_test.go") {
				t.Errorf("want the stack and not what was said: %s", all)
			}
		})
	}
}

// TestPanicLate: after the answer began to stream it breaks off, as over a wire;
// so does one that the handler aborts.
func TestPanicLate(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"streaming": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "{")
			w.(http.Flusher).Flush()
			panic("late")
		},
		"aborted": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := inProcess(t, h).Call(t.Context(), saving(newFake()))
			if d := cmp.Diff(lostWrite(nil), coded(t, err, tools.CodeTimeout).Details); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// TestStreamBounded: a handler goes no faster than its reader, and ends when the
// reader leaves; no goroutine stays behind (synctest would not return).
func TestStreamBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		written := 0
		var failed error
		rt := kernel.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for failed == nil {
				var n int
				n, failed = w.Write(make([]byte, 10_000))
				written += n
			}
			<-r.Context().Done()
		}))
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://kernel.test/", nil)
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if written > 300_000 {
			t.Errorf("%d bytes were written that nobody reads", written)
		}
		resp.Body.Close()
		synctest.Wait()
		if !errors.Is(failed, io.ErrClosedPipe) {
			t.Errorf("the handler was told %v", failed)
		}
	})
}

// TestInProcessDeadline: a handler that hangs costs the deadline and no more,
// before its answer and in the middle of it.
func TestInProcessDeadline(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		call tools.Call
		want time.Duration
	}{"read": {reading(newFake()), 30 * time.Second}, "write": {saving(newFake()), 60 * time.Second}} {
		for when, first := range map[string]string{"before": "", "midway": "{"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c := inProcess(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if first != "" {
							io.WriteString(w, first)
							w.(http.Flusher).Flush()
						}
						<-r.Context().Done()
					}))
					start := time.Now()
					_, err := c.Call(t.Context(), tc.call)
					coded(t, err, tools.CodeTimeout)
					if took := time.Since(start); took != tc.want {
						t.Errorf("took %v, want %v", took, tc.want)
					}
				})
			})
		}
	}
}

// TestInProcessContext: of the caller's context only its end gets through.
func TestInProcessContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, 1), time.Hour)
	defer cancel()
	rt := kernel.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, has := r.Context().Deadline(); has || r.Context().Value(key{}) != nil {
			io.WriteString(w, "more than the end")
		}
	}))
	req, _ := http.NewRequestWithContext(ctx, "GET", "http://kernel.test/", nil)
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(resp.Body); len(body) > 0 {
		t.Errorf("%s", body)
	}
}
