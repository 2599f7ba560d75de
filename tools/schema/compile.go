package schema

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// place is the address that a schema is compiled under. Nothing is ever loaded
// from an address.
const place = "mnote:///schema"

// noLoader refuses every document that a schema refers to, files included.
type noLoader struct{}

// Load refuses.
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a tool's schema may not refer to another document")
}

// compile makes a validator of a schema document (maps, not *object). A panic
// of the library is an error like any other.
func compile(doc any) (c *jsonschema.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			c, err = nil, fmt.Errorf("the schema cannot be compiled: %v", p)
		}
	}()
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(pattern)
	if err := compiler.AddResource(place, nullable(doc)); err != nil {
		return nil, err
	}
	return compiler.Compile(place)
}

// pattern compiles a regular expression. One that Go does not know, such as a
// look-ahead, matches everything: the kernel that wrote it will check it.
func pattern(expr string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(expr); err == nil {
		return re, nil
	}
	return anything(expr), nil
}

type anything string

func (a anything) String() string        { return string(a) }
func (anything) MatchString(string) bool { return true }

// nullable writes OpenAPI's nullable: true as JSON Schema does, all through the
// document.
func nullable(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = nullable(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = nullable(v[k])
		}
		if v["nullable"] != true {
			break
		}
		if t, ok := v["type"].(string); ok {
			v["type"] = []any{t, "null"}
		}
		if e, ok := v["enum"].([]any); ok && !slices.Contains(e, any(nil)) {
			v["enum"] = append(e, nil)
		}
	}
	return v
}

// loose gives the document that a caller's arguments must fit: the manifest's,
// less what the host fills in and what only the whole call can show.
func (s *shape) loose(asked []string) map[string]any {
	doc, _ := plain(s.root).(map[string]any)
	for _, keyword := range []string{
		"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
		"minProperties", "maxProperties", "unevaluatedProperties", "propertyNames", "required",
	} {
		delete(doc, keyword)
	}
	if doc["additionalProperties"] == false && doc["patternProperties"] == nil {
		delete(doc, "additionalProperties") // unknown arguments are refused with better words
	}
	props, _ := plain(s.args).(map[string]any)
	doc["type"], doc["properties"] = "object", props
	if len(asked) > 0 {
		required := make([]any, len(asked))
		for i, name := range asked {
			required[i] = name
		}
		doc["required"] = required
	}
	return doc
}

// full gives the document that a whole call must fit: the manifest's. Where it
// takes nothing beyond its properties, the envelope's own members do not count
// as beyond.
func (s *shape) full() map[string]any {
	doc, _ := plain(s.root).(map[string]any)
	if doc["additionalProperties"] != false && doc["unevaluatedProperties"] != false {
		return doc
	}
	props, ok := doc["properties"].(map[string]any)
	if !ok {
		props = map[string]any{}
		doc["properties"] = props
	}
	for _, name := range slices.Concat(hostFields, openFields) {
		if _, listed := props[name]; !listed {
			props[name] = true
		}
	}
	return doc
}
