package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Notify sends a notification and returns when it is written. With the ctx of a
// request it reaches the peer before the request's reply, and is dropped without
// an error once the request is cancelled or replied. Any other ctx sends it for
// the connection.
func (p *Peer) Notify(ctx context.Context, method string, params any) error {
	text, err := notification(method, params)
	if err != nil {
		return fmt.Errorf("encode the params of %s: %w", clip(method), err)
	}
	n := &note{text: text, of: p.flightOf(ctx), sent: make(chan error, 1)}
	if n.of == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !p.post(n) {
		return ErrClosed
	}
	select {
	case err := <-n.sent:
		return closedBy(err)
	case <-ctx.Done():
	}
	if n.of != nil && n.of.isSpent() {
		return nil // it will be dropped when its turn comes
	}
	return context.Cause(ctx)
}

// isSpent reports whether the context of f ended because nobody wants to hear
// from it any more, and not because the connection is over.
func (f *flight) isSpent() bool {
	cause := context.Cause(f)
	return errors.Is(cause, ErrCancelled) || errors.Is(cause, errAnswered)
}

// closedBy makes an error of the pipe an ErrClosed.
func closedBy(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrClosed, err)
}

// notification encodes a message that asks for no answer.
func notification(method string, params any) ([]byte, error) {
	name, err := encode(method)
	if err != nil {
		return nil, err
	}
	text := append([]byte(`{"jsonrpc":"2.0","method":`), name...)
	if raw, ok := params.(json.RawMessage); params != nil && (!ok || raw != nil) {
		body, err := encode(params)
		if err != nil {
			return nil, err
		}
		text = append(append(text, `,"params":`...), body...)
	}
	return append(text, '}'), nil
}

// note is a line that is no reply to a request in flight: a notification, a
// request of our own, or a fault.
type note struct {
	peer  *Peer
	text  []byte          // the line without its end; unused for a fault
	fault *Fault          // with the id that it answers
	id    json.RawMessage // nil or null when there is none to be read
	of    *flight         // the request it belongs to, or nil
	sent  chan error      // told when it was written or dropped, unless nil
}

// post queues n, for another goroutine to write: neither the read loop nor a
// handler that may be cancelled waits in a write. false when the connection is
// over.
func (p *Peer) post(n *note) bool {
	n.peer = p
	taken := false
	p.update(func(s *inflight) {
		if taken = !s.over; taken {
			s.unwritten++
		}
	})
	if taken {
		p.send(n, true)
	}
	return taken
}

func (n *note) put(o *output) {
	wanted := true
	n.peer.update(func(s *inflight) {
		wanted = !s.over && (n.of == nil || !n.of.cancelled && !n.of.over)
	})
	if !wanted {
		return
	}
	if n.fault != nil {
		Reply{Fault: n.fault}.put(o, n.id)
	} else {
		o.add(n.text)
	}
	o.addString("\n")
}

func (n *note) written(err error) {
	n.peer.update(func(s *inflight) { s.unwritten-- })
	if err != nil {
		n.peer.fail(err)
	}
	if n.sent != nil {
		n.sent <- err
	}
}
