package schema

import (
	"fmt"
	"strings"
	"testing"
)

// common are values that every schema of the table is tried with.
var common = []string{
	`null`, `true`, `0`, `1`, `-1`, `1.0`, `1.5`, `3`, `5`, `7`, `1e2`, `1e400`, `-1e400`, `1e-400`, `""`, `"a"`, `"ab"`, `"abc"`, `"é"`, `"5"`,
	`[]`, `[1]`, `[1,2]`, `[1,2,1]`, `[1,1.0]`, `["a",1]`, `[[],[]]`, `[{"a":1},{"a":1.0}]`, `{}`, `{"a":1}`, `{"a":"x"}`, `{"a":null}`, `{"b":1}`, `{"a":1,"b":2}`, `{"a":1,"b":"x","c":true}`,
	`{"a":{"a":1}}`, `{"a":{"a":{"a":"x"}}}`, `[[[1]]]`, `{"abc":1,"abd":"x"}`, `{"a":[1,"x",{"b":null}]}`,
	`9007199254740992`, `9007199254740993`, `12345678901234567890123`, `9007199254740993.5`, `1.0000000000000000001`, `0.1`, `0.3`, `0.7`, `19.99`, `0.30000000000000004`,
}

// agreed are schemas on which the two libraries agree, value by value.
var agreed = []string{
	`true`, `false`, `{}`,
	`{"type":"null"}`, `{"type":"boolean"}`, `{"type":"integer"}`, `{"type":"number"}`, `{"type":"string"}`, `{"type":"array"}`, `{"type":"object"}`, `{"type":["integer","null"]}`, `{"type":["string"]}`,
	`{"type":"string","nullable":true}`, `{"type":"string","enum":["a"],"nullable":true}`,
	`{"enum":[1,"a",null,[1,2],{"a":1}]}`, `{"enum":[0.1,1e400,9007199254740993]}`, `{"enum":["5",true]}`, `{"const":1}`, `{"const":null}`, `{"const":{"a":1.0}}`, `{"const":[1,2]}`, `{"const":9007199254740992}`, `{"const":"5"}`, `{"const":0.3}`,
	`{"minimum":1}`, `{"maximum":1}`, `{"exclusiveMinimum":1}`, `{"exclusiveMaximum":1}`, `{"minimum":-1,"maximum":1.5}`, `{"minimum":9007199254740993}`, `{"maximum":9007199254740992}`, `{"exclusiveMaximum":1e400}`, `{"minimum":0.1}`, `{"exclusiveMinimum":0.3}`, `{"maximum":1.0000000000000000001}`,
	`{"multipleOf":5}`, `{"multipleOf":0.1}`, `{"multipleOf":0.01}`, `{"multipleOf":1.5}`, `{"multipleOf":3}`, `{"multipleOf":1e-400}`, `{"multipleOf":1.0}`, `{"multipleOf":1e30}`,
	`{"minLength":2}`, `{"maxLength":2}`, `{"minLength":1.0,"maxLength":1}`, `{"maxLength":99999999999999999999}`, `{"pattern":"^a"}`, `{"pattern":""}`, `{"pattern":"^(?!a)"}`, `{"pattern":"b$","minLength":3}`,
	`{"minItems":1}`, `{"maxItems":1}`, `{"uniqueItems":true}`, `{"uniqueItems":false}`, `{"items":{"type":"integer"}}`, `{"items":false}`, `{"items":true}`, `{"prefixItems":[{"type":"integer"},{"type":"string"}]}`, `{"prefixItems":[true],"items":{"type":"integer"}}`, `{"prefixItems":[{"const":"a"}],"items":false}`,
	`{"contains":{"type":"string"}}`, `{"contains":{"const":1},"minContains":2}`, `{"contains":{"const":1},"maxContains":1}`, `{"contains":{"const":1},"minContains":0}`, `{"contains":true,"minContains":2,"maxContains":2}`, `{"minContains":3}`, `{"contains":false}`,
	`{"required":["a"]}`, `{"required":[]}`, `{"required":["a","b"],"properties":{"a":{"type":"integer"}}}`, `{"properties":{"a":false}}`, `{"properties":{"a":true},"additionalProperties":false}`, `{"additionalProperties":{"type":"integer"}}`, `{"additionalProperties":false}`, `{"properties":{"a":{"properties":{"a":{"type":"integer"}}}}}`,
	`{"patternProperties":{"^ab":{"type":"integer"}}}`, `{"patternProperties":{"^a":true},"additionalProperties":false}`, `{"patternProperties":{"b$":{"type":"string"}},"properties":{"a":{"type":"integer"}},"additionalProperties":{"type":"boolean"}}`,
	`{"minProperties":1}`, `{"maxProperties":1}`, `{"propertyNames":{"maxLength":1}}`, `{"propertyNames":{"pattern":"^a"}}`, `{"propertyNames":false}`,
	`{"dependentRequired":{"a":["b"]}}`, `{"dependentRequired":{"a":["b","c"],"b":[]}}`, `{"dependentSchemas":{"a":{"required":["b"]}}}`, `{"dependentSchemas":{"a":false}}`, `{"dependencies":{"a":["zzz"]}}`,
	`{"allOf":[{"type":"integer"},{"minimum":1}]}`, `{"anyOf":[{"type":"integer"},{"minLength":2}]}`, `{"oneOf":[{"type":"integer"},{"minimum":1}]}`, `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"not":{"type":"integer"}}`, `{"not":{}}`, `{"not":false}`, `{"anyOf":[false,{"const":1}]}`, `{"allOf":[false]}`, `{"not":{"multipleOf":0.1}}`, `{"anyOf":[{"multipleOf":0.1},{"type":"string"}]}`,
	`{"if":{"type":"integer"},"then":{"minimum":1},"else":{"type":"string"}}`, `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"if":{"required":["a"]},"else":{"maxLength":1}}`, `{"then":false}`, `{"if":true,"then":{"type":"integer"}}`,
	`{"properties":{"a":true},"unevaluatedProperties":false}`, `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":true}}],"unevaluatedProperties":{"type":"string"}}`, `{"unevaluatedItems":false}`, `{"prefixItems":[true],"unevaluatedItems":{"type":"string"}}`, `{"contains":{"const":1},"unevaluatedItems":false}`,
	`{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`, `{"$ref":"#/$defs/n","minimum":1,"$defs":{"n":{"type":"integer"}}}`, `{"$ref":"#/definitions/n","definitions":{"n":{"type":"integer"}},"$defs":{}}`, `{"properties":{"a":{"$ref":"#"},"b":{"type":"integer"}}}`,
	`{"$ref":"#/$defs/list","$defs":{"list":{"type":["array","integer"],"items":{"$ref":"#/$defs/list"}}}}`, `{"$defs":{"x~y/z %":{"type":"integer"}},"$ref":"#/$defs/x~0y~1z%20%25"}`, `{"properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}}}`, `{"allOf":[{"type":"integer"}],"x":{"y":{"minimum":1}},"$ref":"#/x/y"}`,
	`{"$defs":{"n":{"$anchor":"num","type":"integer"}},"$ref":"#num"}`, `{"$defs":{"n":{"$dynamicAnchor":"num","type":"integer"}},"items":{"$dynamicRef":"#num"}}`, `{"$id":"https://example.com/a.json","$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`, `{"$id":"https://example.com/a.json","items":{"$ref":"a.json#/$defs/n"},"$defs":{"n":{"type":"integer"}}}`, `{"$id":"https://example.com/a.json","items":{"$ref":"https://example.com/a.json"},"type":["array","integer"]}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/n","minimum":5,"definitions":{"n":{"type":"integer"}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"}],"additionalItems":{"type":"string"}}`, `{"$schema":"http://json-schema.org/draft-07/schema","dependencies":{"a":["b"],"b":{"required":["c"]}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","dependentRequired":{"a":["zz"]},"unevaluatedItems":false}`, `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"$id":"#num","type":"integer"}},"$ref":"#num"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","additionalItems":false}`,
	`{"$schema":"http://json-schema.org/draft-06/schema#","const":1,"if":true,"then":false}`, `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true,"maximum":5,"exclusiveMaximum":false}`, `{"$schema":"http://json-schema.org/draft-04/schema#","maximum":5,"exclusiveMaximum":true,"const":1}`, `{"$schema":"http://json-schema.org/draft-04/schema#","id":"https://example.com/x","items":[{"type":"integer"}],"additionalItems":false}`,
	`{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"integer"}],"additionalItems":{"type":"string"},"dependentRequired":{"a":["b"]}}`, `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"a":{"$recursiveRef":"#"},"b":{"type":"integer"}}}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"integer"}`,
	`{"x-unknown":{"type":5},"type":"integer"}`, `{"title":"t","description":"d","default":7,"examples":[1],"deprecated":true,"readOnly":true,"writeOnly":false,"$comment":"c","contentEncoding":"base64","contentMediaType":"application/json","contentSchema":{"type":"integer"},"type":"string"}`, `{"additionalItems":{"type":"strng"},"id":5,"type":"integer"}`,
}

