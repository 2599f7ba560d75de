package acp

import (
	"errors"
	"io/fs"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// peerPid is SIO_AF_UNIX_GETPEERPID: the process at the other end of a socket.
const peerPid = 0x58000100

// sameUser refuses a peer that is another user's process.
func sameUser(conn net.Conn) error {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return errors.New("the connection has no handle")
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var pid, n uint32
	var inner error
	err = raw.Control(func(fd uintptr) {
		inner = windows.WSAIoctl(windows.Handle(fd), peerPid, nil, 0, (*byte)(unsafe.Pointer(&pid)), uint32(unsafe.Sizeof(pid)), &n, nil, 0)
	})
	if err = errors.Join(err, inner); err != nil {
		return err
	}
	peer, err := userOf(pid)
	if err != nil {
		return err
	}
	me, err := userOf(windows.GetCurrentProcessId())
	if err != nil {
		return err
	}
	if !peer.Equals(me) {
		return errors.New("the peer is another user's process")
	}
	return nil
}

// userOf gives the user that a process runs as.
func userOf(pid uint32) (*windows.SID, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return nil, err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	var token windows.Token
	if err := windows.OpenProcessToken(process, windows.TOKEN_QUERY, &token); err != nil {
		return nil, err
	}
	defer func() { _ = token.Close() }()
	user, err := token.GetTokenUser()
	if err != nil {
		return nil, err
	}
	return user.User.Sid.Copy()
}

// ours trusts a folder below the user's own, which its access list keeps.
func ours(fs.FileInfo) bool { return true }

// running reports whether a process of that id lives.
func running(pid int) bool {
	const stillActive = 259
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = windows.CloseHandle(h) }()
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code == stillActive
}
