package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The tests of this file are the rows of a table of what goes wrong in other
// stdio loops; the number is the row's.

// slow answers after a time, or with its context's end.
func slow(d time.Duration) script {
	return script{request: func(ctx context.Context, r Request) Reply {
		if r.Method != "slow" {
			return ok()
		}
		select {
		case <-time.After(d):
			return ok()
		case <-ctx.Done():
			return Reply{Fault: InternalFault()}
		}
	}}
}

func TestTrap01TenCallsThenEOF(t *testing.T) {
	talk(t, Config{}, slow(100*time.Millisecond), func(s *session) {
		var piped strings.Builder
		want := map[string]bool{}
		for i := range 10 {
			fmt.Fprintf(&piped, `{"jsonrpc":"2.0","id":%d,"method":"slow"}`+"\n", i)
			want[fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i)] = true
		}
		s.send(piped.String())
		_ = s.in.Close()
		s.wantEnd(nil, 100*time.Millisecond)
		got := map[string]bool{}
		for line := range s.lines {
			got[line] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answers differ (-want +got):\n%s", diff)
		}
	})
}

func TestTrap02CallRunningAtEOFFinishes(t *testing.T) {
	talk(t, Config{}, slow(4*time.Second), func(s *session) {
		s.call("1", "slow", "{}")
		_ = s.in.Close()
		s.wantEnd(nil, 4*time.Second)
		s.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

// Past the drain time a call is cancelled; what it still says goes out.
func TestTrap02CallRunningPastTheDrainTime(t *testing.T) {
	talk(t, Config{}, slow(time.Hour), func(s *session) {
		s.call("1", "slow", "{}")
		_ = s.in.Close()
		s.wantEnd(nil, 5*time.Second)
		s.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}`)
	})
}

func TestTrap03LastLineWithoutLineEnd(t *testing.T) {
	talk(t, Config{}, script{}, func(s *session) {
		s.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		_ = s.in.Close()
		s.wantEnd(nil, 0)
		s.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

func TestTrap04CancelledRequestGetsNoAnswer(t *testing.T) {
	for name, h := range map[string]script{
		"handler stops": slow(time.Hour),
		"handler goes on": {request: func(_ context.Context, r Request) Reply {
			if r.Method == "slow" {
				time.Sleep(time.Second)
			}
			return ok()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			talk(t, Config{}, h, func(s *session) {
				s.call("1", "slow", "{}")
				synctest.Wait()
				s.cancelCall("1")
				s.call("1", "ping", "{}") // the id is free at once
				time.Sleep(time.Minute)
				s.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
				s.wantNone()
				if n := s.peer.InFlight(); n != 0 {
					t.Errorf("%d requests are still in flight", n)
				}
			})
		})
	}
}

func TestTrap05CancelRightBehindTheCall(t *testing.T) {
	var causes atomic.Int32
	h := script{request: func(ctx context.Context, r Request) Reply {
		if r.Method != "slow" {
			return ok()
		}
		<-ctx.Done()
		if context.Cause(ctx) == ErrCancelled {
			causes.Add(1)
		}
		return ok()
	}}
	talk(t, Config{MaxInFlight: 1000}, h, func(s *session) {
		for i := range 500 { // one write: the cancel is there before the handler runs
			s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"slow"}`+"\n"+
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i, i))
		}
		s.wantNone()
		if n := s.peer.InFlight(); n != 0 {
			t.Errorf("%d calls run on after their cancel", n)
		}
		s.wantAlive()
	})
}

// progress notifies right before it answers.
func progress(peer **Peer) script {
	return script{request: func(ctx context.Context, r Request) Reply {
		if err := (*peer).Notify(ctx, "notifications/progress", json.RawMessage(`{"progressToken":`+string(r.ID)+`}`)); err != nil {
			return Reply{Fault: InternalFault()}
		}
		return ok()
	}}
}

