package clients_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/clients"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		client, schema string
		want           []string
	}{
		"portable":        {"generic", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}},"required":["a"],"additionalProperties":false}`, nil},
		"no JSON":         {"generic", `[1]`, []string{"/: not a JSON object: json: cannot unmarshal array into Go value of type map[string]interface {}"}},
		"no properties":   {"generic", `{"type":"object"}`, []string{"/: properties must be an object"}},
		"no type":         {"generic", `{"properties":{}}`, []string{"/: type must be object"}},
		"ref":             {"generic", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{}}}`, []string{"/: $defs is not understood", "/properties/a: $ref is not understood"}},
		"ref allowed":     {"hermes", `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{}}}`, nil},
		"root anyOf":      {"hermes", `{"type":"object","properties":{},"anyOf":[{"required":["a"]}]}`, []string{"/: anyOf at the root"}},
		"root anyOf, ok":  {"reasonix", `{"type":"object","properties":{},"anyOf":[{"required":["a"]}]}`, nil},
		"type list":       {"generic", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, []string{"/properties/a: type must be one word"}},
		"untyped":         {"generic", `{"type":"object","properties":{"a":{"description":"x"}}}`, []string{"/properties/a: a property without a type"}},
		"array":           {"generic", `{"type":"object","properties":{"a":{"type":"array"}}}`, []string{"/properties/a: an array without items"}},
		"deep array":      {"generic", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"array"}}}}}}`, []string{"/properties/a/items/properties/b: an array without items"}},
		"required":        {"generic", `{"type":"object","properties":{"a":{"type":"string","required":true}}}`, []string{"/properties/a: required must be a list"}},
		"additional":      {"generic", `{"type":"object","properties":{},"additionalProperties":"object"}`, []string{"/: additionalProperties must be true, false or a schema"}},
		"key":             {"generic", `{"type":"object","properties":{"页":{"type":"string"}}}`, []string{"/properties/页: the name does not match ^[a-zA-Z0-9_.-]{1,64}$"}},
		"key, any":        {"reasonix", `{"type":"object","properties":{"页":{"type":"string"}}}`, nil},
		"look-ahead":      {"generic", `{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)"}}}`, []string{"/properties/a: pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?!`"}},
		"boolean branch":  {"generic", `{"type":"object","properties":{"a":{"anyOf":[true]}}}`, []string{"/properties/a/anyOf/0: must be an object"}},
		"null properties": {"generic", `{"type":"object","properties":null}`, []string{"/: properties must be an object"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := clients.Named(c.client)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, client.Dialect.Faults(json.RawMessage(c.schema))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzFaults(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":["string"],"items":[1],"anyOf":[{}]}}}`)
	f.Add(`{"properties":{"a":null},"additionalProperties":1,"pattern":"("}`)
	f.Fuzz(func(t *testing.T, schema string) {
		d := clients.Generic().Dialect
		if !json.Valid([]byte(schema)) && len(d.Faults(json.RawMessage(schema))) == 0 {
			t.Errorf("%q is no JSON and has no fault", schema)
		}
	})
}
