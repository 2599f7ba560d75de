package capabilities

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/tools"
)

// maxManifest bounds a kernel's manifest in bytes.
const maxManifest = 4 << 20

// Read reads a kernel's manifest tolerantly (kernel-api, "Manifest"): what is
// missing gets its stated meaning, what is wrong is skipped with a warning, and
// only a document that is no manifest at all is an error. A tool that came
// without a schema, and is none of ours, has a nil InputSchema: any object. The
// manifest keeps doc: do not change it afterwards.
func Read(doc []byte) (Manifest, error) {
	if err := vet(doc); err != nil {
		return Manifest{}, err
	}
	return read(doc, fallback)
}

// reader holds what one reading has found so far.
type reader struct {
	m Manifest
	// shipped gives our own manifest, which fills in; called when needed.
	shipped func() Manifest
	// byWire finds a tool's place by its wire name.
	byWire map[string]int
	// entry is the tool or the pack that is read just now.
	entry object
}

// read reads a document that is vetted, or compiled in.
func read(doc []byte, shipped func() Manifest) (Manifest, error) {
	root := gjson.Parse(shared(doc))
	if !root.IsObject() {
		return Manifest{}, errors.New("the manifest is not a JSON object")
	}
	r := reader{shipped: shipped, byWire: map[string]int{}}
	r.entry.warn = r.warn
	o := newObject("manifest", root, r.warn)
	list, ok := o.get("tools")
	if !ok || !list.IsArray() {
		return Manifest{}, errors.New("the document is no manifest: it has no list of tools")
	}
	if !o.flag(true, "ok") {
		return Manifest{}, errors.New("the document is no manifest: it says ok: false")
	}
	r.m.Raw = doc
	r.m.Version = o.text("", "manifestVersion")
	r.m.WorkspaceID = o.text("", "workspaceId")
	list.ForEach(func(_, v gjson.Result) bool {
		r.tool(v)
		return true
	})
	r.packs(o)
	r.join()
	return r.m, nil
}

// vet refuses what must not reach gjson, which reads invalid JSON happily.
func vet(doc []byte) error {
	switch {
	case len(doc) > maxManifest:
		return fmt.Errorf("the manifest has %d bytes; at most %d are read", len(doc), maxManifest)
	case !utf8.Valid(doc):
		return errors.New("the manifest is not UTF-8")
	case !gjson.ValidBytes(doc):
		return errors.New("the manifest is not JSON")
	}
	return nil
}

// shared gives the bytes as a string without copying them: a manifest keeps its
// document, which nobody changes, and a start has none of its pages to spare.
func shared(doc []byte) string { return unsafe.String(unsafe.SliceData(doc), len(doc)) }

func (r *reader) warn(format string, args ...any) {
	const most = 100
	switch n := len(r.m.Warnings); {
	case n < most:
		r.m.Warnings = append(r.m.Warnings, fmt.Sprintf(format, args...))
	case n == most:
		r.m.Warnings = append(r.m.Warnings, "more warnings were left out")
	}
}

// packs reads the capabilities. A kernel from before 7-47 sends none at all:
// then the packs shipped with the host fill in.
func (r *reader) packs(o *object) {
	list, ok := o.get("capabilities")
	if !ok {
		r.fillIn()
		return
	}
	if !list.IsArray() {
		o.wrong("capabilities", "a list")
		r.fillIn()
		return
	}
	list.ForEach(func(_, v gjson.Result) bool {
		r.pack(v)
		return true
	})
}

// fillIn gives the tools to the packs shipped with the host, by their names. A
// pack that would have no tool left of it is not offered.
func (r *reader) fillIn() {
	for _, p := range r.shipped().Packs {
		hadTools := len(p.ToolNames) > 0
		p.ToolNames = nil
		for i := range r.m.Tools {
			t := &r.m.Tools[i]
			if !belongs(t.Name, p.ID) {
				continue
			}
			if t.PackIDs = append(t.PackIDs, p.ID); t.PackIDs[0] == p.ID {
				p.ToolNames = append(p.ToolNames, string(t.Name))
			}
		}
		if len(p.ToolNames) > 0 || !hadTools {
			r.m.Packs = append(r.m.Packs, p)
		}
	}
}

// belongs reports whether a tool of a manifest without packs is the pack's.
func belongs(n tools.Name, packID string) bool {
	return slices.ContainsFunc(known().packs[packID], func(pattern string) bool { return matches(pattern, string(n)) })
}

// join makes packs and tools agree both ways: a tool that a pack lists knows
// the pack, a pack without a list takes the tools that name it first, and what
// is left over belongs to PackOther.
func (r *reader) join() {
	for i := range r.m.Packs {
		r.listTools(&r.m.Packs[i])
	}
	var left []string
	for i := range r.m.Tools {
		t := &r.m.Tools[i]
		t.PackIDs = r.knownPacks(*t)
		if len(t.PackIDs) == 0 && t.Status != tools.StatusRetired {
			t.PackIDs = []string{PackOther}
			left = append(left, string(t.Name))
		}
	}
	isOther := func(p Pack) bool { return p.ID == PackOther }
	if len(left) > 0 && !slices.ContainsFunc(r.m.Packs, isOther) {
		r.m.Packs = append(r.m.Packs, other(left))
	}
}

func (r *reader) listTools(p *Pack) {
	if p.ToolNames == nil {
		for _, t := range r.m.Tools {
			if len(t.PackIDs) > 0 && p.answersTo(t.PackIDs[0]) {
				p.ToolNames = append(p.ToolNames, string(t.Name))
			}
		}
		return
	}
	p.ToolNames = slices.DeleteFunc(slices.Clone(p.ToolNames), func(n string) bool {
		i, ok := r.byWire[tools.WireName(tools.Name(n))]
		switch {
		case !ok || string(r.m.Tools[i].Name) != n:
			r.warn("capability %s lists the unknown tool %s", p.ID, short(n))
			return true
		case r.m.Tools[i].Status == tools.StatusRetired:
			return true
		}
		if t := &r.m.Tools[i]; !slices.ContainsFunc(t.PackIDs, p.answersTo) {
			t.PackIDs = append(t.PackIDs, p.ID)
		}
		return false
	})
}

// knownPacks gives the ids of the tool's packs, aliases made good, each once.
func (r *reader) knownPacks(t tools.Tool) []string {
	var ids []string
	for _, id := range t.PackIDs {
		p, ok := r.m.pack(id)
		switch {
		case !ok && id != PackOther:
			r.warn("tool %s names the unknown capability %s", t.Name, short(id))
		case ok && !slices.Contains(ids, p.ID):
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// kind reads what a tool does. A tool that does not say reads only when every
// word of its scope does; an unknown word is taken for a write.
func kind(o *object, scopes []tools.Scope) tools.Kind {
	word := o.text("", "kind", "effect")
	switch k := tools.Kind(strings.ToLower(word)); {
	case k == tools.KindRead || k == tools.KindWrite:
		return k
	case word != "":
		o.warn("%s: the kind %s is unknown and taken for write", o.what, short(word))
		return tools.KindWrite
	}
	writes := func(s tools.Scope) bool { return !strings.HasSuffix(string(s), ".read") }
	if len(scopes) == 0 || slices.ContainsFunc(scopes, writes) {
		return tools.KindWrite
	}
	return tools.KindRead
}
