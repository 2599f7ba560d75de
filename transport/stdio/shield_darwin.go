package stdio

import "golang.org/x/sys/unix"

// Shield lets no debugger attach to this process. Its memory is closed to others
// of the same user anyway, unless they have the right to debug; the environment
// that it was started with is not, which is why a token belongs into a file.
func Shield() error {
	if _, _, errno := unix.Syscall(unix.SYS_PTRACE, unix.PT_DENY_ATTACH, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
