//go:build unix

package sqlite

import "golang.org/x/sys/unix"

// noSpace is what the system says of a full disk.
const noSpace = unix.ENOSPC
