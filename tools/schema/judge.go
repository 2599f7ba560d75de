package schema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// judge says whether values fit a schema. The library decides, yes or no; it is
// given the schema in a form in which it is right, and the value as it reads
// values. What a refused value breaks is found by asking it again about smaller
// and smaller pieces.
type judge struct {
	doc    func() any // maps, fresh each time
	strict bool
	rules  *rules
	// For the values of a call: what reading the schema has found.
	show                          shower
	measures, divides, needsExact bool
}

// rules are a schema in the library's form.
type rules struct {
	root     *jsonschema.Schema
	named    map[*jsonschema.Schema]string // branches that stand for one keyword
	resolved *jsonschema.Resolved
}

// compile makes a judge of a schema document. A strict one knows every keyword
// of it or is none. A panic of the library is an error like any other.
func compile(doc func() any, strict bool) (j *judge, err error) {
	defer func() {
		if p := recover(); p != nil {
			j, err = nil, fmt.Errorf("the schema cannot be compiled: %v", p)
		}
	}()
	j = &judge{doc: doc, strict: strict}
	r, rules, err := j.read(nil)
	if err != nil {
		return nil, err
	}
	j.rules = rules
	j.measures, j.divides, j.needsExact = r.measures, r.divides, r.needsExact
	seen := map[string]bool{}
	for _, f := range r.formats {
		if !seen[f.name] {
			j.show.formats = append(j.show.formats, f)
		}
		seen[f.name] = true
	}
	return j, nil
}

// read gives the rules for all calls, or for the one whose values are given.
func (j *judge) read(e *exact) (*reader, *rules, error) {
	doc := nullable(j.doc())
	draft, err := dialect(doc)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{
		doc: doc, draft: draft, strict: j.strict, exact: e,
		defs:  references{names: map[string]string{}, read: map[string]*jsonschema.Schema{}},
		named: map[*jsonschema.Schema]string{},
	}
	root := r.schema(doc)
	root.Defs = r.follow()
	if r.err != nil {
		return nil, nil, r.err
	}
	if err := unfold(root); err != nil {
		return nil, nil, err
	}
	resolved, err := root.Resolve(nil)
	return r, &rules{root, r.named, resolved}, err
}

// faults gives what a value breaks, nothing if it fits.
func (j *judge) faults(v any) []fault {
	rules, shown := j.shown(v)
	if rules.fit(shown) {
		return nil
	}
	return rules.find(shown)
}

// fits reports whether a value fits.
func (j *judge) fits(v any) bool {
	rules, shown := j.shown(v)
	return rules.fit(shown)
}

// fit asks the library. Where it fails, the value fits: its kernel checks it.
func (r *rules) fit(v any) (ok bool) {
	defer func() { ok = ok || recover() != nil }()
	return r.resolved.Validate(v) == nil
}

// find gives the faults of a value that does not fit, at least one.
func (r *rules) find(v any) (found []fault) {
	defer func() {
		if recover() != nil {
			found = []fault{{value: v}}
		}
	}()
	f := finder{rules: r, asked: map[question]*jsonschema.Resolved{}, left: maxQuestions}
	f.find(nil, r.root, v)
	return f.found
}

// shown gives a value as the library reads it, and the rules for it.
func (j *judge) shown(v any) (*rules, any) {
	show := j.show
	shown, _ := show.value(v)
	odd := j.measures && (show.odd || j.divides && show.large || j.needsExact && show.numbers)
	if !odd && show.bad == nil {
		return j.rules, shown
	}
	e := &exact{standIns: map[string]any{}, bad: show.bad}
	again := shower{exact: e}
	standing, _ := again.value(v)
	if len(e.standIns)+len(slices.Concat(slices.Collect(maps.Values(e.bad))...)) > maxExact {
		return j.rules, shown
	}
	if _, rules, err := j.read(e); err == nil {
		return rules, standing
	}
	return j.rules, shown
}