// TestAgreement: yes, no, and the place of a single fault are those of a second
// library.
func TestAgreement(t *testing.T) {
	t.Parallel()
	for _, schema := range agreed {
		t.Run(schema, func(t *testing.T) {
			t.Parallel()
			if !agreement(t, schema, common...) {
				t.Error("the schema cannot be read")
			}
		})
	}
}

// TestAgreementOnNonsense: what is no schema is none for both.
func TestAgreementOnNonsense(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`5`, `"x"`, `[]`, `null`, `{"type":"strng"}`, `{"type":""}`, `{"type":[""]}`, `{"type":5}`, `{"type":[]}`, `{"type":["string","strng"]}`, `{"type":["string","string"]}`, `{"enum":5}`, `{"enum":"a"}`, `{"enum":{"a":1}}`,
		`{"minimum":"1"}`, `{"maximum":null}`, `{"exclusiveMinimum":true}`, `{"exclusiveMaximum":[]}`, `{"multipleOf":0}`, `{"multipleOf":-1}`, `{"multipleOf":"2"}`, `{"minLength":-1}`, `{"minLength":1.5}`, `{"maxLength":"1"}`, `{"pattern":5}`, `{"format":5}`,
		`{"minItems":-1}`, `{"maxItems":{}}`, `{"uniqueItems":1}`, `{"items":[{"type":"string"}]}`, `{"items":5}`, `{"prefixItems":{}}`, `{"prefixItems":[]}`, `{"prefixItems":[5]}`, `{"contains":5}`, `{"minContains":-1}`, `{"unevaluatedItems":1}`,
		`{"required":"a"}`, `{"required":[1]}`, `{"required":["a","a"]}`, `{"required":true}`, `{"properties":[1]}`, `{"properties":{"a":5}}`, `{"properties":{"a":{"type":"strng"}}}`, `{"patternProperties":{"a":1}}`, `{"additionalProperties":1}`, `{"additionalProperties":"false"}`, `{"propertyNames":1}`, `{"minProperties":-1}`, `{"maxProperties":"1"}`, `{"unevaluatedProperties":1}`,
		`{"dependentRequired":{"a":"b"}}`, `{"dependentRequired":{"a":{}}}`, `{"dependentRequired":[]}`, `{"dependentSchemas":{"a":1}}`, `{"allOf":[]}`, `{"allOf":{}}`, `{"anyOf":[]}`, `{"anyOf":5}`, `{"oneOf":[]}`, `{"oneOf":[1]}`, `{"not":1}`, `{"if":1}`, `{"then":1}`, `{"else":[]}`,
		`{"$ref":5}`, `{"$ref":"#/$defs/none"}`, `{"$ref":"#none"}`, `{"$ref":"https://example.com/s.json"}`, `{"$ref":"other.json"}`, `{"$ref":"file:///etc/passwd"}`, `{"$defs":5}`, `{"$defs":{"a":5}}`, `{"$defs":{"a":{"type":"strng"}}}`, `{"definitions":{"a":{"type":"strng"}}}`, `{"$schema":"https://example.com/meta"}`, `{"$schema":5}`, `{"$ref":"#/x","x":{"type":"strng"}}`,
		`{"title":5}`, `{"description":[]}`, `{"$comment":1}`, `{"examples":1}`, `{"deprecated":"yes"}`, `{"readOnly":1}`, `{"contentEncoding":1}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":1}`, `{"$schema":"http://json-schema.org/draft-07/schema#","minimum":1,"exclusiveMinimum":true}`,
	} {
		t.Run(schema, func(t *testing.T) {
			t.Parallel()
			if agreement(t, schema) {
				t.Error("both read it")
			}
		})
	}
}

