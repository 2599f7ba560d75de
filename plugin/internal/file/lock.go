package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// errLocked is what tryLock answers while another holds the lock.
var errLocked = errors.New("file is locked")

// Lock takes the lock that path stands for, in this process and among others,
// and gives the function that lets it go. It waits until the context ends. The
// file is made where it does not exist and is left behind; a process that dies
// lets go of its locks.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	for {
		err := tryLock(f)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, errLocked) {
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}
