package acp

import (
	"context"
	"encoding/json"
	"errors"
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
