package vault

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of a folder in one step. errors.ErrUnsupported where
// the file system cannot.
func exchange(dir *os.File, a, b string) error {
	return supported(unix.RenameatxNp(int(dir.Fd()), a, int(dir.Fd()), b, unix.RENAME_SWAP))
}

// moveNew renames within a folder and never overwrites.
func moveNew(dir *os.File, from, to string) error {
	err := supported(unix.RenameatxNp(int(dir.Fd()), from, int(dir.Fd()), to, unix.RENAME_EXCL))
	if errors.Is(err, errors.ErrUnsupported) {
		return linkNew(dir, from, to)
	}
	return err
}

func supported(err error) error {
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		return errors.ErrUnsupported
	}
	return err
}