func TestTrap06ProgressNeverFollowsItsAnswer(t *testing.T) {
	var peer *Peer
	talk(t, Config{}, progress(&peer), func(s *session) {
		peer = s.peer
		for i := range 500 {
			s.call(strconv.Itoa(i), "work", "{}")
			s.want(
				fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d}}`, i),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
		}
	})
}

func TestTrap07ProgressOf200AtOnce(t *testing.T) {
	var peer *Peer
	talk(t, Config{}, progress(&peer), func(s *session) {
		peer = s.peer
		for round := range 5 {
			var calls strings.Builder
			for i := range 200 {
				fmt.Fprintf(&calls, `{"jsonrpc":"2.0","id":%d,"method":"work"}`+"\n", round*200+i)
			}
			s.send(calls.String())
			started := map[string]bool{}
			for range 400 {
				line := s.next()
				_, token, isNote := strings.Cut(line, `"progressToken":`)
				if isNote {
					started[strings.TrimRight(token, "}")] = true
					continue
				}
				id, _, _ := strings.Cut(strings.TrimPrefix(line, `{"jsonrpc":"2.0","id":`), ",")
				if !started[id] {
					t.Errorf("call %s was answered before its progress", id)
				}
			}
		}
	})
}

func TestTrap08SixtyFourAtOnce(t *testing.T) {
	talk(t, Config{}, slow(20*time.Millisecond), func(s *session) {
		start := time.Now()
		for i := range 64 {
			s.call(strconv.Itoa(i), "slow", "{}")
		}
		for range 64 {
			s.next()
		}
		if took := time.Since(start); took != 20*time.Millisecond {
			t.Errorf("64 calls of 20 ms took %v", took)
		}
	})
}

func TestTrap09MoreThanMayRunWaitAndDoNotBlock(t *testing.T) {
	var running, most atomic.Int32
	h := script{
		inline: func(m string) bool { return m == "ping" },
		request: func(ctx context.Context, r Request) Reply {
			if r.Method == "ping" {
				return ok()
			}
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			<-ctx.Done()
			return ok()
		},
	}
	talk(t, Config{MaxInFlight: 4}, h, func(s *session) {
		for i := range 40 {
			s.call(strconv.Itoa(i), "slow", "{}")
		}
		s.wantAlive() // the read loop is free
		synctest.Wait()
		for i := range 40 {
			s.cancelCall(strconv.Itoa(39 - i)) // those that wait first
		}
		s.wantNone()
		if n := s.peer.InFlight(); n != 0 || most.Load() != 4 {
			t.Errorf("%d in flight after all were cancelled; %d ran at once, want 4", n, most.Load())
		}
	})
}

func TestTrap10PipelinedInitializeIsAnsweredFirst(t *testing.T) {
	var initialized atomic.Bool
	h := script{request: func(_ context.Context, r Request) Reply {
		if r.Method == "initialize" {
			time.Sleep(time.Second)
			initialized.Store(true)
		} else if !initialized.Load() {
			return Reply{Fault: RequestFault("not initialized")}
		}
		return ok()
	}}
	talk(t, Config{}, h, func(s *session) {
		s.send(`{"jsonrpc":"2.0","id":1,"method":"initialize"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
		s.want(`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	})
}

// A subscription is a request that stays open: its cancel gets no answer, it
// holds up neither others nor the end, where it may still be answered.
func TestTrap12SubscriptionsStayOpen(t *testing.T) {
	var peer *Peer
	h := script{request: func(ctx context.Context, r Request) Reply {
		if r.Method == "listen" {
			peer.KeepOpen(ctx)
			select {
			case <-ctx.Done():
			case <-peer.Closing():
			}
		}
		return ok()
	}}
	talk(t, Config{MaxInFlight: 1}, h, func(s *session) {
		peer = s.peer
		s.call("1", "listen", "{}")
		synctest.Wait()
		s.call("2", "listen", "{}")
		synctest.Wait()
		s.wantAlive() // the one place is free
		s.cancelCall("1")
		s.wantNone()
		_ = s.in.Close()
		s.wantEnd(nil, 0)
		s.want(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	})
}

func TestTrap15MalformedLinesGetAnErrorAndNoMore(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"not JSON":        {`{nope`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: invalid character 'n' looking for beginning of object key string"}}`},
		"cut off":         {`{"jsonrpc":"2.0","id":1,`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: unexpected end of JSON input"}}`},
		"not UTF-8":       {"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: the line is not UTF-8"}}`},
		"text":            {`hello`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: invalid character 'h' looking for beginning of value"}}`},
		"deep":            {strings.Repeat("[", 20000), `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: invalid character '[' exceeded max depth"}}`},
		"headers":         {"Content-Length: 40\r\n\r", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: found a Content-Length header; this connection is one JSON object a line, without headers"}}`},
		"headers between": {`{"jsonrpc":"2.0","id":1,"method":"x"}Content-Length: 40` + "\r", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: found a Content-Length header; this connection is one JSON object a line, without headers"}}`},
		"batch":           {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: batches are not part of this protocol version; send one JSON object a line"}}`},
		"a number":        {`7`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the message must be a JSON object"}}`},
		"wrong jsonrpc":   {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: \"jsonrpc\" must be \"2.0\""}}`},
		"no jsonrpc":      {`{"id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"Invalid request: \"jsonrpc\" must be \"2.0\""}}`},
		"no method":       {`{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: \"method\" must be a string"}}`},
		"odd method":      {`{"jsonrpc":"2.0","id":1,"method":["ping"]}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: \"method\" must be a string"}}`},
		"null id":         {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the id must be a string or a number"}}`},
		"object id":       {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the id must be a string or a number"}}`},
		"two ids":         {`{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: id stands in the message twice"}}`},
		"scalar params":   {`{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params must be an object or an array"}}`},
		"scalar note":     {`{"jsonrpc":"2.0","method":"note","params":"x"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			talk(t, Config{}, script{}, func(s *session) {
				s.send(c.in + "\n")
				if c.want != "" {
					s.want(c.want)
				}
				s.wantNone()
				s.wantAlive()
			})
		})
	}
}

func TestTrap15FaultsWithNullID(t *testing.T) {
	talk(t, Config{NullID: true}, script{}, func(s *session) {
		s.send("{nope\n")
		s.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: invalid character 'n' looking for beginning of object key string"}}`)
	})
}

func TestTrap16BlankLinesAreIgnored(t *testing.T) {
	talk(t, Config{}, script{}, func(s *session) {
		s.send("\uFEFF\n\n \t\r\n\r\n")
		s.wantNone()
		s.wantAlive()
		s.send("\uFEFF\n") // a byte order mark begins a stream, not a line
		s.want(`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: invalid character 'ï' looking for beginning of value"}}`)
	})
}

func TestTrap17AnswersNobodyAskedForAreIgnored(t *testing.T) {
	talk(t, Config{}, script{}, func(s *session) {
		for _, answer := range []string{
			`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}`,
			`{"jsonrpc":"2.0","id":"x","result":{}}`,
			`{"jsonrpc":"2.0","error":{"code":1.5}}`,
			`{"jsonrpc":"2.0","id":{},"result":null}`,
		} {
			s.send(answer + "\n")
		}
		s.wantNone()
		s.wantAlive()
	})
}

func TestTrap18IDsAreEchoedAsSent(t *testing.T) {
	for _, id := range []string{
		`0`, `-1`, `-0`, `1.5`, `1.0`, `1E2`, `9007199254740993`, `12345678901234567890123`,
		`"s"`, `""`, `"1"`, `"\u00e9\/"`, `"日本"`,
	} {
		t.Run(id, func(t *testing.T) {
			h := script{request: func(_ context.Context, r Request) Reply { return Reply{Result: r.ID} }}
			talk(t, Config{}, h, func(s *session) {
				s.call(id, "echo", "{}")
				s.want(`{"jsonrpc":"2.0","id":` + id + `,"result":` + id + `}`)
			})
		})
	}
}

func TestTrap19LinesUpToTheLimitAndAbove(t *testing.T) {
	h := script{request: func(_ context.Context, r Request) Reply {
		return Reply{Result: json.RawMessage(strconv.Itoa(len(r.Params)))}
	}}
	line := func(size int) string {
		head, tail := `{"jsonrpc":"2.0","method":"size","params":["`, `"],"id":1}`
		return head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	}
	const overhead = len(`{"jsonrpc":"2.0","method":"size","params":,"id":1}`)
	for _, size := range []int{65535, 65536, 65537, 5 << 20, 16 << 20} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			talk(t, Config{}, h, func(s *session) {
				s.send(line(size) + "\r\n")
				s.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":%d}`, size-overhead))
			})
		})
	}
	for _, size := range []int{16<<20 + 1, 20 << 20} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			talk(t, Config{}, h, func(s *session) {
				s.send(line(size) + "\n")
				s.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: a line of %d bytes is longer than the limit of 16777216"}}`, size))
				s.call("2", "size", "[]")
				s.want(`{"jsonrpc":"2.0","id":2,"result":2}`)
			})
		})
	}
}

