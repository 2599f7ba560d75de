package vault

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// heldForWriting reports whether a program has the file open for writing: an
// editor that saves in place, say, between emptying the file and filling it. A
// read lease is to be had only while nobody has. Where leases are not to be had
// (another owner's file, a file system without them) it says no.
func heldForWriting(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var held bool
	_ = raw.Control(func(fd uintptr) { // f is open: Control cannot fail
		_, err := unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_RDLCK)
		if err == nil {
			_, _ = unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_UNLCK) // ours to give back
		}
		held = errors.Is(err, unix.EAGAIN)
	})
	return held
}
