package file

import "golang.org/x/sys/unix"

// Locks of the open file rather than the process: closing another descriptor
// of the file does not drop them.
const (
	setLock = unix.F_OFD_SETLK
	getLock = unix.F_OFD_GETLK
)
