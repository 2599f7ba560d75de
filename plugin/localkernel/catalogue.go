package localkernel

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

//go:embed manifest.json
var manifestJSON []byte

// ManifestJSON gives the local kernel's own manifest as it is compiled in, with
// every switch on.
func ManifestJSON() []byte { return slices.Clone(manifestJSON) }

// entry is one tool of the catalogue with what reading its arguments takes.
type entry struct {
	tools.Tool
	schema *schema.Schema
	// known are the members that the input schema names.
	known map[string]bool
}

// catalogue is the manifest, read once.
type catalogue struct {
	version string
	tools   []*entry
	byName  map[tools.Name]*entry
	packs   []capabilities.Pack
}

// ownCatalogue reads the manifest at its first use.
var ownCatalogue = sync.OnceValue(func() *catalogue {
	m, err := capabilities.Read(manifestJSON)
	if err != nil { // embedded and tested
		panic(fmt.Sprintf("localkernel: manifest.json: %v", err))
	}
	c := &catalogue{version: m.Version, packs: m.Packs, byName: map[tools.Name]*entry{}}
	for _, t := range m.Tools {
		e := &entry{Tool: t, schema: schema.New(t), known: members(t.InputSchema)}
		c.tools, c.byName[t.Name] = append(c.tools, e), e
	}
	return c
})

func members(inputSchema []byte) map[string]bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	known := map[string]bool{}
	if json.Unmarshal(inputSchema, &s) == nil {
		for name := range s.Properties {
			known[name] = true
		}
	}
	return known
}

// pack finds a pack by id or alias.
func (c *catalogue) pack(id string) (capabilities.Pack, bool) {
	for _, p := range c.packs {
		if p.ID == id || slices.Contains(p.Aliases, id) {
			return p, true
		}
	}
	return capabilities.Pack{}, false
}

// planned reports whether a pack has tools and none of them is built yet.
func (c *catalogue) planned(p capabilities.Pack) bool {
	for _, name := range p.ToolNames {
		if e := c.byName[tools.Name(name)]; e != nil && e.Status != tools.StatusPlanned {
			return false
		}
	}
	return len(p.ToolNames) > 0
}
