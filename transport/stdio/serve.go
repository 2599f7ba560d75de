package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"unicode/utf8"
)

// read takes frame after frame until the stream ends, which is no error.
func (p *Peer) read(ctx context.Context) error {
	bom := []byte("\uFEFF")
	for {
		line, err := p.frames.Read()
		if long, ok := errors.AsType[*TooLongError](err); ok {
			p.refuse(idOfCut(long.Head, long.Tail), RequestFault(long.Error()))
		} else if err != nil {
			return endOf(err)
		} else if line = bytes.TrimPrefix(line, bom); len(line) > 0 {
			p.receive(ctx, line)
		}
		bom = nil // it may stand before the first line only
		if !p.waitForRoom(ctx) {
			return nil
		}
	}
}

// waitForRoom holds the read loop while too much is in flight; false when ctx
// ended.
func (p *Peer) waitForRoom(ctx context.Context) bool {
	var room chan struct{}
	p.update(func(s *inflight) {
		if !p.hasRoom(s) {
			s.room = make(chan struct{})
			room = s.room
		}
	})
	if room != nil {
		select {
		case <-room:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// receive serves one frame.
func (p *Peer) receive(ctx context.Context, frame []byte) {
	if frame[0] == '[' && json.Valid(frame) && utf8.Valid(frame) {
		p.receiveBatch(ctx, frame)
		return
	}
	f, id, fault := p.admit(ctx, frame, nil)
	switch {
	case fault != nil:
		if fault.Code == CodeParse {
			p.config.Log.Error().Str("fault", fault.Message).Msg("a line was not served")
		}
		p.refuse(id, fault)
	case f != nil:
		p.start(ctx, f)
	}
}

// admit reads one message. A request is registered and returned, to be started;
// all else is served on the spot. A fault belongs to the request of that id, if
// it has one.
func (p *Peer) admit(ctx context.Context, frame []byte, in *batch) (*flight, json.RawMessage, *Fault) {
	m, fault := readMessage(frame)
	switch {
	case fault != nil && m.method != "" && m.id == nil:
		return nil, nil, nil // a notification: no answer, whatever is wrong with it
	case fault != nil:
		return nil, m.id, fault
	case m.id == nil || m.isAnswer:
		p.receiveOther(ctx, m, frame)
		return nil, nil, nil
	}
	f := p.newFlight(ctx, m, len(frame))
	f.batch = in
	taken, fault := p.enter(f)
	if !taken {
		f.cancel(errAnswered)
		return nil, m.id, fault
	}
	return f, m.id, nil
}

// receiveOther serves what gets no answer: a notification, or an answer to one
// of our own requests. Answers that nobody asked for are dropped.
func (p *Peer) receiveOther(ctx context.Context, m message, frame []byte) {
	switch {
	case m.isAnswer:
		p.calls.Answer(m.id, frame)
	case m.method == p.config.CancelMethod:
		members(m.params, func(key, value []byte) bool {
			if string(key) != `"requestId"` {
				return true
			}
			p.cancelRequest(value)
			return false
		})
	default:
		p.fence(m.method, func() {
			p.config.Handler.Notification(ctx, Request{Method: m.method, Params: m.params})
		})
	}
}

func (p *Peer) newFlight(ctx context.Context, m message, size int) *flight {
	f := &flight{
		peer:   p,
		req:    Request{ID: m.id, Method: m.method, Params: m.params},
		key:    idKey(m.id),
		size:   size,
		inline: p.config.Handler.Inline(m.method),
	}
	f.Context, f.cancel = context.WithCancelCause(ctx)
	return f
}

// start serves a registered request, here or in a goroutine of its own.
func (p *Peer) start(ctx context.Context, f *flight) {
	if f.inline {
		p.serve(f)
		return
	}
	select {
	case p.work <- f:
	default:
		go p.serveMany(ctx, f)
	}
}

// maxResting is how many goroutines wait for a next request.
const maxResting = 64

// serveMany serves f, and then whatever start hands it, until enough others wait
// for that or the connection is over. A new goroutine for each request would
// grow its stack anew each time, which was a tenth of serving one.
func (p *Peer) serveMany(ctx context.Context, f *flight) {
	for f != nil {
		p.serve(f)
		f = p.rest(ctx)
	}
}

// rest waits for a next request; nil says that there will be none.
func (p *Peer) rest(ctx context.Context) *flight {
	defer p.resting.Add(-1)
	if p.resting.Add(1) > maxResting {
		return nil
	}
	select {
	case f := <-p.work:
		return f
	case <-ctx.Done():
		return nil
	}
}

func (p *Peer) serve(f *flight) {
	if !p.takePlace(f) {
		p.drop(f)
		return
	}
	f.reply.Fault = InternalFault() // unless the handler comes back
	defer p.answer(f)
	p.fence(f.req.Method, func() {
		f.reply = p.checked(f.req.Method, p.config.Handler.Request(f, f.req))
	})
}

// takePlace waits until f may run; false when it was cancelled before.
func (p *Peer) takePlace(f *flight) bool {
	if f.quiet != nil {
		select {
		case <-f.quiet:
		case <-f.Done():
			return false
		}
	}
	if f.inline {
		return true
	}
	select {
	case p.places <- struct{}{}:
		f.placed = true // nobody else looks at it before the handler runs
		return true
	case <-f.Done():
		return false
	}
}

// fence runs f and keeps a panic from going further. What the panic said may
// hold a page's text, so that only its type and place are logged.
func (p *Peer) fence(method string, f func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover() // nil after runtime.Goexit, which ends this goroutine all the same
		text := fmt.Sprintf("%T", v)
		if err, ok := v.(runtime.Error); ok {
			text = err.Error()
		}
		p.config.Log.Error().Str("method", clip(method)).Str("panic", text).
			Bytes("stack", debug.Stack()).Msg("a handler panicked")
	}()
	f()
	returned = true
}

// checked makes sure that a reply can be written as it stands: one of result and
// fault, on one line.
func (p *Peer) checked(method string, r Reply) Reply {
	switch {
	case r.Fault != nil:
		r.Result = nil
	case len(r.Result) == 0:
		p.config.Log.Error().Str("method", clip(method)).Msg("a handler gave neither a result nor a fault")
		r.Fault = InternalFault()
	case bytes.IndexByte(r.Result, '\n') >= 0:
		var b bytes.Buffer
		if err := json.Compact(&b, r.Result); err != nil {
			p.config.Log.Error().Str("method", clip(method)).Msg("a handler's result is not JSON")
			return Reply{Fault: InternalFault()}
		}
		r.Result = b.Bytes()
	}
	return r
}
