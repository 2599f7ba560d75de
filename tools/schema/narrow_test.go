package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// TestNarrow: what a model sees of a manifest's schema.
func TestNarrow(t *testing.T) {
	t.Parallel()
	one := func(property string) string { return `{"type":"object","properties":{"a":` + property + `}}` }
	tests := map[string]struct {
		tool tools.Tool
		want string
	}{
		"seed 7-6's page.save": {writes(pageSave), `{"type":"object","required":["dryRun","content","mode"],"properties":{"documentId":{"type":"string"},` +
			`"content":{"type":"array","items":{"type":"object","properties":{"type":{"type":"string"},"text":{"type":"string"}}}},` +
			`"mode":{"type":"string","enum":["replace","append"]},"idempotencyKey":{"type":"string"},"dryRun":{"type":"boolean"},"planId":{"type":"string"}}}`},
		"no schema, a read":    {reads(``), `{"type":"object","properties":{}}`},
		"no schema, a write":   {writes(``), `{"type":"object","properties":{"dryRun":{"type":"boolean"},"planId":{"type":"string"}}}`},
		"a plan of its own":    {writes(`{"properties":{"planId":{"type":"string","description":"x"},"dryRun":{"type":"boolean","default":true}}}`), `{"properties":{"planId":{"type":"string","description":"x"},"dryRun":{"type":"boolean","default":true}},"type":"object"}`},
		"a mode with default":  {writes(`{"type":"object","properties":{"mode":{"enum":["a","b"],"default":"a"},"dryRun":{"type":"boolean"},"planId":{"type":"string"}}}`), `{"type":"object","properties":{"mode":{"type":"string","enum":["a","b"],"default":"a"},"dryRun":{"type":"boolean"},"planId":{"type":"string"}}}`},
		"a mode to read by":    {reads(`{"type":"object","properties":{"mode":{"enum":["a","b"]}}}`), `{"type":"object","properties":{"mode":{"type":"string","enum":["a","b"]}}}`},
		"the order of keys":    {reads(`{"properties":{"z":{"description":"d","type":"string"},"a":{"type":"integer"}},"required":["z"],"additionalProperties":false,"type":"object"}`), `{"properties":{"z":{"description":"d","type":"string"},"a":{"type":"integer"}},"required":["z"],"additionalProperties":false,"type":"object"}`},
		"every host field":     {reads(`{"type":"object","required":["rootUri"],"properties":{"rootUri":{},"capabilityScope":{},"accessScope":{},"contextRefs":{},"objectIdentity":{},"profile":{},"agentId":{},"actorId":{},"toolName":{},"q":{"type":"string"}}}`), `{"type":"object","properties":{"q":{"type":"string"}}}`},
		"a selection":          {reads(`{"type":"object","required":["selection"],"properties":{"selection":{"type":"string"}}}`), `{"type":"object","required":["selection"],"properties":{"selection":{"type":"string"}}}`},
		"a reference":          {reads(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x","description":"mine"}},"$defs":{"x":{"type":"integer","minimum":1,"description":"theirs"}}}`), one(`{"type":"integer","minimum":1,"description":"mine"}`)},
		"an escaped reference": {reads(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":"boolean"}}}`), one(`{"type":"boolean"}`)},
		"a dead reference":     {reads(one(`{"$ref":"#/$defs/x"}`)), one(`{"type":"string"}`)},
		"an endless reference": {reads(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"array","items":{"$ref":"#/$defs/x"}}}}`), one(strings.Repeat(`{"type":"array","items":`, maxNest) + `{"type":"string"}` + strings.Repeat("}", maxNest))},
		"a root reference":     {reads(`{"$ref":"#/$defs/args","$defs":{"args":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}}}`), `{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}`},
		"root combinators":     {reads(`{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]}],"oneOf":[{"properties":{"b":{"type":"string"}},"required":["b"]},{"properties":{"c":{"type":"integer"}},"required":["c"]}]}`), `{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"integer"}}}`},
		"null or something":    {reads(one(`{"anyOf":[{"type":"null"},{"type":"integer"}],"description":"d"}`)), one(`{"type":"integer","description":"d"}`)},
		"several types":        {reads(one(`{"type":["null","array","string"]}`)), one(`{"type":"array","items":{"type":"string"}}`)},
		"several forms":        {reads(one(`{"oneOf":[{"type":"array"},{"type":"string"}]}`)), one(`{"type":"array","items":{"type":"string"}}`)},
		"nullable":             {reads(one(`{"type":"string","nullable":true}`)), one(`{"type":"string"}`)},
		"required and null":    {reads(`{"type":"object","required":["a"],"properties":{"a":{"type":["string","null"]}}}`), one(`{"type":"string"}`)},
		"no type, an enum":     {reads(one(`{"enum":["x","y"]}`)), one(`{"type":"string","enum":["x","y"]}`)},
		"an enum of numbers":   {reads(one(`{"type":"integer","enum":[1,2],"description":"How many."}`)), one(`{"type":"integer","description":"How many; one of 1, 2"}`)},
		"an enum with null":    {reads(one(`{"type":["string","null"],"enum":["x",null]}`)), one(`{"type":"string","enum":["x"]}`)},
		"a constant":           {reads(one(`{"const":"x"}`)), one(`{"type":"string","enum":["x"]}`)},
		"a constant number":    {reads(one(`{"const":3}`)), one(`{"type":"number","description":"always 3"}`)},
		"any value":            {reads(one(`{}`)), one(`{"type":"string"}`)},
		"true and false":       {reads(`{"type":"object","required":["b"],"properties":{"a":true,"b":false}}`), one(`{"type":"string"}`)},
		"an object without":    {reads(one(`{"type":"object"}`)), one(`{"type":"object","properties":{}}`)},
		"an object in disguise": {reads(one(`{"properties":{"b":{"type":"string"}},"required":["b","gone"],"additionalProperties":{"type":"string"}}`)),
			one(`{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":true}`)},
		"a tuple":            {reads(one(`{"type":"array","items":[{"type":"integer"},{"type":"string"}]}`)), one(`{"type":"array","items":{"type":"integer"}}`)},
		"an odd key":         {reads(`{"type":"object","required":["a b"],"properties":{"a b":{"type":"string"},"` + strings.Repeat("x", 65) + `":{"type":"string"},"a":{"type":"string"}}}`), one(`{"type":"string"}`)},
		"odd keywords":       {reads(one(`{"type":"string","format":"uri","pattern":"^(?=x)","contentEncoding":"base64","examples":["e"],"x-ours":1,"deprecated":true,"title":"T","maxLength":9}`)), one(`{"type":"string","maxLength":9}`)},
		"good keywords":      {reads(one(`{"type":"string","format":"date-time","pattern":"^a","minLength":1,"default":"x"}`)), one(`{"type":"string","format":"date-time","pattern":"^a","minLength":1,"default":"x"}`)},
		"misplaced keywords": {reads(one(`{"type":"integer","minLength":1,"default":"x","items":{},"properties":{},"maximum":9}`)), one(`{"type":"integer","maximum":9}`)},
		"an unknown type":    {reads(one(`{"type":"strng"}`)), one(`{"type":"string"}`)},
		"Chinese and marks":  {reads(one(`{"type":"string","description":"笔记 <b> & \"x\""}`)), one(`{"type":"string","description":"笔记 <b> & \"x\""}`)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Narrow(tt.tool)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if err := Portable(got); err != nil {
				t.Error(err)
			}
			if again, _ := Narrow(tt.tool); string(again) != string(got) {
				t.Error("not the same bytes again")
			}
		})
	}
}

