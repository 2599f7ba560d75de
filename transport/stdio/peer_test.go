package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Nothing is written that was not caused: no request before the peer is ready
// (L3), none at all by the loop itself (M8), no answer to a notification (L5).
func TestPeerIsSilentByItself(t *testing.T) {
	talk(t, Config{}, script{}, func(s *session) {
		time.Sleep(time.Hour)
		s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","method":"unknown","params":null}` + "\n")
		s.wantNone()
	})
}

// L1: one message a line, whatever the handler gives.
func TestPeerKeepsAnswersOnOneLine(t *testing.T) {
	for name, c := range map[string]struct{ result, want string }{
		"indented": {"{\n \"a\": \"<\\n\"\n}", `"result":{"a":"<\n"}`},
		"as given": {`{ "a": 1.0}`, `"result":{ "a": 1.0}`},
		"broken":   {"{\n", `"error":{"code":-32603,"message":"Internal error"}`},
		"nothing":  {"", `"error":{"code":-32603,"message":"Internal error"}`},
	} {
		t.Run(name, func(t *testing.T) {
			h := script{request: func(context.Context, Request) Reply { return Reply{Result: json.RawMessage(c.result)} }}
			talk(t, Config{}, h, func(s *session) {
				s.call("1", "x", "{}")
				s.want(`{"jsonrpc":"2.0","id":1,` + c.want + `}`)
			})
		})
	}
}

func TestPeerHandsOnWhatWasSent(t *testing.T) {
	var got []Request
	h := script{
		request:      func(_ context.Context, r Request) Reply { got = append(got, r); return ok() },
		notification: func(_ context.Context, r Request) { got = append(got, r) },
	}
	talk(t, Config{}, h, func(s *session) {
		s.send(" {\"params\": {\"a\" : 1.0, \"b\":\"\\u0062\"} , \"id\":\"\\u0031\",\"extra\":[\"}\"],\"jsonrpc\":\"2.0\",\"method\":\"tools\\/call\"}\r\n")
		s.next()
		s.send(`{"jsonrpc":"2.0","method":"note","params":[]}` + "\n" + `{"jsonrpc":"2.0","method":"note"}` + "\n")
		s.wantNone()
		want := []Request{
			{ID: json.RawMessage(`"\u0031"`), Method: "tools/call", Params: json.RawMessage(`{"a" : 1.0, "b":"\u0062"}`)},
			{Method: "note", Params: json.RawMessage(`[]`)},
			{Method: "note"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("requests differ (-want +got):\n%s", diff)
		}
	})
}

func TestPeerRefusesAnIDThatIsInFlight(t *testing.T) {
	talk(t, Config{}, slow(time.Second), func(s *session) {
		s.call(`"\u0061"`, "slow", "{}")
		s.call(`"a"`, "ping", "{}")
		s.want(`{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"Invalid request: a request with this id is in flight already"}}`)
		s.want(`{"jsonrpc":"2.0","id":"\u0061","result":{}}`)
		s.call(`"a"`, "ping", "{}") // free again
		s.want(`{"jsonrpc":"2.0","id":"a","result":{}}`)
	})
}

// A client that numbers every call 1 is served: the id is free as soon as its
// answer can be read.
func TestPeerServesTheSameIDAgainAndAgain(t *testing.T) {
	talk(t, Config{}, script{}, func(s *session) {
		for range 1000 {
			s.call("1", "ping", "{}")
			s.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		}
	})
}

func TestPeerCancels(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		cancel string
	}{
		"MCP":               {Config{}, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"no","requestId":7}}`},
		"other method":      {Config{CancelMethod: "$/cancel_request"}, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}`},
		"unknown ids first": {Config{}, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"7"}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled"}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`},
	} {
		t.Run(name, func(t *testing.T) {
			talk(t, c.config, slow(time.Hour), func(s *session) {
				s.call("7", "slow", "{}")
				s.send(c.cancel + "\n")
				s.wantNone()
				if n := s.peer.InFlight(); n != 0 {
					t.Errorf("%d in flight after the cancel", n)
				}
				s.call("7", "ping", "{}") // the id is free
				s.want(`{"jsonrpc":"2.0","id":7,"result":{}}`)
			})
		})
	}
}

