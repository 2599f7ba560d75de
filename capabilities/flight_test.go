package capabilities

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSingleFlight: calls that come together share a fetch, and none gets the
// answer of a fetch that began before it asked.
func TestSingleFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int32
		state := atomic.Value{}
		state.Store("old")
		src := source(func(ctx context.Context, _ string) (Manifest, error) {
			fetches.Add(1)
			d := doc(state.Load().(string), "mnote.a.b") // read at once, answered late
			select {
			case <-time.After(time.Second):
				return Read([]byte(d))
			case <-ctx.Done():
				return Manifest{}, ctx.Err()
			}
		})
		r := NewRegistry(Config{Source: src})
		var wg sync.WaitGroup
		wg.Go(func() { _ = r.Refresh(t.Context()) })
		synctest.Wait() // the first fetch is out and has read "old"
		state.Store("new")
		for range 50 {
			wg.Go(func() {
				if err := r.Refresh(t.Context()); err != nil || r.Snapshot().Version() != "new" {
					t.Errorf("%v, version %s", err, r.Snapshot().Version())
				}
			})
		}
		wg.Wait()
		if n := fetches.Load(); n != 2 {
			t.Errorf("%d fetches", n)
		}
	})
}

// TestGivingUp: a caller that leaves does not take the fetch from the others;
// the last one that leaves cancels it, and later calls are served.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var cancelled atomic.Int32
		src := source(func(ctx context.Context, _ string) (Manifest, error) {
			select {
			case <-time.After(10 * time.Second):
				return Read([]byte(doc("late", "mnote.a.b")))
			case <-ctx.Done():
				cancelled.Add(1)
				return Manifest{}, ctx.Err()
			}
		})
		r := NewRegistry(Config{Source: src})
		ask := func(patience time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			return r.Refresh(ctx)
		}
		var wg sync.WaitGroup
		var first, second, third error
		wg.Go(func() { first = ask(time.Second) })
		synctest.Wait()
		wg.Go(func() { second = ask(500 * time.Millisecond) }) // waits for the next flight and leaves it
		synctest.Wait()
		time.Sleep(600 * time.Millisecond)
		wg.Go(func() { third = ask(time.Minute) }) // must not board the flight that was left
		wg.Wait()
		if !errors.Is(first, context.DeadlineExceeded) || !errors.Is(second, context.DeadlineExceeded) || third != nil {
			t.Errorf("first %v, second %v, third %v", first, second, third)
		}
		if cancelled.Load() != 1 || r.Snapshot().Version() != "late" {
			t.Errorf("%d fetches cancelled, version %s", cancelled.Load(), r.Snapshot().Version())
		}
	})
}

// TestConcurrentUse: readers, refreshers and subscribers at once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	src := source(func(context.Context, string) (Manifest, error) {
		return Read([]byte(doc(fmt.Sprint(n.Add(1)), "mnote.a.b")))
	})
	r := NewRegistry(Config{Source: src})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			cancel := r.Subscribe(func() {})
			defer cancel()
			for range 20 {
				if err := r.Refresh(t.Context()); err != nil {
					t.Error(err)
				}
				if tool, err := r.Snapshot().Resolve("mnote_a_b"); err != nil {
					t.Error(err)
				} else {
					r.Snapshot().Switched(tool)
				}
			}
		})
	}
	wg.Wait()
}
