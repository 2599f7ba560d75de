package stdio

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestLifeStops(t *testing.T) {
	t.Parallel()
	for name, life := range map[string]Life{"child": {}, "orphan": {Orphan: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			life.Exit = func(int) { t.Error("Exit was called") }
			ctx, stop := life.Begin(t.Context())
			if ctx.Err() != nil {
				t.Errorf("the context ended by itself: %v", context.Cause(ctx))
			}
			stop()
			if !errors.Is(context.Cause(ctx), context.Canceled) {
				t.Errorf("the cause after stop is %v", context.Cause(ctx))
			}
		})
	}
}

// What comes after the first reason: the grace time, a second signal, or the
// program's own end.
func TestLifeWatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parentGone, again, stops bool
		wantCause                string
		wantExit                 time.Duration // -1: not called
	}{
		"a signal, then it hangs":   {false, false, false, "received the signal interrupt", 1500 * time.Millisecond},
		"a signal, and another":     {false, true, false, "received the signal interrupt", time.Second},
		"a signal, and it leaves":   {false, false, true, "received the signal interrupt", -1},
		"a dead parent, then hangs": {true, false, false, "the process that started this one is gone", 1500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				signals, gone, stopped := make(chan os.Signal, 2), make(chan struct{}), make(chan struct{})
				ctx, cancel := context.WithCancelCause(t.Context())
				start, exited := time.Now(), time.Duration(-1)
				life := Life{Exit: func(int) { exited = time.Since(start) }}
				go life.watch(signals, gone, stopped, cancel)
				if c.parentGone {
					close(gone)
				} else {
					signals <- os.Interrupt
				}
				<-ctx.Done()
				if got := context.Cause(ctx).Error(); got != c.wantCause {
					t.Errorf("the cause is %q", got)
				}
				time.Sleep(time.Second)
				if c.again {
					signals <- os.Interrupt
				}
				if c.stops {
					close(stopped)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if exited != c.wantExit {
					t.Errorf("Exit after %v, want %v", exited, c.wantExit)
				}
			})
		})
	}
}
