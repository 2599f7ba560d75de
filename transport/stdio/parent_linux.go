package stdio

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitParent closes gone when pid, the process that started this one, is gone.
// The kernel tells by a descriptor of that process. PR_SET_PDEATHSIG is not used: it
// watches the thread that forked, and programs start us from threads that end
// long before they do.
func awaitParent(pid int, gone chan<- struct{}, stopped <-chan struct{}) {
	if parent := openParent(pid); parent != nil {
		ended := make(chan struct{})
		go awaitExit(parent, ended)
		select {
		case <-ended:
		case <-stopped:
		}
		_ = parent.Close() // ends awaitExit
		select {
		case <-stopped:
			return
		default:
		}
	}
	pollParent(pid, gone, stopped)
}

// openParent returns a descriptor of the parent process, or nil where there are
// none, or it is dead already, or it lives in another namespace.
func openParent(pid int) *os.File {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "parent")
	if os.Getppid() != pid {
		_ = f.Close()
		return nil
	}
	return f
}

// awaitExit closes ended when the process has exited or f is closed.
func awaitExit(f *os.File, ended chan<- struct{}) {
	defer close(ended)
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && err != unix.EINTR
	})
}
