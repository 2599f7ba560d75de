package schema

import (
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxEffort bounds the judging of one call, in schemas held against values. A
// call that cannot come near it is not counted out.
const maxEffort = 1_000_000

// effort counts how many schemas the library holds against values. References
// to one schema from two places of another double that with each step into a
// value; a call that would take hours is left to its kernel.
type effort struct {
	rules *rules
	known map[judged]int
}

// enumShare is how many values of an enum are compared, and written into what the
// library says of them, in the time of a schema.
const enumShare = 2

// weight is what it takes to hold a schema alone against a value, which the
// library compares with all that an enum lists, one by one.
func weight(s *jsonschema.Schema) int { return 1 + len(s.Enum)/enumShare }

// judged is a schema held against an object or an array, by its address.
type judged struct {
	schema *jsonschema.Schema
	value  uintptr // the caller holds it all the while
	length int
}

// of counts what judging a value takes, up to a little more than maxEffort.
func (e *effort) of(s *jsonschema.Schema, v any) int {
	if s == nil {
		return 0
	}
	m, isObject := v.(map[string]any)
	list, isList := v.([]any)
	if !isObject && !isList {
		return max(e.rules.weights[s], 1)
	}
	key := judged{s, reflect.ValueOf(v).Pointer(), len(m) + len(list)}
	if n, known := e.known[key]; known {
		return n
	}
	n := e.container(s, v, m, list)
	e.known[key] = n
	return n
}

// container counts an object or an array, and stops when it is too much.
func (e *effort) container(s *jsonschema.Schema, v any, m map[string]any, list []any) int {
	same, _ := children(s)
	if name, refers := strings.CutPrefix(s.Ref, definitions); refers {
		same = append(same, e.rules.root.Defs[name])
	}
	total := weight(s)
	for _, sub := range same {
		if total += e.of(sub, v); total > maxEffort {
			return maxEffort + 1
		}
	}
	for name, member := range m {
		if total += e.member(s, name, member); total > maxEffort {
			return maxEffort + 1
		}
	}
	for i, item := range list {
		if total += e.item(s, i, item); total > maxEffort {
			return maxEffort + 1
		}
	}
	return total
}

func (e *effort) member(s *jsonschema.Schema, name string, v any) int {
	total := e.of(s.PropertyNames, name)
	for _, sub := range s.PatternProperties {
		total += e.of(sub, v)
	}
	if sub := s.Properties[name]; sub != nil {
		return total + e.of(sub, v)
	}
	return total + e.of(s.AdditionalProperties, v) + e.of(s.UnevaluatedProperties, v)
}

func (e *effort) item(s *jsonschema.Schema, i int, v any) int {
	total := e.of(s.Contains, v)
	switch {
	case i < len(s.PrefixItems):
		return total + e.of(s.PrefixItems[i], v)
	case s.Items != nil:
		return total + e.of(s.Items, v)
	}
	return total + e.of(s.UnevaluatedItems, v)
}

// size counts the schemas that a schema unfolds to, up to a little more than
// maxEffort; one that holds itself has no end.
func size(s *jsonschema.Schema, defs map[string]*jsonschema.Schema, known map[*jsonschema.Schema]int) int {
	if n, begun := known[s]; begun {
		return n
	}
	known[s] = maxEffort + 1 // for who comes here again from inside
	same, inside := children(s)
	all := append(same, inside...)
	if name, refers := strings.CutPrefix(s.Ref, definitions); refers {
		all = append(all, defs[name])
	}
	total := weight(s)
	for _, sub := range all {
		total = min(total+size(sub, defs, known), maxEffort+1)
	}
	known[s] = total
	return total
}