func TestTrap20HandlerThatIgnoresItsContext(t *testing.T) {
	h := script{request: func(context.Context, Request) Reply { time.Sleep(time.Minute); return ok() }}
	talk(t, Config{}, h, func(s *session) {
		s.call("1", "work", "{}")
		synctest.Wait()
		reason := &End{}
		s.stop(reason)
		s.wantEnd(reason, time.Second)
		time.Sleep(time.Minute) // the bubble waits for the handler
	})
}

// Nothing is written once Run has returned.
func TestTrap20LateAnswerIsNotWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		h := script{request: func(context.Context, Request) Reply { time.Sleep(time.Minute); return ok() }}
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"work"}`)
		if err := NewPeer(Config{In: in, Out: &out, Handler: h}).Run(t.Context()); err != nil {
			t.Errorf("Run: %v", err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if out.Len() > 0 {
			t.Errorf("written after the end: %s", out.String())
		}
	})
}

func TestTrap22PanicsTellNothing(t *testing.T) {
	var logged bytes.Buffer
	h := script{
		request: func(_ context.Context, r Request) Reply {
			if r.Method == "panic" {
				panic("secret of a page")
			}
			return ok()
		},
		notification: func(context.Context, Request) { panic(fmt.Errorf("secret of a page")) },
	}
	talk(t, Config{Log: logTo(&logged)}, h, func(s *session) {
		s.call("1", "panic", "{}")
		s.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}`)
		s.send(`{"jsonrpc":"2.0","method":"note"}` + "\n")
		s.wantAlive()
		if log := logged.String(); !strings.Contains(log, "traps_test.go") || strings.Contains(log, "secret") {
			t.Errorf("the log must have the place and not the text of a panic:\n%s", log)
		}
	})
}

func TestTrap24TextIsNotEscaped(t *testing.T) {
	var peer *Peer
	h := script{request: func(ctx context.Context, _ Request) Reply {
		_ = peer.Notify(ctx, "a&b", map[string]string{"text": "<b>&\u2028"})
		return Reply{Fault: &Fault{Code: 1, Message: "<&>", Data: json.RawMessage(`{"x":"<"}`)}}
	}}
	talk(t, Config{}, h, func(s *session) {
		peer = s.peer
		s.call("1", "work", "{}")
		s.want(
			`{"jsonrpc":"2.0","method":"a&b","params":{"text":"<b>&\u2028"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"<&>","data":{"x":"<"}}}`)
	})
}
