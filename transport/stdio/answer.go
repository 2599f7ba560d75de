package stdio

import (
	"bytes"
	"encoding/json"
)

// answer sends f's reply, unless nobody wants it any more.
func (p *Peer) answer(f *flight) {
	if f.batch != nil {
		p.answerInBatch(f)
		return
	}
	send := false
	p.update(func(s *inflight) { send = !f.cancelled && !s.over })
	if !send {
		p.leave(f)
		return
	}
	p.send(f, f.inline)
}

// drop ends a request that was never started.
func (p *Peer) drop(f *flight) {
	if f.batch != nil {
		p.answerInBatch(f)
		return
	}
	p.leave(f)
}

// send queues l. The caller writes it, and what others queue meanwhile, unless
// someone writes already or the caller is one that a stuck pipe must not hold.
func (p *Peer) send(l line, elsewhere bool) {
	switch {
	case !p.frames.out.push(l):
	case elsewhere:
		go p.frames.out.drain()
	default:
		p.frames.out.drain()
	}
}

// put writes the reply, if the peer did not cancel the request until now.
func (f *flight) put(o *output) {
	if f.take() {
		f.reply.put(o, f.req.ID)
		o.addString("\n")
		return
	}
	f.reply.Written = nil
}

// take decides, once and for all, whether the reply goes out.
func (f *flight) take() (wanted bool) {
	f.peer.update(func(s *inflight) {
		f.over = true
		s.forget(f)
		wanted = !f.cancelled && !s.over
	})
	return wanted
}

func (f *flight) written(err error) {
	f.peer.wrote(f, err)
	f.peer.leave(f)
}

// wrote tells the handler that its reply is out, or the peer that the pipe broke.
func (p *Peer) wrote(f *flight, err error) {
	switch {
	case err != nil:
		p.fail(err)
	case f.reply.Written != nil:
		p.fence(f.req.Method, f.reply.Written)
	}
}

// put adds the reply as one JSON object. The result goes out as it stands.
func (r Reply) put(o *output, id json.RawMessage) {
	o.addString(`{"jsonrpc":"2.0"`)
	if id != nil {
		o.addString(`,"id":`)
		o.add(id)
	}
	if r.Fault != nil {
		o.addString(`,"error":`)
		o.add(r.Fault.encode())
	} else {
		o.addString(`,"result":`)
		o.add(r.Result)
	}
	o.addString(`}`)
}

// encode gives the fault as JSON. Data that is none is left out.
func (f *Fault) encode() []byte {
	b, err := encode(f)
	if err != nil {
		b, _ = encode(Fault{Code: f.Code, Message: f.Message})
	}
	return b
}

// encode marshals v on one line, without escaping what only a web page needs
// escaped.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// refuse answers with a fault what never became a request in flight.
func (p *Peer) refuse(id json.RawMessage, fault *Fault) {
	p.post(&note{fault: fault, id: p.faultID(id)})
}

// faultID is what stands for the id of a fault.
func (p *Peer) faultID(id json.RawMessage) json.RawMessage {
	if id == nil && p.config.NullID {
		return json.RawMessage("null")
	}
	return id
}
