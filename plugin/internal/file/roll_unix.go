//go:build unix && !linux

package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// Locks of the process: closing any descriptor of the file drops them, which is
// why a process opens its roll once.
const (
	setLock = unix.F_SETLK
	getLock = unix.F_GETLK
)

func lockByte(f *os.File, at int64) error {
	return unix.FcntlFlock(f.Fd(), setLock, &unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1})
}

func byteLocked(f *os.File, at int64) (bool, error) {
	l := unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1}
	err := unix.FcntlFlock(f.Fd(), getLock, &l)
	return l.Type != unix.F_UNLCK, err
}
