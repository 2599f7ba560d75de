package schema

import (
	"encoding/json"
	"math/big"

	"github.com/google/jsonschema-go/jsonschema"
)

// measure reads the keywords about numbers.
func (r *reader) measure(s *jsonschema.Schema, doc map[string]any, key string) bool {
	switch key {
	case "minimum", "maximum", "multipleOf":
		if exclusive := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[key]; r.draft == 4 && doc[exclusive] == true {
			r.bound(s, exclusive, doc[key])
			return true
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		if r.draft == 4 {
			if _, ok := doc[key].(bool); !ok {
				r.fail("not true or false")
			}
			return true
		}
	default:
		return false
	}
	r.bound(s, key, doc[key])
	return true
}

// bound writes one bound of numbers: as the judge's own keyword, or, where a
// double is too coarse, as the list of the call's numbers that break it.
func (r *reader) bound(s *jsonschema.Schema, key string, v any) {
	n, _ := v.(json.Number)
	limit, ok := new(big.Rat).SetString(string(n))
	if !ok || key == "multipleOf" && limit.Sign() <= 0 {
		r.fail("not a number that can be a bound")
		return
	}
	r.measures = true
	if r.exact != nil {
		r.exclude(s, key, r.exact.breaking(key, limit))
		return
	}
	f, plain := double(n)
	r.needsExact = r.needsExact || !plain
	switch key {
	case "minimum":
		s.Minimum = &f
	case "maximum":
		s.Maximum = &f
	case "exclusiveMinimum":
		s.ExclusiveMinimum = &f
	case "exclusiveMaximum":
		s.ExclusiveMaximum = &f
	case "multipleOf": // the judge divides doubles: 0.3 would not be a multiple of 0.1
		if limit.IsInt() {
			s.MultipleOf, r.divides = &f, true
		} else {
			r.needsExact = true
		}
	}
}

// exclude adds a branch that refuses a keyword's values one by one.
func (r *reader) exclude(s *jsonschema.Schema, key string, values []any) {
	if len(values) > 0 {
		r.branch(s, key, &jsonschema.Schema{Not: &jsonschema.Schema{Enum: values}})
	}
}

func (r *reader) branch(s *jsonschema.Schema, key string, b *jsonschema.Schema) {
	s.AllOf = append(s.AllOf, b)
	r.named[b] = key
}
