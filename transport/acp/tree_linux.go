package acp

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes: a group of its own, and an end with ours, whatever ends us.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// duplicate makes to another name of from. Not every Linux has dup2.
func duplicate(from, to int) error { return unix.Dup3(from, to, 0) }

// IsTerminal reports whether a person sits at the file.
func IsTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
