package vault

import (
	"errors"
	"fmt"
	"io/fs"
)

// The faults that have no reason beside them.
var (
	// ErrNotFound: no such document. An ignored one and one spelled otherwise
	// are not found either.
	ErrNotFound = errors.New("no such document")
	// ErrExists: a new document's place is taken.
	ErrExists = errors.New("the place is taken")
	// ErrIgnored: a new document's place is in what is hidden or ignored.
	ErrIgnored = errors.New("hidden and ignored folders are no part of the workspace")
	// ErrGone: the workspace's folder is not there any more.
	ErrGone = errors.New("the workspace folder is gone")
	// ErrTwins: two names of one folder differ in their Unicode form only, so
	// that an id means both.
	ErrTwins = errors.New("two names differ in their Unicode form only")
	// ErrIgnoreFile: the ignore file cannot be read, so nothing is a document.
	ErrIgnoreFile = errors.New("the ignore file cannot be read")
	// ErrTooLarge: the file is past the size that is read.
	ErrTooLarge = errors.New("the file is too large")
)

// Denied says that a path is no path of the workspace. Reason is one of empty,
// encoding, nul, control, bidi, space, tilde, absolute, unc, drive, uri, backslash, percent, dot,
// parent, reserved, too_long, link.
type Denied struct{ Reason string }

// Error names the reason.
func (d *Denied) Error() string { return "path denied: " + d.Reason }

// ReadOnly says that a file can be read and not written. Reason is mode, folder,
// hard_link or open_for_writing (by another program, now).
type ReadOnly struct{ Reason string }

// Error names the reason.
func (r *ReadOnly) Error() string { return "read only: " + r.Reason }

// Changed says that a file was not what a write expected; nothing of it was
// overwritten. Hash is what it is now, "" when it is gone.
type Changed struct {
	Hash string
	// Stray is another program's save that could not be put back, or nil.
	Stray []byte
}

// Error names what was found.
func (c *Changed) Error() string {
	if c.Hash == "" {
		return "the file is gone"
	}
	return "the file changed meanwhile"
}

// Storage says that the disk or the file system failed.
type Storage struct{ Cause error }

// Error names the cause.
func (s *Storage) Error() string { return fmt.Sprintf("storage: %v", s.Cause) }

// Unwrap gives the cause.
func (s *Storage) Unwrap() error { return s.Cause }

// fault sorts an operating system's error into the faults above.
func (f *Folder) fault(err error) error {
	var denied *Denied
	var readOnly *ReadOnly
	var changed *Changed
	switch {
	case err == nil, errors.As(err, &denied), errors.As(err, &readOnly), errors.As(err, &changed),
		errors.Is(err, ErrNotFound), errors.Is(err, ErrExists), errors.Is(err, ErrIgnored), errors.Is(err, ErrGone), errors.Is(err, ErrTooLarge),
		errors.Is(err, ErrTwins), errors.Is(err, ErrIgnoreFile):
		return err
	case errors.Is(err, f.escape): // a link took a place on the way after it was looked at
		return &Denied{Reason: "link"}
	case errors.Is(err, fs.ErrNotExist), isNotDir(err):
		return ErrNotFound
	case errors.Is(err, fs.ErrExist):
		return ErrExists
	case errors.Is(err, fs.ErrPermission), isReadOnlyVolume(err):
		return &ReadOnly{Reason: "folder"}
	}
	return &Storage{Cause: err}
}
