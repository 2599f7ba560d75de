package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFaultSays: a schema that cannot be used says where and why.
func TestFaultSays(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`{"properties":{"a":{"type":"strng"}}}`:                                                    `/properties/a/type: there is no type "strng"`,
		`{"properties":{"a":{"enum":[]}}}`:                                                         `/properties/a/enum: not a list of values`,
		`{"properties":{"a":{"items":{"minimum":"1"}}}}`:                                           `/properties/a/items/minimum: not a number that can be a bound`,
		`{"required":["a",1]}`:                                                                     `/required: not a list of different words`,
		`{"properties":{"a":{"pattern":1}}}`:                                                       `/properties/a/pattern: not a regular expression`,
		`{"properties":{"a":{"$ref":"https://example.com/s.json#/a"}}}`:                            `/properties/a/$ref: the reference "https://example.com/s.json#/a" leads nowhere in this document, and may not lead to another`,
		`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}`: `a reference leads back to itself`,
		`{"properties":{"a":` + doubling(14) + `}}`:                                                `leads nowhere`,
		`{"properties":{"a":{"$ref":"#/x/0/y"}},"x":[{"y":{"type":7}}]}`:                           `/x/0/y/type`,
		`{"$schema":"https://example.com/dialect"}`:                                                `the dialect "example.com/dialect" is not known`,
		`{"properties":{"a":{"allOf":[true,{"not":{"maxItems":-1}}]}}}`:                            `/properties/a/allOf/1/not/maxItems: not a number of things`,
	}
	for schema, want := range tests {
		t.Run(schema[:min(60, len(schema))], func(t *testing.T) {
			t.Parallel()
			s := New(reads(schema))
			if err := s.Fault(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			if _, _, err := s.Decode(json.RawMessage(`{"a":1}`)); err != nil {
				t.Errorf("a call is refused: %v", err)
			}
		})
	}
}

