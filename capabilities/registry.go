package capabilities

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
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
	// Stamp changes whenever the manifest may have become another one, for the cost
	// of a look: a last good manifest of another stamp is not served, not even to
	// begin with. Without it nobody can tell how old that one is. May be nil.
	Stamp func() string
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

	// doc, etag and the stamp that doc was kept under belong to the flight that
	// runs: there is one at a time.
	doc  []byte
	etag string
	kept string
}

// NewRegistry starts from the last good manifest or the first one. It asks no
// kernel by itself and compiles no schema.
func NewRegistry(c Config) *Registry {
	if c.Poll <= 0 {
		c.Poll = 30 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	r := &Registry{cfg: c}
	m, told := r.first()
	r.doc, r.etag = m.Raw, m.ETag
	s := NewSnapshot(r.filled(m), c.AgentID)
	s.guess = !told && c.Source != nil
	r.snap.Store(s)
	return r
}

// first gives the manifest to start from, and whether it was told: by the caller,
// or under a stamp that is in force. What an earlier process heard is else a guess.
func (r *Registry) first() (m Manifest, told bool) {
	m, kept := r.lastGood()
	told = !kept || r.cfg.Stamp != nil
	if !kept {
		m = r.cfg.First
	}
	if !kept && len(m.Tools) == 0 && r.cfg.ReadFirst != nil {
		m = r.cfg.ReadFirst()
	}
	if len(m.Tools) == 0 {
		return fallback(), false
	}
	return m, told
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
	stamp := r.stamp() // before the kernel is asked: what it says is not older
	m, err := r.cfg.Source.Manifest(ctx, r.etag)
	if err != nil && !errors.Is(err, ErrNotModified) {
		return err
	}
	now := r.cfg.Now()
	r.seen.Store(&now)
	if err == nil {
		r.etag = m.ETag
	}
	if err != nil || m.Raw != nil && bytes.Equal(m.Raw, r.doc) {
		r.confirm()
		if stamp != r.kept {
			r.keep(r.doc, stamp)
		}
		return nil
	}
	r.doc = m.Raw
	r.warn(m)
	r.put(m)
	r.keep(m.Raw, stamp)
	return nil
}

// confirm makes a view that was a guess a certain one: it is the same.
func (r *Registry) confirm() {
	if s := r.Snapshot(); s.guess {
		certain := *s
		certain.guess = false
		r.snap.Store(&certain)
	}
}

func (r *Registry) stamp() string {
	if r.cfg.Stamp == nil {
		return ""
	}
	return r.cfg.Stamp()
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
	if doc = r.current(doc); len(doc) == 0 {
		return Manifest{}, false
	}
	m, err := Read(doc)
	if err != nil {
		r.cfg.Log.Warn().Err(err).Msg("the last good manifest is corrupt and is ignored")
		return Manifest{}, false
	}
	return m, true
}

// current gives what was kept without its stamp, or nothing where another is in
// force.
func (r *Registry) current(doc []byte) []byte {
	if r.cfg.Stamp == nil {
		return doc
	}
	under, doc, stamped := bytes.Cut(doc, []byte("\n"))
	if now := r.stamp(); !stamped || string(under) != now {
		return nil
	}
	r.kept = string(under)
	return doc
}

// keep saves the manifest for the next process, under its stamp where there are
// stamps. A failure costs only that.
func (r *Registry) keep(doc []byte, stamp string) {
	if r.cfg.Save == nil || len(doc) == 0 {
		return
	}
	r.kept = stamp
	if r.cfg.Stamp != nil {
		doc = slices.Concat([]byte(stamp), []byte("\n"), doc)
	}
	if err := r.cfg.Save(doc); err != nil {
		r.cfg.Log.Warn().Err(err).Msg("the manifest cannot be kept for the next start")
	}
}

func (r *Registry) warn(m Manifest) {
	for _, w := range m.Warnings {
		r.cfg.Log.Warn().Str("manifest", m.Version).Msg(w)
	}
}
