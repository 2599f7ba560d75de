package schema

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// logic reads the keywords that hold schemas for the same value.
func (r *reader) logic(s *jsonschema.Schema, doc map[string]any, key string) bool {
	v := doc[key]
	switch key {
	case "allOf":
		s.AllOf = append(s.AllOf, r.list(v)...)
	case "anyOf":
		s.AnyOf = r.list(v)
	case "oneOf":
		s.OneOf = r.list(v)
	case "not":
		s.Not = r.schema(v)
	case "if":
		s.If = r.schema(v)
	case "then", "else":
		r.consequence(s, doc, key)
	case "dependentSchemas":
		for name, sub := range r.members(v) {
			depend(s, name, sub)
		}
	case "dependencies":
		r.dependencies(s, v)
	default:
		return false
	}
	return true
}

// consequence reads what holds if something does, or does not. Without a
// condition that may come out so it is not used.
func (r *reader) consequence(s *jsonschema.Schema, doc map[string]any, key string) {
	condition, given := doc["if"]
	switch {
	case !given, condition == (key == "else"):
		r.aside(func() { r.schema(doc[key]) })
	case key == "then":
		s.Then = r.schema(doc[key])
	default:
		s.Else = r.schema(doc[key])
	}
}

// array reads the keywords about arrays, tuples of older drafts as those of the
// newest.
func (r *reader) array(s *jsonschema.Schema, doc map[string]any, key string) bool {
	v := doc[key]
	tuple, isTuple := doc["items"].([]any)
	isTuple = isTuple && r.draft < 2020
	switch key {
	case "items":
		if isTuple {
			if len(tuple) > 0 {
				s.PrefixItems = r.list(v)
			}
		} else {
			s.Items = r.schema(v)
		}
	case "additionalItems":
		if more := r.schema(v); isTuple {
			if s.Items = more; v == false {
				r.named[more] = key
			}
		}
	case "prefixItems":
		s.PrefixItems = r.list(v)
	case "unevaluatedItems":
		s.UnevaluatedItems = r.schema(v)
	case "contains":
		s.Contains = r.schema(v)
	case "minContains":
		s.MinContains = r.count(v)
	case "maxContains":
		s.MaxContains = r.count(v)
	case "minItems":
		s.MinItems = r.count(v)
	case "maxItems":
		s.MaxItems = r.count(v)
	case "uniqueItems":
		s.UniqueItems = v == true
		r.measures = r.measures || s.UniqueItems
		if _, ok := v.(bool); !ok {
			r.fail("not true or false")
		}
	default:
		return false
	}
	return true
}

// object reads the keywords about objects.
func (r *reader) object(s *jsonschema.Schema, key string, v any) bool {
	switch key {
	case "properties":
		s.Properties = r.members(v)
	case "patternProperties":
		s.PatternProperties = r.patterns(v)
	case "additionalProperties":
		s.AdditionalProperties = r.schema(v)
	case "unevaluatedProperties":
		s.UnevaluatedProperties = r.schema(v)
	case "propertyNames":
		s.PropertyNames = r.schema(v)
	case "minProperties":
		s.MinProperties = r.count(v)
	case "maxProperties":
		s.MaxProperties = r.count(v)
	case "required":
		s.Required = r.words(v)
	case "dependentRequired":
		if m, ok := v.(map[string]any); ok && slices.ContainsFunc(slices.Collect(maps.Values(m)), func(v any) bool { return typeOf(v) != "array" }) {
			r.fail("not lists of names")
		}
		r.dependencies(s, v)
	default:
		return false
	}
	return true
}

// dependencies reads what a member asks for: other members, or a schema.
func (r *reader) dependencies(s *jsonschema.Schema, v any) {
	doc, ok := v.(map[string]any)
	if !ok {
		r.fail("not an object")
	}
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		r.path = append(r.path, name)
		if _, names := doc[name].([]any); !names {
			depend(s, name, r.schema(doc[name]))
		} else {
			if s.DependentRequired == nil {
				s.DependentRequired = map[string][]string{}
			}
			s.DependentRequired[name] = append(s.DependentRequired[name], r.words(doc[name])...)
		}
		r.path = r.path[:len(r.path)-1]
	}
}

// depend adds a schema that a member asks for; two keywords may do so.
func depend(s *jsonschema.Schema, name string, sub *jsonschema.Schema) {
	if s.DependentSchemas == nil {
		s.DependentSchemas = map[string]*jsonschema.Schema{}
	}
	if first := s.DependentSchemas[name]; first != nil {
		sub = &jsonschema.Schema{AllOf: []*jsonschema.Schema{first, sub}}
	}
	s.DependentSchemas[name] = sub
}

// list reads schemas in order, at least one.
func (r *reader) list(v any) []*jsonschema.Schema {
	docs, _ := v.([]any)
	if len(docs) == 0 {
		r.fail("not a list of schemas")
	}
	out := make([]*jsonschema.Schema, len(docs))
	for i, doc := range docs {
		r.path = append(r.path, strconv.Itoa(i))
		out[i] = r.schema(doc)
		r.path = r.path[:len(r.path)-1]
	}
	return out
}

// members reads schemas by name.
func (r *reader) members(v any) map[string]*jsonschema.Schema {
	docs, ok := v.(map[string]any)
	if !ok {
		r.fail("not an object of schemas")
	}
	out := make(map[string]*jsonschema.Schema, len(docs))
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		r.path = append(r.path, name)
		out[name] = r.schema(docs[name])
		r.path = r.path[:len(r.path)-1]
	}
	return out
}

// patterns reads schemas by the form of names. A form that Go does not know may
// be any name's, and asks nothing of it.
func (r *reader) patterns(v any) map[string]*jsonschema.Schema {
	out := r.members(v)
	for expr := range maps.Clone(out) {
		if _, err := regexp.Compile(expr); err == nil {
			continue
		}
		if r.strict {
			r.fail("the expression is not known here")
		}
		delete(out, expr)
		if out[""] == nil {
			out[""] = &jsonschema.Schema{}
		}
	}
	return out
}

// children lists the schemas that a schema holds: those for the same value, and
// those for what is inside it.
func children(s *jsonschema.Schema) (same, inside []*jsonschema.Schema) {
	same = slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Not, s.If, s.Then, s.Else}, slices.Collect(maps.Values(s.DependentSchemas)))
	inside = slices.Concat(s.PrefixItems, []*jsonschema.Schema{s.Items, s.Contains, s.UnevaluatedItems, s.AdditionalProperties, s.PropertyNames, s.UnevaluatedProperties},
		slices.Collect(maps.Values(s.Properties)), slices.Collect(maps.Values(s.PatternProperties)))
	absent := func(s *jsonschema.Schema) bool { return s == nil }
	return slices.DeleteFunc(same, absent), slices.DeleteFunc(inside, absent)
}
