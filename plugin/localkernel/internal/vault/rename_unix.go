//go:build linux || darwin

package vault

import (
	"os"

	"golang.org/x/sys/unix"
)

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
