package kernel

import "syscall"

// looks says that an idle connection cannot be looked at, so that there are no wires.
const looks = false

type idle struct{}

func (idle) open(syscall.Conn) {}

func (idle) quiet() bool { return false }
