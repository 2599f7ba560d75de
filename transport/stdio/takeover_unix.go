//go:build unix

package stdio

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// surviveClosedPipes keeps a write to a closed stdout or stderr from killing the
// process. The signal is caught, not ignored: children would inherit that.
func surviveClosedPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// takeStdout moves the real stdout to a descriptor that no child inherits and
// makes descriptor 1 a second stderr. What the system refuses to move stays.
func takeStdout() *os.File {
	fd, err := unix.FcntlInt(uintptr(syscall.Stdout), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return os.Stdout
	}
	if err := duplicate(syscall.Stderr, syscall.Stdout); err != nil {
		_ = unix.Close(fd)
		return os.Stdout
	}
	return os.NewFile(uintptr(fd), "frames")
}
