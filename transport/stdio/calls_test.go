package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// asking lets a request of the peer ask the peer back.
func asking(peer **Peer, outcome *error) script {
	return script{request: func(ctx context.Context, r Request) Reply {
		if r.Method != "ask" {
			return ok()
		}
		var answer struct{ Action string }
		err := (*peer).Call(ctx, "elicitation/create", map[string]string{"message": "ok?"}, &answer)
		if outcome != nil {
			*outcome = err
		}
		if err != nil {
			return Reply{Fault: InternalFault()}
		}
		b, _ := json.Marshal(answer.Action)
		return Reply{Result: b}
	}}
}

func TestCall(t *testing.T) {
	var peer *Peer
	// The peer's own ids 0, 1 and "h1" are in flight and stay what they are.
	talk(t, Config{CallPrefix: "h"}, asking(&peer, nil), func(s *session) {
		peer = s.peer
		s.call("0", "ask", "{}")
		s.want(`{"id":"h1","jsonrpc":"2.0","method":"elicitation/create","params":{"message":"ok?"}}`)
		s.call(`"h1"`, "ask", "{}")
		s.want(`{"id":"h2","jsonrpc":"2.0","method":"elicitation/create","params":{"message":"ok?"}}`)
		s.call("1", "ping", "{}")
		s.want(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		s.send(`{"jsonrpc":"2.0","id":"h2","result":{"action":"accept"}}` + "\n")
		s.want(`{"jsonrpc":"2.0","id":"h1","result":"accept"}`)
		s.send(`{"jsonrpc":"2.0","id":"h2","result":{"action":"again"}}` + "\n") // twice: dropped
		s.send(`{"jsonrpc":"2.0","id":"h9","result":{"action":"never asked"}}` + "\n")
		s.send(`{"jsonrpc":"2.0","id":"\u0068\u0031","result":{"action":"<decline>"}}` + "\n")
		s.want(`{"jsonrpc":"2.0","id":0,"result":"\u003cdecline\u003e"}`)
	})
}

// An answer that cannot be read fails its call; the ones after it go on.
func TestCallAnswers(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"fault":            {`"error":{"code":-32601,"message":"nope","data":{"a":1}}`, `{"code":-32601,"message":"nope","data":{"a":1}}`},
		"fault and null":   {`"result":null,"error":{"code":1,"message":"nope"}`, `{"code":1,"message":"nope"}`},
		"result and null":  {`"error":null,"result":{"action":"x"}`, ``},
		"null":             {`"result":null`, ``},
		"case variants":    {`"result":{"action":"x"},"Method":"x","ERROR":{},"Id":3`, ``},
		"odd fault":        {`"error":{"code":1.5,"message":[]}`, `{"code":-32603,"message":"the peer's answer is not a JSON-RPC response"}`},
		"text fault":       {`"error":"bad"`, `{"code":-32603,"message":"the peer's answer is not a JSON-RPC response"}`},
		"two results":      {`"result":{},"result":1`, `{"code":-32603,"message":"the peer's answer is not a JSON-RPC response"}`},
		"only null fault":  {`"error":null`, `{"code":-32603,"message":"the peer's answer is not a JSON-RPC response"}`},
		"wrong result":     {`"result":[]`, `other`},
		"unknown and more": {`"result":{"action":"x","more":1},"meta":{}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			var peer *Peer
			var outcome error
			talk(t, Config{CallPrefix: "h"}, asking(&peer, &outcome), func(s *session) {
				peer = s.peer
				s.call("1", "ask", "{}")
				s.next()
				s.send(`{"jsonrpc":"2.0","id":"h1",` + c.answer + "}\n")
				s.next()
				checkOutcome(t, c.want, outcome)
				s.call("2", "ask", "{}")
				s.next()
				s.send(`{"jsonrpc":"2.0","id":"h2","result":{"action":"fine"}}` + "\n")
				s.want(`{"jsonrpc":"2.0","id":2,"result":"fine"}`)
			})
		})
	}
}

// checkOutcome compares an error with a fault as JSON, "" for none, or "other"
// for an error that is no fault.
func checkOutcome(t *testing.T, want string, err error) {
	t.Helper()
	got := ""
	if fault, ok := errors.AsType[*Fault](err); ok {
		got = string(fault.encode())
	} else if err != nil {
		got = "other"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Call returned %v (-want +got):\n%s", err, diff)
	}
}

func TestCallCancelled(t *testing.T) {
	t.Run("by its own context", func(t *testing.T) {
		talk(t, Config{CallPrefix: "h"}, script{}, func(s *session) {
			ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
			defer cancel()
			if err := s.peer.Call(ctx, "roots/list", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Call returned %v", err)
			}
			s.want(`{"id":"h1","jsonrpc":"2.0","method":"roots/list"}`,
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"context deadline exceeded","requestId":"h1"}}`)
			s.send(`{"jsonrpc":"2.0","id":"h1","result":{}}` + "\n") // too late
			s.wantAlive()
			if err := s.peer.Call(ctx, "roots/list", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Call returned %v", err)
			}
			s.wantNone() // nothing is sent for a context that is over
		})
	})
	t.Run("with the request that it belongs to", func(t *testing.T) {
		var peer *Peer
		var outcome error
		talk(t, Config{CallPrefix: "h", CancelMethod: "$/cancel_request"}, asking(&peer, &outcome), func(s *session) {
			peer = s.peer
			s.call("1", "ask", "{}")
			s.next()
			s.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}` + "\n")
			s.want(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"reason":"the peer cancelled the request","requestId":"h1"}}`)
			s.wantNone()
			if err := outcome; !errors.Is(err, ErrCancelled) {
				t.Errorf("Call returned %v", err)
			}
		})
	})
	t.Run("by the end of stdin", func(t *testing.T) {
		var peer *Peer
		var outcome error
		talk(t, Config{}, asking(&peer, &outcome), func(s *session) {
			peer = s.peer
			s.call("1", "ask", "{}")
			if line := s.next(); !strings.Contains(line, `"id":"mnote-host:`) {
				t.Errorf("our ids must be told from the peer's: %s", line)
			}
			_ = s.in.Close()
			s.wantEnd(nil, 0)
			if err := outcome; !errors.Is(err, ErrClosed) {
				t.Errorf("Call returned %v", err)
			}
			if err := peer.Call(s.t.Context(), "x", nil, nil); !errors.Is(err, ErrClosed) {
				t.Errorf("Call after the end returned %v", err)
			}
		})
	})
}

// Calls stand by themselves too, for who passes frames on.
func TestCallsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		c := NewCalls(CallsConfig{Prefix: "mnote:", Write: func(line []byte) error {
			sent = append(sent, string(line))
			return nil
		}})
		done := make(chan error, 1)
		go func() { done <- c.Call(t.Context(), "session/request_permission", nil, nil) }()
		synctest.Wait()
		for id, want := range map[string]bool{`1`: false, `"1"`: false, `""`: false, `null`: false, `"mnote"`: false, `"mnote:7"`: true} {
			if got := c.Answer(json.RawMessage(id), []byte(`{}`)); got != want {
				t.Errorf("Answer(%s) = %v", id, got)
			}
		}
		if !c.Answer(json.RawMessage(`"mnote:1"`), []byte(`{"result":{}}`)) || <-done != nil {
			t.Error("the call was not answered")
		}
		want := []string{`{"id":"mnote:1","jsonrpc":"2.0","method":"session/request_permission"}` + "\n"}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Errorf("sent differs (-want +got):\n%s", diff)
		}
		c.Close()
		c.Close()
		if err := c.Call(t.Context(), "x", nil, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Call after Close returned %v", err)
		}
	})
}
