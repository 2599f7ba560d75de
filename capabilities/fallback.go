package capabilities

import (
	_ "embed"
	"slices"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
)

//go:embed fallback.json
var fallbackJSON []byte

// fallback reads the embedded manifest once; it goes through the same reader
// as any other.
var fallback = sync.OnceValue(func() Manifest {
	m, err := read(fallbackJSON, func() Manifest { return Manifest{} })
	if err != nil {
		panic("capabilities: fallback.json: " + err.Error()) // embedded and tested
	}
	return m
})

// Fallback gives the manifest shipped with the host: the tools that the seeds
// name, used until a remote kernel's first answer.
func Fallback() Manifest {
	m := fallback()
	m.Packs, m.Tools = slices.Clone(m.Packs), slices.Clone(m.Tools)
	return m
}

// tool finds a tool of the manifest by name.
func (m Manifest) tool(n tools.Name) (tools.Tool, bool) {
	i := slices.IndexFunc(m.Tools, func(t tools.Tool) bool { return t.Name == n })
	if i < 0 {
		return tools.Tool{}, false
	}
	return m.Tools[i], true
}

// pack finds a pack of the manifest by id, else by alias.
func (m Manifest) pack(id string) (Pack, bool) {
	i := slices.IndexFunc(m.Packs, func(p Pack) bool { return p.ID == id })
	if i < 0 {
		i = slices.IndexFunc(m.Packs, func(p Pack) bool { return p.answersTo(id) })
	}
	if i < 0 {
		return Pack{}, false
	}
	return m.Packs[i], true
}

func (p Pack) answersTo(id string) bool { return p.ID == id || slices.Contains(p.Aliases, id) }
