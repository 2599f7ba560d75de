package capabilities

import (
	"context"
	"time"

	"github.com/rs/zerolog"
)

// Source fetches a kernel's manifest. With etag it may answer ErrNotModified.
// Every other error means nothing is known and the last manifest stays.
type Source interface {
	Manifest(ctx context.Context, etag string) (Manifest, error)
}

// Config says what a Registry starts from. The zero value is valid: the
// fallback manifest, never refreshed.
type Config struct {
	// First is served until anything better is known: the local kernel's own
	// manifest or the fallback. Without tools it is the fallback.
	First Manifest
	// Shipped gives a further manifest of ours whose schemas stand in for tools
	// that a kernel sends without one; called only then. May be nil.
	Shipped func() Manifest
	// Source is the kernel; nil means First never changes.
	Source Source
	// AgentID drops the packs that are not for this agent (hermes, reasonix,
	// mcp or another); empty means mcp.
	AgentID string
	// Load gives the last good manifest, which beats First; Save keeps a new
	// one. Either may be nil. A corrupt last good manifest is ignored.
	Load func() ([]byte, error)
	Save func([]byte) error
	// Poll is the time between two looks at the kernel; 0 means 30 s.
	Poll time.Duration
	Now  func() time.Time
	Log  zerolog.Logger
}

// Registry holds the current manifest and its switches.
type Registry struct{}

// NewRegistry starts from the last good manifest or the first one. It asks no
// kernel and compiles no schema.
func NewRegistry(c Config) *Registry { return &Registry{} }

// Snapshot gives the current view. It never blocks and is never nil.
func (r *Registry) Snapshot() *Snapshot { return &Snapshot{} }

// Refresh asks the kernel for its manifest now and returns when its answer is
// in force. Calls share one fetch, and never one that began before they did.
func (r *Registry) Refresh(ctx context.Context) error { return nil }

// Run fetches at once and then at every poll, until ctx ends.
func (r *Registry) Run(ctx context.Context) {}

// Subscribe has f called, from a goroutine of the registry's, after what is
// advertised or switched really changed; changes close together are one call.
func (r *Registry) Subscribe(f func()) (cancel func()) { return func() {} }