// A cancel counts as long as the answer is not on its way: also when the answer
// is ready and waits behind a peer that does not read.
func TestPeerCancelsAnAnswerThatWaitsForThePipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Config{}, script{})
		s.call("1", "ping", "{}") // its answer is being written
		synctest.Wait()
		s.call("2", "ping", "{}") // its answer is queued
		s.call("3", "ping", "{}")
		synctest.Wait()
		s.cancelCall("2")
		synctest.Wait()
		go s.collect()
		s.want(`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":3,"result":{}}`)
		s.wantNone()
		s.end()
	})
}

func TestPeerTellsWhenAReplyIsWritten(t *testing.T) {
	var written []string
	h := script{request: func(ctx context.Context, r Request) Reply {
		if r.Method == "slow" {
			<-ctx.Done()
		}
		return Reply{Result: json.RawMessage(`{}`), Written: func() { written = append(written, string(r.ID)) }}
	}}
	talk(t, Config{}, h, func(s *session) {
		s.call("1", "ping", "{}")
		s.next()
		s.call("2", "slow", "{}")
		s.cancelCall("2")
		s.call("3", "ping", "{}")
		s.next()
		synctest.Wait()
		if diff := cmp.Diff([]string{"1", "3"}, written); diff != "" {
			t.Errorf("written differs (-want +got):\n%s", diff)
		}
	})
}

func TestNotify(t *testing.T) {
	t.Run("for the connection", func(t *testing.T) {
		talk(t, Config{}, script{}, func(s *session) {
			for _, params := range []any{nil, json.RawMessage(nil), json.RawMessage("{ \"a\":\n1}"), []int{1}} {
				if err := s.peer.Notify(context.Background(), "n", params); err != nil {
					t.Errorf("Notify: %v", err)
				}
			}
			s.want(`{"jsonrpc":"2.0","method":"n"}`, `{"jsonrpc":"2.0","method":"n"}`,
				`{"jsonrpc":"2.0","method":"n","params":{"a":1}}`, `{"jsonrpc":"2.0","method":"n","params":[1]}`)
			if err := s.peer.Notify(context.Background(), "n", func() {}); err == nil {
				t.Error("params that are no JSON must be an error")
			}
		})
	})
	t.Run("dropped after the reply and after a cancel", func(t *testing.T) {
		var ctxs []context.Context
		h := script{request: func(ctx context.Context, r Request) Reply {
			ctxs = append(ctxs, ctx)
			if r.Method == "slow" {
				<-ctx.Done()
			}
			return ok()
		}}
		talk(t, Config{}, h, func(s *session) {
			s.call("1", "ping", "{}")
			s.next()
			s.call("2", "slow", "{}")
			synctest.Wait()
			s.cancelCall("2")
			synctest.Wait()
			for _, ctx := range ctxs {
				if err := s.peer.Notify(ctx, "notifications/progress", nil); err != nil {
					t.Errorf("a late notification is dropped without an error, got %v", err)
				}
			}
			s.wantNone()
		})
	})
	t.Run("waits for the peer, but not longer than its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := open(t, Config{}, script{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := s.peer.Notify(ctx, "n", nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Notify returned %v", err)
			}
			go s.collect()
			s.end()
		})
	})
	t.Run("after the end", func(t *testing.T) {
		talk(t, Config{}, script{}, func(s *session) {
			_ = s.in.Close()
			s.wantEnd(nil, 0)
			if err := s.peer.Notify(context.Background(), "n", nil); !errors.Is(err, ErrClosed) {
				t.Errorf("Notify returned %v", err)
			}
		})
	})
}

