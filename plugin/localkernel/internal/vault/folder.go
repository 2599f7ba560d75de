package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Config tunes a folder; the zero value works.
type Config struct {
	// MaxBytes is the largest file that is read; 0 is 64 MiB.
	MaxBytes int64
	// Hook is called at each step of a write; nil in production. An error that
	// it returns is taken for the step's own failure.
	Hook func(Step) error
}

// Folder is a workspace's folder behind a handle. It is safe for concurrent use.
type Folder struct {
	path    string // absolute, as it was given
	real    string // with its links resolved
	root    *os.Root
	escape  error // what os.Root says of a path that leaves it
	config  Config
	ignores ignores
}

// Open takes a folder. It reads nothing in it.
func Open(dir string, c Config) (*Folder, error) {
	if c.MaxBytes == 0 {
		c.MaxBytes = 64 << 20
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	_, err = root.Lstat("..")
	return &Folder{path: abs, real: real, root: root, escape: errors.Unwrap(err), config: c}, nil
}

// Path gives the folder's absolute path as it was given.
func (f *Folder) Path() string { return f.path }

// Roots gives every absolute path that the folder is known by: as it was given,
// and with its links resolved.
func (f *Folder) Roots() []string { return []string{f.path, f.real} }

// Close lets the folder go.
func (f *Folder) Close() error { return f.root.Close() }

// Present reports ErrGone when the path does not lead to this folder any more:
// deleted, moved away or replaced.
func (f *Folder) Present() error {
	here, err := f.root.Stat(".")
	if err != nil {
		return ErrGone
	}
	there, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrGone
	case err != nil:
		return &Storage{Cause: err}
	case !os.SameFile(here, there):
		return ErrGone
	}
	return nil
}
