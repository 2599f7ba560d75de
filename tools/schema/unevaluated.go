package schema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxUnevaluated bounds the members that are looked at one by one.
const maxUnevaluated = 100

// unevaluated finds the members that no other keyword of the schema knows, once
// nothing else is left to be wrong.
func (f *finder) unevaluated(at []string, s *jsonschema.Schema, v any) {
	switch v := v.(type) {
	case map[string]any:
		if s.UnevaluatedProperties != nil && len(v) <= maxUnevaluated {
			f.unevaluatedMembers(at, s, v)
		}
	case []any:
		if s.UnevaluatedItems != nil && len(v) <= maxUnevaluated {
			f.unevaluatedItems(at, s, v)
		}
	}
}

// unevaluatedMembers asks with all members known but one.
func (f *finder) unevaluatedMembers(at []string, s *jsonschema.Schema, m map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		others := make(map[string]*jsonschema.Schema, len(m))
		for other := range m {
			if other != name {
				others[other] = &jsonschema.Schema{}
			}
		}
		if !f.fits(with(s, &jsonschema.Schema{Properties: others}), m) {
			f.inside(at, name, s.UnevaluatedProperties, m[name])
		}
	}
}

// unevaluatedItems asks about the value of an item, with those before it known
// and with it known too. Of equal items it tells the last.
func (f *finder) unevaluatedItems(at []string, s *jsonschema.Schema, list []any) {
	for i, v := range list {
		refused := func(known int) bool {
			one := with(s, &jsonschema.Schema{PrefixItems: anyItems(known)})
			one.UnevaluatedItems = &jsonschema.Schema{Not: &jsonschema.Schema{Enum: []any{v}}}
			return !f.fits(one, list)
		}
		if refused(i) && !refused(i+1) {
			f.inside(at, strconv.Itoa(i), s.UnevaluatedItems, v)
		}
	}
}

// with gives a schema with one more branch.
func with(s, branch *jsonschema.Schema) *jsonschema.Schema {
	one := *s
	one.AllOf = append(slices.Clone(s.AllOf), branch)
	return &one
}
