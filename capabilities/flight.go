package capabilities

import (
	"context"
	"sync"
)

// flights lets callers share fetches: one runs at a time, and whoever comes
// while it runs waits for the next one, which starts when it ends. So nobody
// gets an answer that is older than the question.
type flights struct {
	mu sync.Mutex
	// running is the fetch that is out, next the one that waits for its end.
	running, next *flight
}

type flight struct {
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	err    error // set before done is closed
	// waiting counts the callers; the last one to give up cancels the fetch.
	waiting int
}

// join waits for a fetch that begins after the call, or for ctx.
func (f *flights) join(ctx context.Context, fetch func(context.Context) error) error {
	mine := f.board(ctx, fetch)
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		f.leave(mine)
		return ctx.Err()
	}
}

func (f *flights) board(ctx context.Context, fetch func(context.Context) error) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.running == nil:
		f.running = newFlight(ctx)
		go f.fly(f.running, fetch)
		return f.running
	case f.next == nil || f.next.waiting == 0: // a flight that all have left is cancelled
		f.next = newFlight(ctx)
	default:
		f.next.waiting++
	}
	return f.next
}

func newFlight(ctx context.Context) *flight {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	return &flight{ctx: ctx, cancel: cancel, done: make(chan struct{}), waiting: 1}
}

// fly runs the flight and those that wait behind it.
func (f *flights) fly(mine *flight, fetch func(context.Context) error) {
	for mine != nil {
		mine.err = fetch(mine.ctx)
		mine.cancel()
		close(mine.done)
		mine = f.takeNext()
	}
}

// takeNext makes the next flight the running one. One that everybody has left
// is not flown.
func (f *flights) takeNext() *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running, f.next = f.next, nil
	if f.running != nil && f.running.waiting == 0 {
		close(f.running.done)
		f.running = nil
	}
	return f.running
}

func (f *flights) leave(mine *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if mine.waiting--; mine.waiting == 0 {
		mine.cancel()
	}
}
