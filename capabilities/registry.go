package capabilities

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/tools"
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
	// ReadFirst stands in for an empty First and is called only when there is no
	// last good manifest, which spares a start the reading of one. May be nil.
	ReadFirst func() Manifest
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
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log gets a line when a manifest is odd or the kernel stops answering.
	Log zerolog.Logger
}

// Registry holds the current manifest and its switches. It is safe for
// concurrent use.
type Registry struct {
	cfg  Config
	snap atomic.Pointer[Snapshot]
	seen atomic.Pointer[time.Time]

	flights flights
	audience

	// doc and etag belong to the flight that runs: there is one at a time.
	doc  []byte
	etag string
}

// NewRegistry starts from the last good manifest or the first one. It asks no
// kernel and compiles no schema.
func NewRegistry(c Config) *Registry {
	if c.Poll <= 0 {
		c.Poll = 30 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	r := &Registry{cfg: c}
	m := r.first()
	r.doc, r.etag = m.Raw, m.ETag
	r.snap.Store(NewSnapshot(r.filled(m), c.AgentID))
	return r
}

// first gives the manifest to start from.
func (r *Registry) first() Manifest {
	m, ok := r.lastGood()
	if !ok {
		m = r.cfg.First
	}
	if !ok && len(m.Tools) == 0 && r.cfg.ReadFirst != nil {
		m = r.cfg.ReadFirst()
	}
	if len(m.Tools) == 0 {
		m = fallback()
	}
	return m
}

// Snapshot gives the current view. It never blocks and is never nil.
func (r *Registry) Snapshot() *Snapshot { return r.snap.Load() }

// Seen gives the time at which the kernel last confirmed the manifest; zero
// means not yet in this process.
func (r *Registry) Seen() time.Time {
	if t := r.seen.Load(); t != nil {
		return *t
	}
	return time.Time{}
}

// Refresh asks the kernel for its manifest now and returns when its answer is
// in force. Calls share one fetch, and never one that began before they did.
func (r *Registry) Refresh(ctx context.Context) error {
	if r.cfg.Source == nil {
		return nil
	}
	return r.flights.join(ctx, r.fetch)
}

// Run fetches at once and then at every poll, until ctx ends.
func (r *Registry) Run(ctx context.Context) {
	if r.cfg.Source == nil {
		<-ctx.Done()
		return
	}
	tick := time.NewTicker(r.cfg.Poll)
	defer tick.Stop()
	for failing := false; ; {
		err := r.Refresh(ctx)
		if ctx.Err() != nil {
			return
		}
		if (err != nil) != failing { // once, not at every poll
			failing = err != nil
			r.logTurn(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *Registry) logTurn(err error) {
	if err != nil {
		r.cfg.Log.Warn().Err(err).Msg("the kernel gives no manifest; the last one stays")
		return
	}
	r.cfg.Log.Info().Msg("the kernel gives its manifest again")
}

// fetch asks the kernel once and puts its answer in force.
func (r *Registry) fetch(ctx context.Context) error {
	m, err := r.cfg.Source.Manifest(ctx, r.etag)
	if err != nil && !errors.Is(err, ErrNotModified) {
		return err
	}
	now := r.cfg.Now()
	r.seen.Store(&now)
	if err != nil {
		return nil
	}
	r.etag = m.ETag
	if m.Raw != nil && bytes.Equal(m.Raw, r.doc) {
		return nil
	}
	r.doc = m.Raw
	r.warn(m)
	r.put(m)
	r.keep(m)
	return nil
}

// put makes the manifest the current one. The generation grows, and subscribers
// hear of it, only by a real difference.
func (r *Registry) put(m Manifest) {
	before := r.Snapshot()
	s := NewSnapshot(r.filled(m), r.cfg.AgentID)
	s.generation = before.generation
	if !s.same(before) {
		s.generation++
	}
	r.snap.Store(s)
	if !s.looksLike(before) {
		r.stir()
	}
}

// filled gives tools that came without a schema the one of our own manifests,
// else an open object.
func (r *Registry) filled(m Manifest) Manifest {
	var shipped Manifest
	for i, t := range m.Tools {
		if t.InputSchema != nil {
			continue
		}
		if shipped.Tools == nil {
			m.Tools = append([]tools.Tool(nil), m.Tools...)
			if r.cfg.Shipped != nil {
				shipped = r.cfg.Shipped()
			}
		}
		ours, _ := shipped.tool(t.Name)
		if m.Tools[i].InputSchema = ours.InputSchema; ours.InputSchema == nil {
			m.Tools[i].InputSchema = []byte(`{"type":"object","properties":{}}`)
		}
	}
	return m
}

// lastGood reads the manifest that an earlier process kept.
func (r *Registry) lastGood() (Manifest, bool) {
	if r.cfg.Load == nil {
		return Manifest{}, false
	}
	doc, err := r.cfg.Load()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.cfg.Log.Warn().Err(err).Msg("the last good manifest cannot be read and is ignored")
		}
		return Manifest{}, false
	}
	if len(doc) == 0 {
		return Manifest{}, false
	}
	m, err := Read(doc)
	if err != nil {
		r.cfg.Log.Warn().Err(err).Msg("the last good manifest is corrupt and is ignored")
		return Manifest{}, false
	}
	return m, true
}

// keep saves the manifest for the next process. A failure costs only that.
func (r *Registry) keep(m Manifest) {
	if r.cfg.Save == nil || len(m.Raw) == 0 {
		return
	}
	if err := r.cfg.Save(m.Raw); err != nil {
		r.cfg.Log.Warn().Err(err).Msg("the manifest cannot be kept for the next start")
	}
}

func (r *Registry) warn(m Manifest) {
	for _, w := range m.Warnings {
		r.cfg.Log.Warn().Str("manifest", m.Version).Msg(w)
	}
}
