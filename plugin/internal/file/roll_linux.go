package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// Locks of the open file rather than the process: closing another descriptor
// of the file does not drop them.
const (
	setLock = unix.F_OFD_SETLK
	getLock = unix.F_OFD_GETLK
)

func lockByte(f *os.File, at int64) error {
	return unix.FcntlFlock(f.Fd(), setLock, &unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1})
}

func byteLocked(f *os.File, at int64) (bool, error) {
	l := unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1}
	err := unix.FcntlFlock(f.Fd(), getLock, &l)
	return l.Type != unix.F_UNLCK, err
}
