//go:build unix && !linux

package stdio

import "golang.org/x/sys/unix"

// duplicate makes to another name of from.
func duplicate(from, to int) error { return unix.Dup2(from, to) }