func TestWhenIdle(t *testing.T) {
	talk(t, Config{}, slow(time.Second), func(s *session) {
		announce := func() {
			time.Sleep(time.Second) // requests that come meanwhile wait
			_ = s.peer.Notify(context.Background(), "list_changed", nil)
		}
		s.call("1", "slow", "{}")
		synctest.Wait()
		s.peer.WhenIdle(announce)
		time.Sleep(500 * time.Millisecond)
		s.call("2", "slow", "{}") // overlaps the first
		s.want(`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
		synctest.Wait() // announce runs
		s.call("3", "ping", "{}")
		s.call("4", "initialize", "{}")
		s.want(`{"jsonrpc":"2.0","method":"list_changed"}`)
		for range 2 {
			if line := s.next(); !strings.Contains(line, `"result"`) {
				t.Errorf("unexpected %s", line)
			}
		}
		s.peer.WhenIdle(func() { panic("x") }) // at once, and fenced
		s.peer.WhenIdle(announce)
		s.want(`{"jsonrpc":"2.0","method":"list_changed"}`)
		s.wantAlive()
	})
}

func TestRunEnds(t *testing.T) {
	boom := errors.New("boom")
	t.Run("with the error of stdin, after what is in flight", func(t *testing.T) {
		talk(t, Config{}, slow(time.Second), func(s *session) {
			s.call("1", "slow", "{}")
			_ = s.in.CloseWithError(boom)
			s.wantEnd(boom, time.Second)
			s.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		})
	})
	t.Run("with the error of stdout, at once", func(t *testing.T) {
		talk(t, Config{}, script{}, func(s *session) {
			_ = s.out.CloseWithError(boom)
			s.call("1", "ping", "{}")
			s.wantEnd(boom, 0)
			if err := s.peer.Notify(context.Background(), "n", nil); !errors.Is(err, ErrClosed) {
				t.Errorf("Notify returned %v", err)
			}
		})
	})
	t.Run("with its context, which cancels what runs", func(t *testing.T) {
		talk(t, Config{}, slow(time.Hour), func(s *session) {
			s.call("1", "slow", "{}")
			synctest.Wait()
			s.stop(boom)
			s.wantEnd(boom, 0)
			s.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}`)
		})
	})
	t.Run("with its context while it drains", func(t *testing.T) {
		talk(t, Config{}, slow(time.Hour), func(s *session) {
			s.call("1", "slow", "{}")
			_ = s.in.Close()
			synctest.Wait()
			s.stop(boom)
			s.wantEnd(boom, 0)
		})
	})
	t.Run("although nobody reads", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := open(t, Config{}, script{})
			s.call("1", "ping", "{}")
			_ = s.in.Close()
			s.wantEnd(nil, 6*time.Second) // drain and grace
			go s.collect()
			s.end()
		})
	})
	t.Run("after it wrote the last fault", func(t *testing.T) {
		talk(t, Config{}, script{}, func(s *session) {
			s.send("{nope")
			_ = s.in.Close()
			s.wantEnd(nil, 0)
			if line := s.next(); !strings.Contains(line, "-32700") {
				t.Errorf("got %s", line)
			}
		})
	})
}

// The read loop stops reading when what it took piles up, and goes on later:
// memory is bounded and nothing is lost.
func TestPeerHoldsBackAPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Config{MaxInFlight: 2}, script{})
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for i := range 500 {
				s.call(fmt.Sprint(i), "ping", "{}")
				s.send("{nope\n")
			}
		}()
		synctest.Wait()
		if n := s.peer.InFlight(); n > 40 {
			t.Errorf("%d requests were taken while the peer did not read", n)
		}
		select {
		case <-sent:
			t.Error("everything was read although nobody takes the answers")
		default:
		}
		go s.collect()
		for range 1000 {
			s.next()
		}
		s.end()
	})
}

// A handler that ends its goroutine must not take the request with it.
func TestPeerSurvivesGoexit(t *testing.T) {
	h := script{request: func(_ context.Context, r Request) Reply {
		if r.Method == "exit" {
			runtime.Goexit()
		}
		return ok()
	}}
	talk(t, Config{}, h, func(s *session) {
		s.call("1", "exit", "{}")
		s.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}`)
		s.wantAlive()
	})
}

// A request keeps the values of the context that Run was given, and contexts
// made from its own still find the request.
func TestPeerContexts(t *testing.T) {
	t.Parallel()
	type key struct{}
	var peer *Peer
	h := script{request: func(ctx context.Context, _ Request) Reply {
		child, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		if err := peer.Notify(context.WithoutCancel(child), "n", ctx.Value(key{})); err != nil {
			t.Errorf("Notify: %v", err)
		}
		return ok()
	}}
	var out bytes.Buffer
	peer = NewPeer(Config{In: strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"x"}`), Out: &out, Handler: h})
	if err := peer.Run(context.WithValue(t.Context(), key{}, "v")); err != nil {
		t.Errorf("Run: %v", err)
	}
	want := `{"jsonrpc":"2.0","method":"n","params":"v"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output differs (-want +got):\n%s", diff)
	}
}
