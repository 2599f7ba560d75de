package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// Dialect is what of JSON Schema the program and the model behind it take in a
// tool's inputSchema. One schema past it can cost the whole session.
type Dialect struct {
	// Refs allows $ref with $defs.
	Refs bool
	// RootCombinators allows anyOf, oneOf and allOf at the root.
	RootCombinators bool
	// TypeLists allows a list of types for one property.
	TypeLists bool
	// PropertyKey is the pattern of a property's name; empty allows any.
	PropertyKey string
}

// combinators are the words that give a schema several forms.
var combinators = []string{"anyOf", "oneOf", "allOf"}

// Faults tells what in a tool's inputSchema the program would stumble on, a
// sentence each with the place as a JSON pointer; none means it is portable.
func (d Dialect) Faults(schema json.RawMessage) []string {
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		return []string{fmt.Sprintf("/: not a JSON object: %v", err)}
	}
	l := lint{dialect: d}
	if d.PropertyKey != "" {
		l.key = regexp.MustCompile(d.PropertyKey)
	}
	l.root(root)
	return l.faults
}

// lint is one walk over a schema.
type lint struct {
	dialect Dialect
	key     *regexp.Regexp
	faults  []string
}

func (l *lint) fault(at, format string, args ...any) {
	if at == "" {
		at = "/"
	}
	l.faults = append(l.faults, at+": "+fmt.Sprintf(format, args...))
}

// root checks what only the outermost schema must be.
func (l *lint) root(s map[string]any) {
	if s["type"] != "object" {
		l.fault("", "type must be object")
	}
	if _, ok := s["properties"].(map[string]any); !ok {
		l.fault("", "properties must be an object")
	}
	for _, word := range combinators {
		if _, has := s[word]; has && !l.dialect.RootCombinators {
			l.fault("", "%s at the root", word)
		}
	}
	l.schema("", s)
}

// schema checks one schema and goes on into those inside it.
func (l *lint) schema(at string, s map[string]any) {
	for _, word := range []string{"$ref", "$defs", "definitions"} {
		if _, has := s[word]; has && !l.dialect.Refs {
			l.fault(at, "%s is not understood", word)
		}
	}
	l.oneType(at, s)
	l.values(at, s)
	if p, ok := s["pattern"].(string); ok {
		if _, err := regexp.Compile(p); err != nil {
			l.fault(at, "pattern: %v", err)
		}
	}
	l.inside(at, s)
}

// oneType checks that type is one word, and that an array says of what.
func (l *lint) oneType(at string, s map[string]any) {
	switch t := s["type"].(type) {
	case nil:
	case string:
		if _, has := s["items"].(map[string]any); t == "array" && !has {
			l.fault(at, "an array without items")
		}
	default:
		if _, list := t.([]any); !list || !l.dialect.TypeLists {
			l.fault(at, "type must be one word")
		}
	}
}

// values checks the words that some clients decode into a fixed type.
func (l *lint) values(at string, s map[string]any) {
	if r, has := s["required"]; has {
		if _, list := r.([]any); !list {
			l.fault(at, "required must be a list")
		}
	}
	switch s["additionalProperties"].(type) {
	case nil, bool, map[string]any:
	default:
		l.fault(at, "additionalProperties must be true, false or a schema")
	}
}

// inside walks the schemas that a schema holds.
func (l *lint) inside(at string, s map[string]any) {
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		below := at + "/properties/" + name
		if l.key != nil && !l.key.MatchString(name) {
			l.fault(below, "the name does not match %s", l.dialect.PropertyKey)
		}
		l.below(below, properties[name], true)
	}
	for _, word := range []string{"items", "additionalProperties", "not"} {
		if sub, has := s[word].(map[string]any); has {
			l.schema(at+"/"+word, sub)
		}
	}
	for _, word := range combinators {
		subs, _ := s[word].([]any)
		for i, sub := range subs {
			l.below(fmt.Sprintf("%s/%s/%d", at, word, i), sub, false)
		}
	}
}

// below checks a schema in the place of a property or of a combinator's branch;
// a property says its type, by itself or through a combinator.
func (l *lint) below(at string, v any, property bool) {
	sub, ok := v.(map[string]any)
	if !ok {
		l.fault(at, "must be an object")
		return
	}
	if property && !typed(sub) {
		l.fault(at, "a property without a type")
	}
	l.schema(at, sub)
}

func typed(s map[string]any) bool {
	for _, word := range append([]string{"type", "enum", "const", "$ref"}, combinators...) {
		if _, has := s[word]; has {
			return true
		}
	}
	return false
}
