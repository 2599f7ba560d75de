package sqlite

import (
	"context"
	"time"
)

const (
	// patience bounds one wait for the lock of another process.
	patience = 10 * time.Second
	// firstPause and lastPause bound the pause between two tries: a commit of
	// another process takes less than the first.
	firstPause = 500 * time.Microsecond
	lastPause  = 50 * time.Millisecond
)

// patiently runs f until no other process is in the way, the context ends or
// patience does. SQLite's own wait could not be ended by a context without a
// goroutine to watch it.
func patiently(ctx context.Context, f func() error) error {
	err := f()
	if !waits(err) {
		return err
	}
	for began, pause := time.Now(), firstPause; waits(err) && time.Since(began) < patience; pause = min(2*pause, lastPause) {
		t := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
		err = f()
	}
	return err
}
