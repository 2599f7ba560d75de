package plugin

import (
	"sync"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

// schemas keeps the compiled schemas of one generation of tools, so that a
// tool's schema is compiled once, at its first call.
type schemas struct {
	mu         sync.Mutex
	generation uint64
	byName     map[tools.Name]*schema.Schema
}

// of gives the schema of a snapshot's tool, and whether this is the first time in
// its generation. A call that still runs on an older snapshot gets one of its own.
func (c *schemas) of(s *capabilities.Snapshot, t tools.Tool) (compiled *schema.Schema, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := s.Generation(); g > c.generation || c.byName == nil {
		c.generation, c.byName = g, map[tools.Name]*schema.Schema{}
	} else if g < c.generation {
		return schema.New(t), false
	}
	if known := c.byName[t.Name]; known != nil {
		return known, false
	}
	c.byName[t.Name] = schema.New(t)
	return c.byName[t.Name], true
}

// schemaOf is the schema of a tool that a call found. One that cannot be used is
// told once: its arguments go to the kernel unchecked.
func (h *Host) schemaOf(s *capabilities.Snapshot, t tools.Tool) *schema.Schema {
	compiled, first := h.schemas.of(s, t)
	if !first {
		return compiled
	}
	if err := compiled.Fault(); err != nil {
		h.cfg.Log.Warn().Str("tool", string(t.Name)).Uint64("generation", s.Generation()).Err(err).
			Msg("a schema of the manifest cannot be used")
	}
	return compiled
}
