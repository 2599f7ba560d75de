package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/mnote-dev/mnote-host/plugin/internal/file"
)

// turns is the count of switches turned, kept beside switches.db in a file of its
// own: it tells a first start from switches that were lost, and costs a start no
// database to see that nothing was turned since.
type turns struct{ dir string }

// name is the file's; it holds a number and a line end.
func (t turns) name() string { return filepath.Join(t.dir, "switches.turns") }

// count is the generation that switches.db has at least, 0 where no switch was
// ever turned. A file that is there and no number still tells that one was.
func (t turns) count() int64 {
	data, err := os.ReadFile(t.name())
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil || n < 1 {
		return 1
	}
	return n
}

// keep writes the count; the change that it counts is durable already.
func (t turns) keep(generation int64) error {
	return file.Replace(t.name(), append(strconv.AppendInt(nil, generation, 10), '\n'), 0o600)
}

// Stamp tells whether any switch was turned, or switches.db changed under us,
// since an earlier one: two that are equal say no. It opens no database.
func Stamp(stateDir string) string {
	count := strconv.FormatInt(turns{stateDir}.count(), 10)
	info, err := os.Stat(filepath.Join(stateDir, "switches.db"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return count + untouched
	}
	if err != nil {
		return count + " unread"
	}
	return count + " " + strconv.FormatInt(info.Size(), 10) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 10)
}

// untouched ends the stamp of a folder without a switches.db.
const untouched = " none"

// Untouched reports whether no switch was ever turned.
func Untouched(stateDir string) bool { return Stamp(stateDir) == "0"+untouched }
