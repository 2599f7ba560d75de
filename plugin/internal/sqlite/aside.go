package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// setAside moves a corrupt file and its -wal and -shm out of the way, under
// one dated name, so that a person can still look into them. Several processes
// may find the same file corrupt at once: while one has the folder for itself,
// nobody opens a file whose -wal is about to go, and none makes the next. Only
// the file that was found corrupt is moved, never a fresh one. It gives "" when
// another was first. shut closes what we have open of the file, under the same
// lock.
func setAside(ctx context.Context, c Config, corrupt fs.FileInfo, shut func() error, cause error) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	release, err := hold(ctx, c.Path, true)
	if err != nil {
		return "", errors.Join(cause, err)
	}
	defer release()
	_ = shut() // it is corrupt: nothing it says is of use
	now, err := os.Stat(c.Path)
	if err != nil || corrupt == nil || !os.SameFile(now, corrupt) {
		return "", nil
	}
	aside := asideName(c)
	for _, part := range []string{"", "-wal", "-shm"} {
		err := os.Rename(c.Path+part, aside+part)
		if err != nil && !(part != "" && errors.Is(err, fs.ErrNotExist)) {
			return "", errors.Join(cause, fmt.Errorf("set %s aside: %w", c.Path, err))
		}
	}
	c.Log.Warn().Str("file", c.Path).Str("aside", aside).Err(cause).
		Msg("a damaged state file was set aside and a fresh one is made")
	return aside, nil
}

func asideName(c Config) string {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	name := c.Path + ".corrupt-" + now().UTC().Format("20060102T150405Z")
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf("%s.corrupt-%s-%d", c.Path, now().UTC().Format("20060102T150405Z"), n)
	}
}
