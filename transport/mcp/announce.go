package mcp

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// quietTime is how long a connection is spared any list_changed: some clients
// fail every call between one and their next tools/list, and at the start the
// live manifest usually arrives while they are calling for the first time.
const quietTime = time.Second

// announcer tells the client of lists that really changed: after the first
// second, never while a request is in flight, and only of what it has seen
// otherwise.
type announcer struct {
	face *Face

	mu sync.Mutex
	// told is what the client last saw or heard of; since a list is the same for
	// every request of a connection, one is enough.
	told known
	// quiet is when the first second is over.
	quiet time.Time
	// waiting is true while an announcement is on its way; a further change
	// travels with it.
	waiting bool
	subs    []subscription
}

// known is the surface that each list was last shown or announced from. The
// fingerprints wait until there is something to compare: a start pays for none.
type known struct{ tools, prompts, resources *surface }

// begin starts the quiet second and takes the current lists as known: a client
// that has listed nothing has nothing to hear of.
func (a *announcer) begin() {
	s := a.face.surface()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = known{s, s, s}
	a.quiet = a.face.now().Add(quietTime)
}

// showed notes what a client was just shown.
func (a *announcer) showed(update func(*known)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	update(&a.told)
}

func (a *announcer) add(s subscription) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.subs = append(a.subs, s)
}

func (a *announcer) remove(s subscription) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.subs = slices.DeleteFunc(a.subs, func(o subscription) bool { return string(o.id) == string(s.id) })
}

// changed hears from the registry that a list may be another one.
func (a *announcer) changed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting {
		return
	}
	a.waiting = true
	wait := max(a.quiet.Sub(a.face.now()), 0)
	time.AfterFunc(wait, func() { a.face.peer.WhenIdle(a.tell) })
}

// tell sends what changed; nothing is in flight while it runs.
func (a *announcer) tell() {
	a.mu.Lock()
	a.waiting = false
	s := a.face.surface() // not before: a change that comes now has its own turn
	heard := a.face.ready.Load() || len(a.subs) > 0
	if !heard || a.told == (known{s, s, s}) {
		a.mu.Unlock()
		return
	}
	changed := wishes{
		Tools:     s.seen().tools != a.told.tools.seen().tools,
		Prompts:   s.seen().prompts != a.told.prompts.seen().prompts && a.face.client.Offers.Prompts,
		Resources: s.seen().resources != a.told.resources.seen().resources && a.face.client.Offers.Resources,
	}
	a.told = known{s, s, s}
	subs := slices.Clone(a.subs)
	a.mu.Unlock()
	if a.face.ready.Load() {
		a.send(changed, wishes{Tools: true, Prompts: true, Resources: true}, nil)
	}
	for _, s := range subs {
		a.send(changed, s.wishes, tagged{Meta: tag{s.id}})
	}
}

// send notifies of each kind that changed and is wished for. A client that is
// gone hears nothing, and needs to hear nothing.
func (a *announcer) send(changed, wished wishes, params any) {
	for _, k := range []struct {
		send   bool
		method string
	}{
		{changed.Tools && wished.Tools, mcp.MethodNotificationToolsListChanged},
		{changed.Prompts && wished.Prompts, mcp.MethodNotificationPromptsListChanged},
		{changed.Resources && wished.Resources, mcp.MethodNotificationResourcesListChanged},
	} {
		if k.send {
			_ = a.face.peer.Notify(context.Background(), k.method, params)
		}
	}
}
