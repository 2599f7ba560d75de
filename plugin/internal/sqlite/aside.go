package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/file"
)

// setAside moves a corrupt file and its -wal and -shm out of the way, under
// one dated name, so that a person can still look into them. Several processes
// may find the same file corrupt at once: under the lock, only the file that
// was found corrupt is moved, never the fresh one that another process made.
// It gives "" when another was first.
func setAside(ctx context.Context, c Config, corrupt fs.FileInfo, cause error) (string, error) {
	unlock, err := file.Lock(ctx, c.Path+".lock")
	if err != nil {
		return "", errors.Join(cause, err)
	}
	defer unlock()
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
