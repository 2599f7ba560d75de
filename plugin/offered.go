package plugin

import (
	"sync"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

// offered is a tool of one generation with what is made of it once, at its first
// call. Nobody changes it.
type offered struct {
	tool   tools.Tool
	scopes []tools.Scope // the tool's, never null on the wire
	schema *schema.Schema
}

func newOffered(t tools.Tool) *offered {
	return &offered{t, append([]tools.Scope{}, t.Scopes...), schema.New(t)}
}

// offers keeps what one generation of tools offers, as far as it was called.
type offers struct {
	mu         sync.Mutex
	generation uint64
	byName     map[tools.Name]*offered
}

// of gives a snapshot's tool, and whether this is the first time in its generation.
// A call that still runs on an older snapshot gets one of its own.
func (c *offers) of(s *capabilities.Snapshot, t tools.Tool) (o *offered, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := s.Generation(); g > c.generation || c.byName == nil {
		c.generation, c.byName = g, map[tools.Name]*offered{}
	} else if g < c.generation {
		return newOffered(t), false
	}
	if known := c.byName[t.Name]; known != nil {
		return known, false
	}
	c.byName[t.Name] = newOffered(t)
	return c.byName[t.Name], true
}

// offer is the tool that a call found. A schema that cannot be used is told once:
// the arguments go to the kernel unchecked.
func (h *Host) offer(s *capabilities.Snapshot, t tools.Tool) *offered {
	o, first := h.offers.of(s, t)
	if !first {
		return o
	}
	if err := o.schema.Fault(); err != nil {
		h.cfg.Log.Warn().Str("tool", string(t.Name)).Uint64("generation", s.Generation()).Err(err).
			Msg("a schema of the manifest cannot be used")
	}
	return o
}
