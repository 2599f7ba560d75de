package schema

import (
	"github.com/google/jsonschema-go/jsonschema"
)

// question is one that the judge was asked of a schema: about all of it, or
// about one keyword alone.
type question struct {
	schema  *jsonschema.Schema
	keyword string
}

// fits asks about a whole schema.
func (f *finder) fits(s *jsonschema.Schema, v any) bool {
	return f.ask(question{s, ""}, v)
}

// holds asks about one keyword alone.
func (f *finder) holds(s *jsonschema.Schema, keyword string, v any) bool {
	return f.ask(question{s, keyword}, v)
}

// ask asks the judge. When enough has been asked, everything fits.
func (f *finder) ask(q question, v any) bool {
	if f.left--; f.effort != nil {
		f.left -= f.effort.of(q.schema, v)
	}
	if f.left < 0 {
		return true
	}
	resolved, known := f.asked[q]
	if !known {
		piece := q.schema
		if q.keyword != "" {
			piece = alone(q.schema, q.keyword)
		}
		resolved = f.resolve(piece)
		f.asked[q] = resolved
	}
	return resolved == nil || resolved.Validate(v) == nil
}

// resolve makes a piece askable, together with what it refers to.
func (f *finder) resolve(piece *jsonschema.Schema) *jsonschema.Resolved {
	used, nodes := reachable(piece, f.rules.root.Defs)
	if f.left -= nodes; f.left < 0 {
		return nil
	}
	piece = piece.CloneSchemas() // the definitions may hold the very same schemas
	piece.Defs = used
	resolved, err := piece.Resolve(nil)
	if err != nil {
		return nil
	}
	return resolved
}

// alone gives a schema with one keyword of another, and what that keyword
// cannot be read without.
func alone(s *jsonschema.Schema, keyword string) *jsonschema.Schema {
	switch keyword {
	case "type":
		return &jsonschema.Schema{Type: s.Type, Types: s.Types}
	case "const":
		return &jsonschema.Schema{Const: s.Const}
	case "enum":
		return &jsonschema.Schema{Enum: s.Enum}
	case "minLength":
		return &jsonschema.Schema{MinLength: s.MinLength}
	case "maxLength":
		return &jsonschema.Schema{MaxLength: s.MaxLength}
	case "pattern":
		return &jsonschema.Schema{Pattern: s.Pattern}
	case "minimum":
		return &jsonschema.Schema{Minimum: s.Minimum}
	case "maximum":
		return &jsonschema.Schema{Maximum: s.Maximum}
	case "exclusiveMinimum":
		return &jsonschema.Schema{ExclusiveMinimum: s.ExclusiveMinimum}
	case "exclusiveMaximum":
		return &jsonschema.Schema{ExclusiveMaximum: s.ExclusiveMaximum}
	case "multipleOf":
		return &jsonschema.Schema{MultipleOf: s.MultipleOf}
	}
	return aloneInside(s, keyword)
}

func aloneInside(s *jsonschema.Schema, keyword string) *jsonschema.Schema {
	switch keyword {
	case "minItems":
		return &jsonschema.Schema{MinItems: s.MinItems}
	case "maxItems":
		return &jsonschema.Schema{MaxItems: s.MaxItems}
	case "uniqueItems":
		return &jsonschema.Schema{UniqueItems: s.UniqueItems}
	case "contains":
		if s.MinContains == nil {
			return &jsonschema.Schema{Contains: s.Contains}
		}
	case "minContains":
		return &jsonschema.Schema{Contains: s.Contains, MinContains: s.MinContains}
	case "maxContains":
		return &jsonschema.Schema{Contains: s.Contains, MinContains: new(int), MaxContains: s.MaxContains}
	case "items":
		return &jsonschema.Schema{Items: s.Items, PrefixItems: anyItems(len(s.PrefixItems))}
	case "minProperties":
		return &jsonschema.Schema{MinProperties: s.MinProperties}
	case "maxProperties":
		return &jsonschema.Schema{MaxProperties: s.MaxProperties}
	case "propertyNames":
		return &jsonschema.Schema{PropertyNames: s.PropertyNames}
	case "additionalProperties":
		return &jsonschema.Schema{AdditionalProperties: s.AdditionalProperties, Properties: asking(s.Properties), PatternProperties: asking(s.PatternProperties)}
	case "anyOf":
		return &jsonschema.Schema{AnyOf: s.AnyOf}
	case "oneOf":
		return &jsonschema.Schema{OneOf: s.OneOf}
	case "not":
		return &jsonschema.Schema{Not: s.Not}
	}
	return &jsonschema.Schema{}
}

// asking gives the same names with schemas that ask nothing.
func asking(named map[string]*jsonschema.Schema) map[string]*jsonschema.Schema {
	out := make(map[string]*jsonschema.Schema, len(named))
	for name := range named {
		out[name] = &jsonschema.Schema{}
	}
	return out
}

func anyItems(n int) []*jsonschema.Schema {
	out := make([]*jsonschema.Schema, n)
	for i := range out {
		out[i] = &jsonschema.Schema{}
	}
	return out
}
