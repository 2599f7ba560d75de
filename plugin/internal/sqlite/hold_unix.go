//go:build unix

package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// holdPause is the wait between two tries for the folder's lock.
const holdPause = 2 * time.Millisecond

// hold takes the lock of the file's folder, shared by all who open or close a
// database in it, or alone for who moves one away, and gives what lets it go. The
// folder itself is locked, so that no lock file is left behind.
func hold(ctx context.Context, path string, alone bool) (release func(), err error) {
	f, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil, !alone && !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			// Where the system has no such locks nobody can move a file away either.
			return func() { _ = f.Close() }, nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(holdPause):
		}
	}
}