// TestNarrowBounds: a schema that unfolds without end ends.
func TestNarrowBounds(t *testing.T) {
	t.Parallel()
	var defs []string
	for _, c := range "abcdefghij" {
		next := string(c + 1)
		two := `{"$ref":"#/$defs/` + next + `"}`
		defs = append(defs, `"`+string(c)+`":{"type":"object","allOf":[`+two+`,`+two+`],"properties":{"x":`+two+`,"y":`+two+`,"z":`+two+`}}`)
	}
	defs = append(defs, `"k":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}`)
	all := `"$defs":{` + strings.Join(defs, ",") + `}`
	for name, in := range map[string]string{
		"properties": `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},` + all + `}`,
		"root":       `{"allOf":[{"$ref":"#/$defs/a"}],` + all + `}`,
	} {
		got, err := Narrow(reads(in))
		if name == "properties" && err == nil {
			t.Errorf("%s: no error for %d bytes", name, len(got))
		}
		if err := Portable(got); err != nil || len(got) > 200_000 {
			t.Errorf("%s: %v, %d bytes", name, err, len(got))
		}
	}
}

// TestPortable: each thing that a strict client refuses.
func TestPortable(t *testing.T) {
	t.Parallel()
	one := func(property string) string { return `{"type":"object","properties":{"a":` + property + `}}` }
	tests := map[string]string{
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}}}}`: "",
		`{`:                                  "JSON that ends too early",
		`[]`:                                 "the root is not an object",
		`{"properties":{}}`:                  "the root is not an object",
		`{"type":"object"}`:                  "an object without properties",
		one(`{}`):                            "/a: not one known type",
		one(`true`):                          "/a: not an object",
		one(`{"type":["string"]}`):           "/a: not one known type",
		one(`{"type":"strng"}`):              "/a: not one known type",
		one(`{"type":"array"}`):              "/a/items: not an object",
		one(`{"type":"object"}`):             "/a: an object without properties",
		one(`{"type":"integer","enum":[1]}`): "/a: an enum of something else than strings",
		one(`{"type":"string","const":"x"}`): "/a: const is used",
		one(`{"type":"string","$ref":"#"}`):  "/a: $ref is used",
		one(`{"type":"object","properties":{},"additionalProperties":{}}`): "/a: additionalProperties is not a boolean",
		`{"type":"object","properties":{},"anyOf":[]}`:                     ": anyOf is used",
		`{"type":"object","properties":{},"$defs":{}}`:                     ": $defs is used",
		`{"type":"object","properties":{},"required":["a"]}`:               ": required a is no property",
		`{"type":"object","properties":{"a b":{"type":"string"}}}`:         `: the key "a b" is not plain`,
		one(`{"type":"array","items":{"type":"array"}}`):                   "/a/items/items: not an object",
	}
	for in, want := range tests {
		err := Portable(json.RawMessage(in))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", in, err, want)
		}
	}
}

// FuzzNarrow: whatever a kernel sends, what a model sees is portable, and
// nothing panics on the way to a decoded call.
func FuzzNarrow(f *testing.F) {
	for _, s := range []string{pageSave, everyType, blocksOf, `{"$ref":"#"}`, `{"allOf":[{"$ref":"#"},true,null]}`, `{"properties":{"a":{"type":["x",null]},"b":{"enum":[[],{}]}}}`} {
		f.Add([]byte(s), []byte(`{"a":"true","content":"x"}`))
	}
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		tool := writes(string(schema))
		got, _ := Narrow(tool)
		if err := Portable(got); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		s := New(tool)
		a, _, err := s.Decode(args)
		if err == nil {
			_ = s.Check(a.Full(nil))
			if !json.Valid(a.JSON()) {
				t.Fatalf("the arguments are no JSON: %s", a.JSON())
			}
		}
	})
}
