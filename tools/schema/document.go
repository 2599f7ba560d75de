package schema

import "slices"

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
