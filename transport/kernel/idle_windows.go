package kernel

import (
	"net/http"
	"syscall"
)

// carrier is who carries requests: net/http. A connection that is idle cannot be
// asked here whether its other end is still there, so that there are no wires.
func carrier(t *http.Transport) http.RoundTripper { return t }

type idle struct{}

func (idle) open(syscall.Conn) {}

func (idle) quiet() bool { return false }