// TestAgreementOnFormats: what is in a format is so for both.
func TestAgreementOnFormats(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"date":                  `2024-02-29 2023-02-29 2100-02-29 2000-02-29 2024-04-31 2024-13-01 2024-00-10 2024-1-1 20240101 0000-01-01 x2024-01-01 2024-01-01x`,
		"time":                  `12:00:00Z 12:00:00z 12:00:00 12:00:00.123Z 12:00:00.Z 12:00:00+01:00 12:00:00-23:59 12:00:00+24:00 24:00:00Z 12:60:00Z 12:00:60Z 23:59:60Z 00:59:60+01:00 22:59:60-01:00 23:59:60+01:00 23:59:61Z 12:00:00+0100 12:00:00+01:60`,
		"date-time":             `2024-02-29T12:00:00Z 2023-02-29T12:00:00Z 2024-02-29t12:00:00z 2024-02-29_12:00:00Z 2024-02-29T12:00:00 2024-02-29T25:00:00Z 2016-12-31T23:59:60Z 2016-12-31T23:58:60Z 2024-02-29T12:00:00.5+05:30`,
		"duration":              `P1Y P1M P1D PT1H PT1M PT1S P1Y2M3DT4H5M6S P1W P W PT P1 P1S PT1D P1Y1W P1D1Y P1DT 1Y P-1Y P1.5D P1YT`,
		"uuid":                  `123e4567-e89b-12d3-a456-426614174000 123E4567-E89B-12D3-A456-426614174000 123e4567e89b12d3a456426614174000 123e4567-e89b-12d3-a456-42661417400g 123e4567-e89b-12d3-a456-4266141740000 {123e4567-e89b-12d3-a456-426614174000}`,
		"ipv4":                  `1.2.3.4 255.255.255.255 256.0.0.1 1.2.3 1.2.3.4.5 01.2.3.4 1.2.3.04 0.0.0.0 a.b.c.d ::1 1.2.3.4%eth0 1..2.3`,
		"ipv6":                  `::1 :: 1::2 2001:db8::1 ::ffff:1.2.3.4 fe80::1%eth0 1.2.3.4 12345:: 1:2:3:4:5:6:7:8 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 :::`,
		"hostname":              `a example.com example.com. -a.com a-.com a--b.com ` + strings.Repeat("a", 63) + ` ` + strings.Repeat("a", 64) + ` a..b . .a 1.2 a_b.com é.com ` + strings.Repeat("a.", 126) + `a ` + strings.Repeat("a.", 127) + `a`,
		"email":                 `a@b.com a.b@c.d a@b @ a@ a..b@c .a@b a.@b "a..b"@c "a\\b"@c a@[1.2.3.4] a@[IPv6:::1] a@[::1] a@[IPv6:1.2.3.4] a@[256.1.1.1] a@-b a@b@c é@b a@é.com ` + strings.Repeat("a", 65) + `@b ` + strings.Repeat("a", 64) + `@b x`,
		"uri":                   `https://example.com/a?b#c urn:a:b mailto:a@b /a a #x http:// http://[::1]/ http://[::1 http://::1/ http://a:b/ http://a:80/ http://%zz/ a%20b:c 1a:b x:%zz x:%20 http://example.com/%zz \\a http://[::1%25eth0]/`,
		"iri":                   `https://example.com/é é http://é.com/ a:b`,
		"uri-reference":         `https://example.com/a /a a #x ?q \\a a\b %zz a%20b 1a:b :a //h/p http://[::1 ""`,
		"iri-reference":         `é /é #é \é`,
		"uri-template":          `/a/{b} /a/{b /a/b} /a/{{b}} {a}{b} /{a/b} plain http://h/{x}/y %zz`,
		"json-pointer":          `/a /a/b /a~0b /a~1b /a~2b /a~ a #/a / //`,
		"relative-json-pointer": `0 1 0# 1/a 01/a -1 /a 1a 10/a~2 0/ #`,
		"regex":                 `a ( (?!x)`, "no-such-format": `a b`, "idn-email": `x`, "idn-hostname": `..`,
	}
	for name, list := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := []string{`""`, `"a\nb"`, `" "`, `5`, `null`, `{}`}
			for _, text := range strings.Fields(list) {
				values = append(values, string(encode(text)))
			}
			for _, form := range []string{`{"format":%q}`, `{"anyOf":[{"format":%q},{"type":"number"}]}`, `{"not":{"format":%q}}`} {
				if !agreement(t, fmt.Sprintf(form, name), values...) {
					t.Error("the schema cannot be read")
				}
			}
		})
	}
}
