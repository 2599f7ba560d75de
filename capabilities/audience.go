package capabilities

import (
	"sync"
	"time"
)

// quiet is how long changes are gathered before subscribers hear of them: a
// switch flicked to and fro is no change.
const quiet = 150 * time.Millisecond

// audience tells subscribers of real changes, after a quiet time.
type audience struct {
	current func() *Snapshot

	mu      sync.Mutex
	listen  map[int]*listener
	nextID  int
	stirred bool // a timer runs
}

// listener is one subscriber and the view that it knows.
type listener struct {
	call  func()
	knows *Snapshot
}

// Subscribe has f called, from a goroutine of the registry's, after what is
// advertised or switched really changed; changes close together are one call,
// and changes that cancel each other are none. One call may still come while
// cancel runs.
func (a *audience) Subscribe(f func()) (cancel func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listen == nil {
		a.listen = map[int]*listener{}
	}
	id := a.nextID
	a.nextID++
	a.listen[id] = &listener{f, a.current()}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.listen, id)
	}
}

// stir says that something changed; subscribers hear of it when it stayed so.
func (a *audience) stir() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.stirred && len(a.listen) > 0 {
		a.stirred = true
		time.AfterFunc(quiet, a.tell)
	}
}

func (a *audience) tell() {
	for _, call := range a.due() {
		call()
	}
}

// due gives the subscribers to whom the current view is news.
func (a *audience) due() []func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stirred = false
	now := a.current()
	var calls []func()
	for _, l := range a.listen {
		if !now.looksLike(l.knows) {
			calls = append(calls, l.call)
		}
		l.knows = now
	}
	return calls
}
