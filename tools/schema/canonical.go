package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// Canonical gives the JSON of v with sorted keys, no blanks and numbers digit
// for digit, for hashing and forwarding. v is what Decode gives, JSON bytes, or
// a value encoding/json can write; anything else gives nil.
func Canonical(v any) []byte {
	if raw, ok := v.(json.RawMessage); ok {
		v = []byte(raw)
	}
	raw, isBytes := v.([]byte)
	if !isBytes {
		if b, ok := appendJSON(nil, v); ok {
			return b
		}
		if raw = encode(v); raw == nil {
			return nil
		}
	}
	tree, err := decode(raw, false, nil)
	if err != nil {
		return nil
	}
	return compact(tree)
}

// compact writes what decode gave, maps by sorted keys, objects in their order.
func compact(v any) []byte {
	b, _ := appendJSON(nil, v)
	return b
}

// appendJSON writes a tree of JSON values without blanks and HTML escapes;
// false means that v holds something else.
func appendJSON(b []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), true
	case bool:
		if v {
			return append(b, "true"...), true
		}
		return append(b, "false"...), true
	case string:
		return appendString(b, v), true
	case json.Number:
		return append(b, v...), v != ""
	case []any:
		return appendList(b, v)
	case []string:
		return append(b, encode(v)...), true
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		return appendMembers(b, keys, func(i int) any { return v[keys[i]] })
	case *object:
		return appendMembers(b, v.keys, func(i int) any { return v.values[i] })
	}
	return nil, false
}

func appendList(b []byte, list []any) ([]byte, bool) {
	b = append(b, '[')
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		var ok bool
		if b, ok = appendJSON(b, e); !ok {
			return nil, false
		}
	}
	return append(b, ']'), true
}

func appendMembers(b []byte, keys []string, value func(int) any) ([]byte, bool) {
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		var ok bool
		if b, ok = appendJSON(append(appendString(b, k), ':'), value(i)); !ok {
			return nil, false
		}
	}
	return append(b, '}'), true
}

// appendString writes text that needs no escape as it is, and leaves the rest
// to encoding/json, which also escapes U+2028 and U+2029.
func appendString(b []byte, s string) []byte {
	if strings.ContainsFunc(s, special) || !utf8.ValidString(s) {
		return append(b, encode(s)...)
	}
	return append(append(append(b, '"'), s...), '"')
}

func special(r rune) bool {
	return r < ' ' || r == '"' || r == '\\' || r == '\u2028' || r == '\u2029'
}

// encode is encoding/json without HTML escapes; nil for what it cannot write.
func encode(v any) []byte {
	b, err := tools.Compact(v)
	if err != nil {
		return nil
	}
	return b
}
