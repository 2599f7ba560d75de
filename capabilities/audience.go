package capabilities

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// quiet is how long changes are gathered before subscribers hear of them.
const quiet = 150 * time.Millisecond

// audience tells subscribers of real changes, after a quiet time.
type audience struct {
	mu      sync.Mutex
	listen  map[int]func()
	nextID  int
	stirred bool // a timer runs
}

// Subscribe has f called, from a goroutine of the registry's, after what is
// advertised or switched changed; changes close together are one call. It comes
// after a switch flicked to and fro as well: whether the view is news is the
// subscriber's to say, who may have looked in between. One call may still come
// while cancel runs.
func (a *audience) Subscribe(f func()) (cancel func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listen == nil {
		a.listen = map[int]func(){}
	}
	id := a.nextID
	a.nextID++
	a.listen[id] = f
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
	a.mu.Lock()
	a.stirred = false
	calls := slices.Collect(maps.Values(a.listen))
	a.mu.Unlock()
	for _, call := range calls {
		call()
	}
}
