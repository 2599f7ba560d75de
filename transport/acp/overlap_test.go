package acp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// slow answers a call when its caller has gone, and says why that was.
type slow struct {
	Session
	begun chan struct{}
	ended chan error
}

func (s slow) Call(ctx context.Context, _ string, _ json.RawMessage, _ plugin.Meta) tools.Envelope {
	s.begun <- struct{}{}
	<-ctx.Done()
	s.ended <- context.Cause(ctx)
	return tools.Envelope{}
}

// A call that may be either prompt's goes on when one of them is answered, and
// ends with the last of them or when one is cancelled.
func TestOverlappingTurns(t *testing.T) {
	t.Parallel()
	for name, cancelled := range map[string]bool{"answered": false, "cancelled": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, ended := make(chan struct{}), make(chan error, 1)
			r, shown := opened(t, func(c *Config) {
				open := c.Open
				c.Open = func(cfg plugin.SessionConfig) Session { return slow{open(cfg), begun, ended} }
			})
			l, _ := r.dial(shown)
			r.prompt(t, 2, `"prompt":[]`)
			r.prompt(t, 3, `"prompt":[]`)
			l.call("mnote_page_get", "{}")
			<-begun
			if cancelled {
				r.client.say(t, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}`+"\n")
				r.agent.hear(t)
				if err := <-ended; !errors.Is(err, errTurnCancelled) {
					t.Errorf("it ended with %v", err)
				}
				return
			}
			r.agent.say(t, `{"jsonrpc":"2.0","id":2,"result":{}}`+"\n")
			r.client.hear(t)
			l.call("mnote_page_get", "{}") // so that the first call had its time to end
			<-begun
			select {
			case err := <-ended:
				t.Fatalf("it ended with the other prompt: %v", err)
			default:
			}
			r.agent.say(t, `{"jsonrpc":"2.0","id":3,"result":{}}`+"\n")
			r.client.hear(t)
			for range 2 {
				if err := <-ended; !errors.Is(err, errTurnOver) {
					t.Errorf("it ended with %v", err)
				}
			}
		})
	}
}

// A call without a page, where prompts about different pages are in flight, is
// told that they are why; where nobody said a page, that stays the whole answer.
func TestSplitIsTold(t *testing.T) {
	t.Parallel()
	for lang, want := range map[tools.Lang]string{tools.EN: "Several prompts about different pages", tools.ZH: "几个关于不同页面的提问"} {
		r, _ := opened(t, func(c *Config) { c.Base.Lang, c.Base.DocumentID = lang, "" })
		var s seat
		r.face.update(func(st *state) { s = seat{st.sessions["s1"]} })
		asks := func(said bool) {
			t.Helper()
			env := s.Call(t.Context(), "mnote_page_get", json.RawMessage(`{}`), plugin.Meta{})
			if env.Error == nil || env.Error.Code != tools.CodeMissingContext {
				t.Fatalf("%+v", env.Error)
			}
			if strings.Contains(env.Error.Message, want) != said || strings.Count(env.Error.Message, "documentId") < 2 {
				t.Errorf("%s, several prompts: %v: %s", lang, said, env.Error.Message)
			}
		}
		r.prompt(t, 2, `"prompt":[]`)
		r.prompt(t, 3, `"prompt":[]`)
		asks(false)
		r.prompt(t, 4, `"prompt":[],"_meta":{"mnote/context":{"documentId":"a.md"}}`)
		asks(true)
	}
}

// What is missing may be one word or a list, the host's or a kernel's.
func TestLacksPage(t *testing.T) {
	t.Parallel()
	for _, missing := range []any{"documentId", []string{"rootUri", "documentId"}, []any{"documentId"}} {
		env := tellSplit(tools.Refuse(tools.Call{Lang: tools.EN}, errNoTurn.With("missing", missing)), tools.EN)
		if env.Error.Details["reason"] != "several_prompts" || !strings.HasPrefix(env.Error.Message, "this ACP session has no prompt in flight") {
			t.Errorf("%v: %+v", missing, env.Error)
		}
	}
	for _, missing := range []any{nil, "workspaceId", []string{"rootUri"}, []any{1, nil}, map[string]any{"documentId": 1}} {
		if env := tellSplit(tools.Refuse(tools.Call{Lang: tools.EN}, errNoTurn.With("missing", missing)), tools.EN); env.Error.Details["reason"] != "no_turn" {
			t.Errorf("%v: %+v", missing, env.Error)
		}
	}
}
