package stdio

import (
	"context"
	"encoding/json"
	"fmt"
)

// maxBatch is how many messages one batch may hold: each may cost an answer.
const maxBatch = 1024

// batch is the answer to an array of messages: one line, written when the last
// of its requests is settled.
type batch struct {
	peer    *Peer
	answers []answer // complete once waiting is 0
	sent    []*flight
	// waiting counts the requests that are not settled, and one while the array
	// is still being read. In Peer.update only.
	waiting int
}

// answer is one element of a batch's answer: the reply to a request, or a fault.
type answer struct {
	flight *flight
	id     json.RawMessage
	fault  *Fault
}

// receiveBatch serves an array, where the protocol version knows batches.
func (p *Peer) receiveBatch(ctx context.Context, frame []byte) {
	if p.config.Batch == nil || !p.config.Batch() {
		p.refuse(nil, RequestFault("batches are not part of this protocol version; send one JSON object a line"))
		return
	}
	var messages [][]byte
	elements(frame, func(m []byte) { messages = append(messages, m) })
	switch {
	case len(messages) == 0:
		p.refuse(nil, RequestFault("the batch is empty"))
	case len(messages) > maxBatch:
		p.refuse(nil, RequestFault(fmt.Sprintf("a batch of %d messages is above the limit of %d", len(messages), maxBatch)))
	default:
		p.serveBatch(ctx, messages)
	}
}

func (p *Peer) serveBatch(ctx context.Context, messages [][]byte) {
	b := &batch{peer: p, waiting: 1}
	p.update(func(s *inflight) { s.unwritten++ })
	for _, m := range messages {
		f, id, fault := p.admit(ctx, m, b)
		switch {
		case fault != nil:
			b.answers = append(b.answers, answer{id: p.faultID(id), fault: fault})
		case f != nil:
			b.answers = append(b.answers, answer{flight: f})
			p.start(ctx, f)
		}
	}
	var done *batch
	p.update(func(*inflight) { done = b.less() })
	p.sendBatch(done)
}

// less counts one request down and returns b when it was the last. Within update
// only.
func (b *batch) less() *batch {
	if b.waiting--; b.waiting > 0 {
		return nil
	}
	return b
}

// settle says that f will not change its batch any more, and returns the batch
// when all of it is settled. Within update only.
func (f *flight) settle() *batch {
	if f.batch == nil || f.settled {
		return nil
	}
	f.settled = true
	return f.batch.less()
}

// answerInBatch ends a request of a batch. Until the batch is written the peer
// may still cancel it.
func (p *Peer) answerInBatch(f *flight) {
	var done *batch
	p.update(func(s *inflight) {
		f.over = true
		p.uncount(s, f)
		done = f.settle()
	})
	f.cancel(errAnswered)
	p.sendBatch(done)
}

// sendBatch queues a settled batch, if there is one.
func (p *Peer) sendBatch(b *batch) {
	if b != nil {
		p.send(b, true)
	}
}

// put writes the answers that are still wanted; when none is, there is no line.
func (b *batch) put(o *output) {
	before, after := "[", ""
	for _, a := range b.answers {
		reply, id := Reply{Fault: a.fault}, a.id
		if f := a.flight; f != nil {
			if !f.take() {
				continue
			}
			b.sent = append(b.sent, f)
			reply, id = f.reply, f.req.ID
		}
		o.addString(before)
		reply.put(o, id)
		before, after = ",", "]\n"
	}
	o.addString(after)
}

func (b *batch) written(err error) {
	for _, f := range b.sent {
		b.peer.wrote(f, err)
	}
	b.peer.update(func(s *inflight) { s.unwritten-- })
}
