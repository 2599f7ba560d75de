package ledger

import (
	"sync"
	"time"
)

// outboxTime is how long an answer may be on its way to stdout; one that is
// still here after that was never delivered.
const outboxTime = 10 * time.Minute

// outbox holds the stored answers that this process has handed out and that are
// on their way to a client, and those that arrived but are not yet noted in the
// file.
type outbox struct {
	mu      sync.Mutex
	under   map[string]parcel // by tool call id
	arrived map[string]bool   // by claim id, until noted
}

type parcel struct {
	id    string
	since time.Time
}

// hand notes that the answer with the claim id goes out for a tool call.
func (o *outbox) hand(toolCallID string, id []byte, now time.Time) {
	if toolCallID == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.under == nil {
		o.under = map[string]parcel{}
	}
	for call, p := range o.under {
		if now.Sub(p.since) > outboxTime {
			delete(o.under, call)
		}
	}
	o.under[toolCallID] = parcel{string(id), now}
}

// deliver moves a call's answer to the arrived ones, and reports whether there
// was one.
func (o *outbox) deliver(toolCallID string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	p, ok := o.under[toolCallID]
	if !ok {
		return false
	}
	delete(o.under, toolCallID)
	if o.arrived == nil {
		o.arrived = map[string]bool{}
	}
	o.arrived[p.id] = true
	return true
}

// has reports whether the answer is on its way or has arrived.
func (o *outbox) has(id []byte, now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.arrived[string(id)] {
		return true
	}
	for _, p := range o.under {
		if p.id == string(id) && now.Sub(p.since) <= outboxTime {
			return true
		}
	}
	return false
}

// unnoted gives the ids that arrived and are not in the file yet.
func (o *outbox) unnoted() (ids []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range o.arrived {
		ids = append(ids, id)
	}
	return ids
}

func (o *outbox) noted(ids []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range ids {
		delete(o.arrived, id)
	}
}
