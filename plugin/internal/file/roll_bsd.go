//go:build unix && !linux

package file

import "golang.org/x/sys/unix"

// Locks of the process: closing any descriptor of the file drops them, which is
// why a process opens its roll once.
const (
	setLock = unix.F_SETLK
	getLock = unix.F_GETLK
)
