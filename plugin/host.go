package plugin

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
)

// closeGrace is how long Close waits for a kernel to give up a call.
const closeGrace = time.Second

// ledgerFile is the ledger's name in the state folder.
const ledgerFile = "host.db"

// Config makes a Host. Its zero value makes one that refuses every call, since
// it reaches no kernel.
type Config struct {
	// Kernel runs the tools; nil refuses every call.
	Kernel Kernel
	// Registry says which tools exist and are switched on; nil is the fallback
	// manifest's.
	Registry *capabilities.Registry
	// StateDir is the folder of host.db; "" is none: reads are served and
	// writes are refused with reason no_state.
	StateDir string
	// ApproveWith are the further words with which a person's command approves a plan
	// of this host's, quoted for a shell: where its records and its kernel are.
	ApproveWith string
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
	cfg     Config
	now     func() time.Time
	newID   func(prefix string) string
	limits  Limits
	ledger  *ledger.Ledger
	offers  offers
	pending pending

	// behind counts what still runs after its call has answered; ctx ends it.
	behind sync.WaitGroup
	ctx    context.Context
	stop   context.CancelFunc
}

// New makes a host. It does no I/O: the ledger is opened by the first call that
// needs it.
func New(cfg Config) *Host {
	h := &Host{cfg: cfg, now: cfg.Now, newID: cfg.NewID, limits: cfg.Limits.filled()}
	if h.now == nil {
		h.now = time.Now
	}
	if h.newID == nil {
		h.newID = randomID
	}
	if cfg.Registry == nil {
		h.cfg.Registry = capabilities.NewRegistry(capabilities.Config{Now: h.now, Log: cfg.Log})
	}
	h.ledger = ledger.Open(ledger.Config{Path: statePath(cfg.StateDir), Now: h.now, Log: cfg.Log})
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h
}

func statePath(dir string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, ledgerFile)
}

// Close waits until the writes whose callers have gone are settled, or ctx
// ends: what is then still out goes in doubt, for the retry. It writes what the
// ledger holds back and closes it. No call may run or start after it.
func (h *Host) Close(ctx context.Context) error {
	settled := make(chan struct{})
	go func() {
		h.behind.Wait()
		close(settled)
	}()
	select {
	case <-settled:
	case <-ctx.Done():
	}
	h.stop()
	select {
	case <-settled:
	case <-time.After(closeGrace): // a kernel that does not honour its context
	}
	return h.ledger.Close()
}

// refresh asks the kernel for its newest word on tools and switches, within the
// patience of a call about to be refused; nil says that it came.
func (h *Host) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, refreshPatience)
	defer cancel()
	return h.cfg.Registry.Refresh(ctx)
}

// goBehind runs f beside the calls, and Close waits for it. f is given the
// host's context, for it outlives the call that started it.
func (h *Host) goBehind(f func(ctx context.Context)) {
	h.behind.Go(func() {
		defer func() { h.panicked("", recover()) }()
		f(h.ctx)
	})
}

// panicked logs a recovered panic, for a trace, and reports whether there was
// one. Its text stays in the log: it may hold anything.
func (h *Host) panicked(trace string, what any) bool {
	if what == nil {
		return false
	}
	h.cfg.Log.Error().Str("traceId", trace).Str("panic", fmt.Sprint(what)).
		Str("stack", string(debug.Stack())).Msg("panic in a call")
	return true
}
