package stdio

import "golang.org/x/sys/unix"

// Shield closes this process to others of the same user: they read neither its
// memory nor the environment that it was started with, no debugger attaches, and
// it leaves no core dump. Children that it starts are not shielded. It is one
// system call; root is not kept out.
func Shield() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
