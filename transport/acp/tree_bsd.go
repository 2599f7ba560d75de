//go:build unix && !linux

package acp

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes: a group of its own. The end of ours it sees by its stdin.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// duplicate makes to another name of from.
func duplicate(from, to int) error { return unix.Dup2(from, to) }

// IsTerminal reports whether a person sits at the file.
func IsTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TIOCGETA)
	return err == nil
}
