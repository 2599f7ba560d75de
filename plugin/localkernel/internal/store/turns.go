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

// turns is the count of switches turned, kept beside switches.db: it tells a first
// start from switches that were lost, and costs a start no database to see that
// nothing was turned since. It is kept twice, so that who clears the switches away
// with all that bears their name has not made a first start of it.
type turns struct{ dir string }

// places are the files that hold the count: a number and a line end.
func (t turns) places() [2]string {
	return [2]string{filepath.Join(t.dir, "switches.turns"), filepath.Join(t.dir, "turned")}
}

// lock is the file that stands for the turn to turn a switch.
func (t turns) lock() string { return filepath.Join(t.dir, "switches.lock") }

// read gives the count, and whether both places hold it.
func (t turns) read() (count int64, even bool) {
	p := t.places()
	a, b := counted(p[0]), counted(p[1])
	return max(a, b), a == b
}

// count is the generation that switches.db has at least, 0 where no switch was
// ever turned.
func (t turns) count() int64 {
	n, _ := t.read()
	return n
}

// counted reads one place. A file that is there and no number still tells that a
// switch was turned.
func counted(name string) int64 {
	data, err := os.ReadFile(name)
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
	var errs []error
	for _, name := range t.places() {
		errs = append(errs, file.Replace(name, append(strconv.AppendInt(nil, generation, 10), '\n'), 0o600))
	}
	return errors.Join(errs...)
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
