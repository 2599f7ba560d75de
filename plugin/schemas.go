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

// of gives the schema of a snapshot's tool. A call that still runs on an older
// snapshot gets one of its own.
func (c *schemas) of(s *capabilities.Snapshot, t tools.Tool) *schema.Schema {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := s.Generation(); g > c.generation || c.byName == nil {
		c.generation, c.byName = g, map[tools.Name]*schema.Schema{}
	} else if g < c.generation {
		return schema.New(t)
	}
	if c.byName[t.Name] == nil {
		c.byName[t.Name] = schema.New(t)
	}
	return c.byName[t.Name]
}
