package plugin

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// deliveryPatience is how long an equal write waits for an answer that is on
// its way to the client. One that is dropped instead, for its call was
// cancelled, costs the retry this much.
const deliveryPatience = 250 * time.Millisecond

// maxPending is how many writes are remembered whose answers were never said to
// be delivered.
const maxPending = 1024

// equal says which writes of a session a retry without a key may mean.
type equal struct {
	session, document, hash string

	tool tools.Name
}

func sameWrite(t trail) equal {
	return equal{t.call.SessionID, t.call.Document(), t.hash, t.call.ToolName}
}

// pending are the writes of this process whose answers may not reach their
// callers: those whose callers have gone, and those whose answers are on their
// way out. An equal write without a key is the retry of one that stays here.
//
// The ledger's outbox holds some of the same answers, for the opposite end: what
// this process has on its way is no retry's, and what arrived is noted in the
// file, where other processes look. It does not wait for a delivery and cannot
// tell an answer whose caller has gone; both is done here.
type pending struct {
	mu    sync.Mutex
	items []*undelivered // oldest first
}

type undelivered struct {
	write equal
	key   tools.Key
	call  string
	// settled closes when the ledger knows the write's end; nil where it did from
	// the start.
	settled chan struct{}
	// out closes when the answer was written or nobody waits for it any more.
	out chan struct{}
}

// gone reports whether the caller has left, so that no answer goes out to it.
func (u *undelivered) gone() bool { return u.settled != nil }

// hand notes a write's answer as given to the face, for the call.
func (p *pending) hand(t trail) {
	p.add(&undelivered{write: sameWrite(t), key: t.call.IdempotencyKey, call: t.call.ToolCallID, out: make(chan struct{})})
}

// leave notes a write whose caller has gone while it is at the kernel. settled
// is called at its end; a write that has no answer then needs no retry from
// here.
func (p *pending) leave(t trail) (settled func(answered bool)) {
	u := &undelivered{
		write: sameWrite(t), key: t.call.IdempotencyKey, call: t.call.ToolCallID,
		settled: make(chan struct{}), out: make(chan struct{}),
	}
	p.add(u)
	return func(answered bool) {
		if !answered {
			p.drop(func(o *undelivered) bool { return o == u })
		}
		close(u.settled)
	}
}

func (p *pending) add(u *undelivered) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.items) == maxPending {
		close(p.items[0].out)
		p.items = p.items[1:]
	}
	p.items = append(p.items, u)
}

// delivered forgets a write whose answer is out, for its own call or for the
// retry that got it.
func (p *pending) delivered(call string) {
	p.mu.Lock()
	i := slices.IndexFunc(p.items, func(u *undelivered) bool { return u.call == call })
	if i < 0 {
		p.mu.Unlock()
		return
	}
	of := p.items[i]
	p.mu.Unlock()
	p.drop(func(u *undelivered) bool { return u.key == of.key && u.write == of.write })
}

func (p *pending) drop(which func(*undelivered) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = slices.DeleteFunc(p.items, func(u *undelivered) bool {
		if !which(u) {
			return false
		}
		close(u.out)
		return true
	})
}

// match gives the key of an equal write that has ended without its answer
// reaching anybody, "" where there is none. It waits for ends and deliveries
// that are still to come. The error is ctx's.
func (p *pending) match(ctx context.Context, e equal) (tools.Key, error) {
	for _, u := range p.like(e) {
		undeliveredStill, err := u.wait(ctx)
		if err != nil {
			return "", err
		}
		if undeliveredStill {
			return u.key, nil
		}
	}
	return "", nil
}

func (p *pending) like(e equal) (like []*undelivered) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, u := range p.items {
		if u.write == e {
			like = append(like, u)
		}
	}
	return like
}

// wait reports whether the write's answer stays undelivered.
func (u *undelivered) wait(ctx context.Context) (bool, error) {
	if u.gone() {
		select {
		case <-u.settled:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		select {
		case <-u.out:
			return false, nil
		default:
			return true, nil
		}
	}
	patience := time.NewTimer(deliveryPatience)
	defer patience.Stop()
	select {
	case <-u.out:
		return false, nil
	case <-patience.C:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
