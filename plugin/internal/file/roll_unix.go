//go:build unix

package file

import (
	"os"

	"golang.org/x/sys/unix"
)

func lockByte(f *os.File, at int64) error {
	return unix.FcntlFlock(f.Fd(), setLock, &unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1})
}

func byteLocked(f *os.File, at int64) (bool, error) {
	l := unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1}
	err := unix.FcntlFlock(f.Fd(), getLock, &l)
	return l.Type != unix.F_UNLCK, err
}
