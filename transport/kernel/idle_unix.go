//go:build unix

package kernel

import "syscall"

// looks says that an idle connection can be looked at.
const looks = true

// idle looks at a connection that nobody reads.
type idle struct {
	raw   syscall.RawConn
	look  func(fd uintptr) bool
	empty bool // what look found
}

func (i *idle) open(c syscall.Conn) {
	i.raw, _ = c.SyscallConn() // without one no request follows the first
	i.look = func(fd uintptr) bool {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		i.empty = err == syscall.EAGAIN
		return true
	}
}

// quiet reports whether the other end is still there and has said nothing since the
// last answer. It is asked before a request goes out: of one that went out on a dead
// connection nobody could say what it did.
func (i *idle) quiet() bool {
	i.empty = false
	return i.raw != nil && i.raw.Read(i.look) == nil && i.empty
}