// TestConfirmsStrictly: what this host does not know of a confirmWhen makes it
// match, so that a person is asked.
func TestConfirmsStrictly(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		when, in string
		want     bool
	}{
		"all is known":                {`{"title":"t","properties":{"a":{"const":1}},"required":["a"]}`, `{"a":2}`, false},
		"an unknown keyword":          {`{"properties":{"a":{"const":1}},"required":["a"],"unless":{}}`, `{"a":2}`, true},
		"one that is deep":            {`{"properties":{"a":{"const":1,"constt":1}},"required":["a"]}`, `{"a":2}`, true},
		"one of another draft":        {`{"required":["z"],"additionalItems":false}`, `{"a":2}`, true},
		"an expression Go lacks":      {`{"properties":{"a":{"not":{"pattern":"^(?!x)"}}},"required":["a"]}`, `{"a":"x"}`, true},
		"a format that is not known":  {`{"properties":{"a":{"not":{"format":"color"}}},"required":["a"]}`, `{"a":"x"}`, true},
		"another document":            {`{"$ref":"https://example.com/when.json"}`, `{"a":2}`, true},
		"a reference to itself":       {`{"not":{"$ref":"#"}}`, `{"a":2}`, true},
		"a dialect that is not known": {`{"$schema":"https://example.com/d","const":7}`, `{"a":2}`, true},
		"an exact number":             {`{"properties":{"a":{"const":9007199254740993}},"required":["a"]}`, `{"a":9007199254740992}`, false},
		"the same number":             {`{"properties":{"a":{"const":9007199254740993}},"required":["a"]}`, `{"a":9007199254740993}`, true},
		"too many to be exact about":  {`{"not":{"properties":{"a":{"items":{"multipleOf":0.1}}}},"required":["b"]}`, `{"a":[` + manyNumbers() + `]}`, true},
		"few of the same":             {`{"not":{"properties":{"a":{"items":{"multipleOf":0.1}}}}}`, `{"a":[0.1,0.3]}`, false},
		"a number's text":             {`{"properties":{"a":{"const":"5"}},"required":["a"]}`, `{"a":5}`, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := writes(`{}`)
			tool.ConfirmWhen = json.RawMessage(tt.when)
			s := New(tool)
			a, _, err := s.Decode(json.RawMessage(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Confirms(a); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// manyNumbers lists more numbers than are judged exactly.
func manyNumbers() string {
	var all []string
	for i := range maxExact + 1 {
		all = append(all, string(encode(i))+".5")
	}
	return strings.Join(all, ",")
}

// TestEveryFault: all that is wrong with a call is told at once, however deep
// and behind whatever reference it stands.
func TestEveryFault(t *testing.T) {
	t.Parallel()
	s := New(reads(`{"properties":{
	  "ops":{"type":"array","items":{"$ref":"#/$defs/op"}},
	  "kind":{"enum":["a","b"]},"size":{"type":"integer"},"ratio":{"multipleOf":0.01,"maximum":1},"day":{"type":"string","format":"date"},"tags":{"uniqueItems":true,"maxItems":2}},
	  "$defs":{"op":{"type":"object","required":["op"],"properties":{"op":{"type":"string","minLength":2},"at":{"allOf":[{"type":"integer"},{"minimum":0}]}},
	    "if":{"properties":{"op":{"const":"move"}},"required":["op"]},"then":{"required":["to"]},"additionalProperties":{"type":"string"}}}}`))
	_, _, err := s.Decode(json.RawMessage(`{"ops":[{"op":"add"},{"op":"x","at":-1},{"op":"move"},{"at":"y","to":5}],"kind":"c","size":1.5,"ratio":0.125,"day":"2023-02-29","tags":[1,1.0,2]}`))
	want := []Violation{
		{"/day", "not in the right form", "a string, in the form date"},
		{"/kind", "not one of the allowed values", `one of "a", "b"`},
		{"/ops/1/at", "too small", "an integer"},
		{"/ops/1/op", "too short (1 characters)", "a string, at least 2 characters"},
		{"/ops/2/to", "missing", "any value"},
		{"/ops/3/at", "a string", "an integer"},
		{"/ops/3/op", "missing", "a string, at least 2 characters"},
		{"/ops/3/to", "a number", "another value"},
	}
	if diff := cmp.Diff(want, violationsOf(t, err)); diff != "" {
		t.Error(diff)
	}
	for _, more := range []string{"and 4 more"} {
		if !strings.Contains(err.Error(), more) {
			t.Errorf("%v lacks %s", err, more)
		}
	}
}

// TestGoodNumbers: a number that fits is never refused because a machine
// cannot hold or divide it, and none is rounded into fitting.
func TestGoodNumbers(t *testing.T) {
	t.Parallel()
	s := New(reads(`{"properties":{"price":{"type":"number","multipleOf":0.01,"minimum":0.01},"id":{"type":"integer","minimum":9007199254740993},"any":{"type":"integer"},"list":{"items":{"multipleOf":0.1}}}}`))
	tests := map[string]bool{
		`{"price":19.99}`: true, `{"price":0.07}`: true, `{"price":1e2}`: true, `{"price":19.995}`: false, `{"price":0.001}`: false,
		`{"id":9007199254740993}`: true, `{"id":9007199254740992}`: false, `{"id":9007199254740993.5}`: false, `{"id":12345678901234567890123}`: true,
		`{"any":1.0}`: true, `{"any":7e2}`: true, `{"any":1e400}`: true, `{"any":1.5}`: false, `{"any":1e-400}`: false, `{"any":9007199254740993.5}`: false,
		`{"list":[0.1,0.2,0.3,0.7,1.1]}`: true, `{"list":[0.1,0.25]}`: false,
	}
	for in, ok := range tests {
		if _, _, err := s.Decode(json.RawMessage(in)); (err == nil) != ok {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestHostNumbers: a host's own fields may be Go's numbers.
func TestHostNumbers(t *testing.T) {
	t.Parallel()
	s := New(reads(`{"properties":{"n":{"type":"integer","minimum":1},"f":{"multipleOf":0.1}}}`))
	for _, tt := range []struct {
		full map[string]any
		ok   bool
	}{
		{map[string]any{"n": 3, "f": 0.3}, true},
		{map[string]any{"n": int64(0)}, false},
		{map[string]any{"n": 2.5}, false},
		{map[string]any{"n": uint8(7), "f": json.Number("0.31")}, false},
	} {
		if err := s.Check(tt.full); (err == nil) != tt.ok {
			t.Errorf("%v: %v", tt.full, err)
		}
	}
}

// TestHostile: no schema and no call keeps the host busy for long. A refused
// call has a reason all the same, and what cannot be judged is its kernel's.
func TestHostile(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat("[", 60) + strings.Repeat("]", 60)
	wide := "[" + strings.Repeat(`{"a":1},`, 3000) + `{"a":"x"}]`
	branches := strings.Repeat(`{"items":{"properties":{"a":{"type":"integer"}}}},`, 500)
	words := strings.Repeat(`"w",`, 4000) + "1" // with a number there is no quick yes
	tests := map[string]struct {
		schema, in string // of the argument a
		want       string // its violation, "" if it fits or is not judged
	}{
		"references that double":        {`{"items":{"allOf":[{"$ref":"#/properties/a"},{"$ref":"#/properties/a"}]}}`, nested, ""},
		"the same below not":            {`{"not":{"items":{"anyOf":[{"$ref":"#/properties/a"},{"$ref":"#/properties/a"}]}}}`, nested, ""},
		"a list as deep as may be":      {`{"type":["array","string"],"items":{"$ref":"#/properties/a"},"maxItems":0}`, nested, "too many items (1)"},
		"the last of many items":        {`{"items":{"properties":{"a":{"type":"integer"}}}}`, wide, "a string"},
		"hundreds of branches":          {`{"allOf":[` + branches + `{"minItems":1}]}`, wide, ""},
		"hundreds of branches, broken":  {`{"allOf":[` + branches + `{"minItems":1}]}`, `[]`, "too few items (0)"},
		"a number without end":          {`{"type":"integer","multipleOf":1e-400}`, `1e400`, ""},
		"an expression that backtracks": {`{"pattern":"^(a+)+$"}`, `"` + strings.Repeat("a", 100_000) + `!"`, "not in the right form"},
		"many words for many items":     {`{"items":{"enum":[` + words + `]}}`, "[" + strings.Repeat(`"x",`, 4000) + `"x"]`, ""},
		"many words for one item":       {`{"items":{"enum":[` + words + `]}}`, `["x"]`, "not one of the allowed values"},
		"many equal items":              {`{"uniqueItems":true}`, "[" + strings.Repeat("[1,2],", 50_000) + "[1,2]]", "the same item twice (0 and 1)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(reads(`{"properties":{"a":` + tt.schema + `}}`))
			if err := s.Fault(); err != nil {
				t.Fatal(err)
			}
			_, _, err := s.Decode(json.RawMessage(`{"a":` + tt.in + `}`))
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
			} else if got := violationsOf(t, err)[0].Problem; got != tt.want {
				t.Errorf("got %s", got)
			}
		})
	}
}
