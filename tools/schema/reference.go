package schema

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// definitions is where the judge's form keeps what is referred to.
const definitions = "#/$defs/"

// maxSame bounds how many schemas one value may be held against, without those
// of its members.
const maxSame = 10_000

// references are the places of a document that are referred to, each read once.
type references struct {
	anchors map[string]string // places, JSON pointers, by name; nil until needed
	names   map[string]string // by place
	queue   []string
	read    map[string]*jsonschema.Schema // by name
}

// core reads the keywords that name schemas and lead to them.
func (r *reader) core(s *jsonschema.Schema, key string, v any) bool {
	switch key {
	case "$ref", "$dynamicRef", "$recursiveRef": // in one document all lead to one place
		to := r.reference(v)
		if s.Ref == "" {
			s.Ref = to
		} else {
			s.AllOf = append(s.AllOf, &jsonschema.Schema{Ref: to})
		}
	case "$defs", "definitions":
		r.aside(func() { r.members(v) }) // those that are used are read as references
	case "$id", "id":
		r.id(key, v)
	default:
		return false
	}
	return true
}

// aside reads schemas that need only be sound.
func (r *reader) aside(read func()) {
	r.unused++
	read()
	r.unused--
}

// id takes the document's own address, and names of older drafts. A part with
// an address of its own would change what references mean.
func (r *reader) id(key string, v any) {
	if (key == "id") != (r.draft == 4) {
		r.passOver(key)
		return
	}
	address, ok := v.(string)
	if !ok || len(r.path) > 1 && r.unused == 0 && (r.draft >= 2019 || !strings.HasPrefix(address, "#")) {
		r.fail("a part of the schema may not have an address of its own")
	}
}

// reference gives the place in the judge's form that a reference leads to.
func (r *reader) reference(v any) string {
	ref, ok := v.(string)
	if ok && r.unused > 0 {
		return ""
	}
	place, found := r.place(ref)
	if !ok || !found {
		r.fail("the reference %s leads nowhere in this document, and may not lead to another", quoted(ref))
		return ""
	}
	name, known := r.defs.names[place]
	if !known {
		name = strconv.Itoa(len(r.defs.names))
		r.defs.names[place] = name
		r.defs.queue = append(r.defs.queue, place)
	}
	return definitions + name
}

// place finds the JSON pointer that a reference means.
func (r *reader) place(ref string) (string, bool) {
	address, fragment, _ := strings.Cut(ref, "#")
	if address != "" && !r.isOwn(address) {
		return "", false
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return "", false
	}
	if fragment != "" && fragment[0] != '/' {
		if r.defs.anchors == nil {
			r.defs.anchors = map[string]string{}
			anchors(r.doc, "", r.defs.anchors)
		}
		place, ok := r.defs.anchors[fragment]
		return place, ok
	}
	_, ok := at(r.doc, fragment)
	return fragment, ok
}

// isOwn reports whether an address is the document's own.
func (r *reader) isOwn(address string) bool {
	m, _ := r.doc.(map[string]any)
	own, _ := m["$id"].(string)
	base, err := url.Parse(strings.TrimSuffix(own, "#"))
	if own == "" || err != nil {
		return false
	}
	full, err := base.Parse(address)
	return err == nil && full.String() == base.String()
}

// at finds what a JSON pointer leads to.
func at(doc any, place string) (any, bool) {
	if place == "" {
		return doc, true
	}
	for _, step := range strings.Split(place, "/")[1:] {
		switch d := doc.(type) {
		case map[string]any:
			next, ok := d[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
			if !ok {
				return nil, false
			}
			doc = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(d) {
				return nil, false
			}
			doc = d[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// anchors finds the places of the schemas that have a name. Of two with the
// same the first place counts.
func anchors(doc any, place string, found map[string]string) {
	switch d := doc.(type) {
	case map[string]any:
		for _, name := range []any{d["$anchor"], d["$dynamicAnchor"], named(d["$id"])} {
			name, _ := name.(string)
			if first, twice := found[name]; !twice || place < first {
				found[name] = place
			}
		}
		for key, v := range d {
			anchors(v, place+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key), found)
		}
	case []any:
		for i, v := range d {
			anchors(v, place+"/"+strconv.Itoa(i), found)
		}
	}
}

// named gives the name in an id of older drafts, such as #name.
func named(id any) string {
	address, _ := id.(string)
	if name, ok := strings.CutPrefix(address, "#"); ok {
		return name
	}
	return ""
}

// follow reads everything that is referred to, until nothing new is.
func (r *reader) follow() map[string]*jsonschema.Schema {
	for len(r.defs.queue) > 0 && r.err == nil {
		place := r.defs.queue[0]
		r.defs.queue = r.defs.queue[1:]
		doc, _ := at(r.doc, place)
		if r.path = nil; place != "" {
			r.path = strings.Split(place, "/")[1:]
		}
		r.defs.read[r.defs.names[place]] = r.schema(doc)
	}
	return r.defs.read
}

// unfolding counts how many schemas one value is held against, and what that takes.
type unfolding struct {
	defs    map[string]*jsonschema.Schema
	counts  map[*jsonschema.Schema]int // openCount while it is being counted
	weights map[*jsonschema.Schema]int
	todo    []*jsonschema.Schema
}

const openCount = -1

// unfold refuses references that lead back to themselves without a step into
// the value, which the judge would follow without end, and those that multiply.
// It gives what it takes to hold each schema against one value.
func unfold(root *jsonschema.Schema) (weights map[*jsonschema.Schema]int, err error) {
	u := unfolding{
		defs: root.Defs, counts: map[*jsonschema.Schema]int{}, weights: map[*jsonschema.Schema]int{}, todo: []*jsonschema.Schema{root},
	}
	for len(u.todo) > 0 {
		s := u.todo[len(u.todo)-1]
		u.todo = u.todo[:len(u.todo)-1]
		if _, err := u.count(s); err != nil {
			return nil, err
		}
	}
	return u.weights, nil
}

func (u *unfolding) count(s *jsonschema.Schema) (int, error) {
	switch n := u.counts[s]; {
	case n == openCount:
		return 0, errors.New("a reference leads back to itself")
	case n > 0:
		return n, nil
	}
	u.counts[s] = openCount
	same, inside := children(s)
	u.todo = append(u.todo, inside...)
	if name, refers := strings.CutPrefix(s.Ref, definitions); refers {
		same = append(same, u.defs[name])
	}
	total, takes := 1, weight(s)
	for _, c := range same {
		n, err := u.count(c)
		if err != nil {
			return 0, err
		}
		if total += n; total > maxSame {
			return 0, errors.New("the references unfold to too many schemas")
		}
		takes = min(takes+u.weights[c], maxEffort+1)
	}
	u.counts[s], u.weights[s] = total, takes
	return total, nil
}

// reachable gives the definitions that a schema needs.
func reachable(s *jsonschema.Schema, defs map[string]*jsonschema.Schema) (used map[string]*jsonschema.Schema, nodes int) {
	todo := []*jsonschema.Schema{s}
	for ; len(todo) > 0; nodes++ {
		s, todo = todo[len(todo)-1], todo[:len(todo)-1]
		same, inside := children(s)
		todo = append(todo, slices.Concat(same, inside)...)
		if name, refers := strings.CutPrefix(s.Ref, definitions); refers && used[name] == nil {
			if used == nil {
				used = map[string]*jsonschema.Schema{}
			}
			used[name] = defs[name]
			todo = append(todo, defs[name])
		}
	}
	return used, nodes
}
