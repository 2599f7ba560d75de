package schema

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxQuestions bounds what the judge is asked about one refused value, together
// with the schemas that are made ready for it.
const maxQuestions = 200_000

// fault is one keyword that a value breaks.
type fault struct {
	at      []string // of the value
	keyword string   // "" if it could not be found
	names   []string // of the members it is about
	value   any
}

// finder finds the faults of a refused value. It walks value and schema
// together, down to where one keyword alone says no.
type finder struct {
	rules  *rules
	effort *effort
	asked  map[question]*jsonschema.Resolved
	left   int
	found  []fault
}

// find tells what a value that does not fit breaks. A wrong type, constant or
// format is all that is said of a value.
func (f *finder) find(at []string, s *jsonschema.Schema, v any) {
	before := len(f.found)
	if !f.kind(at, s, v) {
		f.same(at, s, v)
		f.keywords(at, s, v)
		switch v := v.(type) {
		case map[string]any:
			f.names(at, s, v)
			f.members(at, s, v)
		case []any:
			f.items(at, s, v)
		}
	}
	if len(f.found) == before {
		f.unevaluated(at, s, v)
	}
	if len(f.found) == before {
		f.tell(at, "", v)
	}
}

func (f *finder) tell(at []string, keyword string, v any, names ...string) {
	f.found = append(f.found, fault{slices.Clone(at), keyword, names, v})
}

// kind looks at what a value must be before anything else is asked of it.
func (f *finder) kind(at []string, s *jsonschema.Schema, v any) bool {
	for _, k := range []struct {
		keyword string
		used    bool
	}{{"type", s.Type != "" || s.Types != nil}, {"const", s.Const != nil}, {"enum", s.Enum != nil}} {
		if k.used && !f.holds(s, k.keyword, v) {
			f.tell(at, k.keyword, v)
			return true
		}
	}
	for _, branch := range s.AllOf {
		if f.rules.named[branch] == "format" && !f.fits(branch, v) {
			f.tell(at, "format", v)
			return true
		}
	}
	return false
}

// same walks into the schemas that the same value must fit.
func (f *finder) same(at []string, s *jsonschema.Schema, v any) {
	var all []*jsonschema.Schema
	if s.Ref != "" {
		all = append(all, f.rules.root.Defs[s.Ref[len(definitions):]])
	}
	for _, branch := range s.AllOf {
		if keyword := f.rules.named[branch]; keyword == "" {
			all = append(all, branch)
		} else if keyword != "format" && !f.fits(branch, v) {
			f.tell(at, keyword, v)
		}
	}
	if s.If != nil && f.fits(s.If, v) {
		all = append(all, s.Then)
	} else if s.If != nil {
		all = append(all, s.Else)
	}
	if m, isObject := v.(map[string]any); isObject {
		for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
			if has(m, name) {
				all = append(all, s.DependentSchemas[name])
			}
		}
	}
	for _, sub := range all {
		if sub != nil && !f.fits(sub, v) {
			f.find(at, sub, v)
		}
	}
}

// keywords asks about each keyword that is a fault of the value as a whole.
func (f *finder) keywords(at []string, s *jsonschema.Schema, v any) {
	for _, k := range []struct {
		keyword string
		used    bool
	}{
		{"minimum", s.Minimum != nil}, {"maximum", s.Maximum != nil}, {"exclusiveMinimum", s.ExclusiveMinimum != nil},
		{"exclusiveMaximum", s.ExclusiveMaximum != nil}, {"multipleOf", s.MultipleOf != nil},
		{"minLength", s.MinLength != nil}, {"maxLength", s.MaxLength != nil}, {"pattern", s.Pattern != ""},
		{"minItems", s.MinItems != nil}, {"maxItems", s.MaxItems != nil}, {"uniqueItems", s.UniqueItems},
		{"contains", s.Contains != nil}, {"minContains", s.Contains != nil && s.MinContains != nil}, {"maxContains", s.Contains != nil && s.MaxContains != nil},
		{"minProperties", s.MinProperties != nil}, {"maxProperties", s.MaxProperties != nil}, {"propertyNames", s.PropertyNames != nil},
		{"anyOf", s.AnyOf != nil}, {"oneOf", s.OneOf != nil}, {"not", s.Not != nil},
	} {
		if k.used && !f.holds(s, k.keyword, v) {
			f.tell(at, k.keyword, v)
		}
	}
}

// names tells which members are missing.
func (f *finder) names(at []string, s *jsonschema.Schema, m map[string]any) {
	f.missing(at, "required", s.Required, m)
	for _, name := range slices.Sorted(maps.Keys(s.DependentRequired)) {
		if has(m, name) {
			f.missing(at, "dependentRequired", s.DependentRequired[name], m)
		}
	}
}

func (f *finder) missing(at []string, keyword string, names []string, m map[string]any) {
	absent := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return has(m, name) })
	if len(absent) > 0 {
		f.tell(at, keyword, m, absent...)
	}
}

// members walks into what an object holds. A member that the schema does not
// know, where it takes no others, is told by name.
func (f *finder) members(at []string, s *jsonschema.Schema, m map[string]any) {
	var unknown []string
	patterns := map[*regexp.Regexp]*jsonschema.Schema{}
	for expr, sub := range s.PatternProperties {
		if re, err := regexp.Compile(expr); err == nil {
			patterns[re] = sub
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if sub := s.Properties[name]; sub != nil {
			f.inside(at, name, sub, m[name])
		}
		for re, sub := range patterns {
			if re.MatchString(name) {
				f.inside(at, name, sub, m[name])
			}
		}
		if more := s.AdditionalProperties; more != nil && !f.holds(s, "additionalProperties", map[string]any{name: m[name]}) {
			if f.rules.named[more] == "false" {
				unknown = append(unknown, name)
			} else {
				f.find(below(at, name), more, m[name])
			}
		}
	}
	if unknown != nil {
		f.tell(at, "additionalProperties", m, unknown...)
	}
}

func (f *finder) inside(at []string, step string, s *jsonschema.Schema, v any) {
	if !f.fits(s, v) {
		f.find(below(at, step), s, v)
	}
}

// items walks into what an array holds, if asking about all of it says so.
func (f *finder) items(at []string, s *jsonschema.Schema, list []any) {
	for i, sub := range s.PrefixItems[:min(len(s.PrefixItems), len(list))] {
		f.inside(at, strconv.Itoa(i), sub, list[i])
	}
	if s.Items == nil || f.holds(s, "items", list) {
		return
	}
	if f.rules.named[s.Items] == "additionalItems" {
		f.tell(at, "additionalItems", list)
		return
	}
	before := len(f.found)
	for i := len(s.PrefixItems); i < len(list); i++ {
		f.inside(at, strconv.Itoa(i), s.Items, list[i])
	}
	if len(f.found) == before {
		f.tell(at, "items", list)
	}
}
