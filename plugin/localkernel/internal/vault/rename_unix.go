//go:build linux || darwin

package vault

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of a folder in one step. errors.ErrUnsupported where
// the file system cannot.
func exchange(dir *os.File, a, b string) error { return supported(swapNames(int(dir.Fd()), a, b)) }

// moveNew renames within a folder and never overwrites.
func moveNew(dir *os.File, from, to string) error {
	err := supported(moveName(int(dir.Fd()), from, to))
	if errors.Is(err, errors.ErrUnsupported) {
		return linkNew(dir, from, to)
	}
	return err
}

// moveFolder is moveNew for a folder. Where the file system cannot be told not to
// overwrite it takes the place of an empty folder, and of nothing else.
func moveFolder(dir *os.File, from, to string) error {
	err := supported(moveName(int(dir.Fd()), from, to))
	if errors.Is(err, errors.ErrUnsupported) {
		return overwrite(dir, from, to)
	}
	return err
}

func supported(err error) error {
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		return errors.ErrUnsupported
	}
	return err
}

// linkNew is moveNew by a second name: link fails where the name is taken.
func linkNew(dir *os.File, from, to string) error {
	fd := int(dir.Fd())
	if err := unix.Linkat(fd, from, fd, to, 0); err != nil {
		return err
	}
	return unix.Unlinkat(fd, from, 0)
}

// overwrite renames within a folder, over what is there: the way where exchange
// is unsupported.
func overwrite(dir *os.File, from, to string) error {
	return unix.Renameat(int(dir.Fd()), from, int(dir.Fd()), to)
}
