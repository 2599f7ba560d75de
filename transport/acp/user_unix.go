//go:build unix

package acp

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// control runs f on a connection's descriptor.
func control(conn net.Conn, f func(fd int) error) error {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return errors.New("the connection has no descriptor")
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}

// ours reports whether a folder is this user's and nobody else may enter it.
func ours(at fs.FileInfo) bool {
	st, ok := at.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && at.Mode().Perm()&0o077 == 0
}

// running reports whether a process of that id lives.
func running(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }
