package schema

import (
	"strings"
	"testing"
)

// TestDifferences lists where the judge and the second library do not agree,
// each with the reason why it is right so. A schema that is not read leaves the
// tool with any object, which its kernel checks.
func TestDifferences(t *testing.T) {
	t.Parallel()
	const unread, yes, no = "not read", "yes", "no"
	many := `[`
	for i := range maxExact {
		many += `1.` + strings.Repeat("0", 16) + string(encode(i+1000)) + `,`
	}
	tests := map[string]struct {
		schema, value string
		judge, other  string
	}{
		"no value is allowed: surely a mistake":                          {`{"enum":[]}`, `1`, unread, no},
		"a reference to itself refuses every call":                       {`{"$ref":"#"}`, `1`, unread, no},
		"the same over two":                                              {`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`, `1`, unread, yes},
		"a part with an address of its own changes what references mean": {`{"$defs":{"a":{"$id":"https://example.com/a","type":"integer"}},"$ref":"https://example.com/a"}`, `1`, unread, yes},
		"a dialect's own schema is another document":                     {`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{}`, unread, yes},
		"a pattern of names that Go does not know asks nothing":          {`{"patternProperties":{"^(?!x)":{"type":"string"}},"additionalProperties":false}`, `{"a":1}`, yes, no},
		"period and semver are no formats of JSON Schema":                {`{"format":"semver"}`, `"x"`, yes, no},
		"an address before the @ is not empty":                           {`{"format":"email"}`, `"@example.com"`, no, yes},
		"hours have two digits":                                          {`{"format":"time"}`, `"+1:00:00Z"`, no, yes},
		"a leap second east of Greenwich is at its midnight too":         {`{"format":"time"}`, `"23:59:60-24:00"`, no, no},
		"with very many numbers that no double holds, they are doubles":  {`{"items":{"minimum":1.00000000000000005}}`, many + `1.00000000000000004]`, yes, no},
		"a template's braces may be anywhere":                            {`{"format":"uri-template"}`, `"/a?q={b"`, no, yes},
		"numbers of things end somewhere":                                {`{"maxItems":1e300}`, `[]`, yes, yes},
		"a schema that unfolds beyond all bounds is not followed":        {doubling(14), `1`, unread, yes},
		"names that are listed twice are a mistake for both":             {`{"dependentRequired":{"a":["b","b"]}}`, `{}`, unread, unread},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judged, second := unread, unread
			verdict := map[bool]string{true: yes, false: no}
			if j, err := compile(func() any { return tree(t, tt.schema) }, false); err == nil {
				judged = verdict[j.fits(tree(t, tt.value))]
			}
			if s, err := secondOpinion(tree(t, tt.schema)); err == nil {
				second = verdict[s.paths(tree(t, tt.value)) == nil]
			}
			if judged != tt.judge || second != tt.other {
				t.Errorf("the judge says %s, the other %s", judged, second)
			}
		})
	}
}

// doubling is a schema that is held against one value 2^n times.
func doubling(n int) string {
	defs := []string{`"d0":{"type":"integer"}`}
	for i := range n {
		ref := `{"$ref":"#/$defs/d` + string(encode(i)) + `"}`
		defs = append(defs, `"d`+string(encode(i+1))+`":{"allOf":[`+ref+`,`+ref+`]}`)
	}
	return `{"$ref":"#/$defs/d` + string(encode(n)) + `","$defs":{` + strings.Join(defs, ",") + `}}`
}
