package schema

import (
	"fmt"
	"sync"

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
	simple *simple
	// For the values of a call: what reading the schema has found.
	show                          shower
	measures, divides, needsExact bool
}

// rules are a schema in the library's form, made ready for it at first use.
type rules struct {
	root  *jsonschema.Schema
	named map[*jsonschema.Schema]string // branches that stand for one keyword
	ready func() (*jsonschema.Resolved, error)
	// What judging one value takes: for each schema without the value's
	// members, and for all of it.
	weights map[*jsonschema.Schema]int
	size    int
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
	if !j.needsExact {
		j.simple = simpleOf(rules.root)
	}
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
	weights, err := unfold(root)
	if err != nil {
		return nil, nil, err
	}
	ready := sync.OnceValues(func() (*jsonschema.Resolved, error) { return root.Resolve(nil) })
	return r, &rules{root, r.named, ready, weights, size(root, root.Defs, map[*jsonschema.Schema]int{})}, nil
}

// fault says why the library cannot take the schema, or nil.
func (j *judge) fault() error {
	_, err := j.rules.ready()
	return err
}

// faults gives what a value breaks, nothing if it fits.
func (j *judge) faults(v any) []fault {
	if j.simple.fits(v) {
		return nil
	}
	rules, shown, values := j.shown(v)
	e := rules.effort(values)
	if !rules.judges(e, shown) || rules.fit(shown) {
		return nil
	}
	return rules.find(e, shown)
}

// fits reports whether a value fits.
func (j *judge) fits(v any) bool {
	if j.simple.fits(v) {
		return true
	}
	rules, shown, values := j.shown(v)
	return !rules.judges(rules.effort(values), shown) || rules.fit(shown)
}

// effort counts what judging takes, where that may be much; else it is nil.
func (r *rules) effort(values int) *effort {
	if r == nil || r.size <= maxEffort && r.size*values <= maxEffort {
		return nil
	}
	return &effort{rules: r, known: map[judged]int{}}
}

// judges reports whether a value can be judged in a time that is anybody's.
func (r *rules) judges(e *effort, v any) bool {
	return r != nil && (e == nil || e.of(r.root, v) <= maxEffort)
}

// fit asks the library. Where it fails, the value fits: its kernel checks it.
func (r *rules) fit(v any) (ok bool) {
	defer func() { ok = ok || recover() != nil }()
	resolved, err := r.ready()
	return err != nil || resolved.Validate(v) == nil
}

// find gives the faults of a value that does not fit, at least one.
func (r *rules) find(e *effort, v any) (found []fault) {
	defer func() {
		if recover() != nil {
			found = []fault{{value: v}}
		}
	}()
	f := finder{rules: r, effort: e, asked: map[question]*jsonschema.Resolved{}, left: maxQuestions}
	if e != nil {
		f.left += 4 * e.of(r.root, v)
	}
	f.find(nil, r.root, v)
	return f.found
}

// shown gives a value as the library reads it, the rules for it, and how many
// values are in it. Where the rules are too coarse and there is no time for
// better ones, a strict judge has none.
func (j *judge) shown(v any) (*rules, any, int) {
	show := j.show
	shown, _ := show.value(v)
	odd := j.measures && (show.odd || j.divides && show.large || j.needsExact && show.numbers)
	if !odd && show.bad == nil {
		return j.rules, shown, show.values
	}
	e := &exact{standIns: map[string]any{}, bad: show.bad}
	again := shower{exact: e}
	standing, _ := again.value(v)
	if e.size() <= maxExact {
		if _, rules, err := j.read(e); err == nil {
			return rules, standing, show.values
		}
	}
	if j.strict {
		return nil, shown, show.values
	}
	return j.rules, shown, show.values
}
