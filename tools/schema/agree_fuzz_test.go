package schema

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// dice draws a schema and a value from fuzzed bytes.
type dice struct {
	rolls []byte
	sizes int
}

func (d *dice) roll(sides int) int {
	if len(d.rolls) == 0 {
		return 0
	}
	n := int(d.rolls[0]) % sides
	d.rolls = d.rolls[1:]
	return n
}

func (d *dice) pick(from []string) string { return from[d.roll(len(from))] }

var (
	diceNumbers = []string{"0", "1", "-1", "2", "3", "5", "1.0", "1.5", "0.1", "0.3", "2.5", "1e2", "19.99", "0.30000000000000004", "9007199254740992", "9007199254740993", "-9007199254740993", "12345678901234567890123", "1e30", "1e-320", "1e400", "9007199254740993.5"}
	diceTexts   = []string{`""`, `"a"`, `"b"`, `"ab"`, `"é"`, `"1"`, `"2024-02-29"`, `"2023-02-29"`, `"a@b"`, `"/a"`, `"12:00:00Z"`, `"::1"`, `"a\nb"`}
	diceNames   = []string{"a", "b", "c", "ab"}
	dicePlaces  = []string{"#/$defs/a", "#/$defs/b", "#", "#/properties/a"}
)

func (d *dice) value(depth int) string {
	switch sides := 6; d.roll(sides) {
	case 0:
		return d.pick([]string{"null", "true", "false"})
	case 1, 2:
		return d.pick(diceNumbers)
	case 3:
		return d.pick(diceTexts)
	case 4:
		if depth > 0 {
			return "[" + strings.Join(d.some(func() string { return d.value(depth - 1) }), ",") + "]"
		}
	default:
		if depth > 0 {
			return d.object(func() string { return d.value(depth - 1) })
		}
	}
	return "{}"
}

func (d *dice) some(one func() string) []string {
	var all []string
	for range d.roll(4) {
		all = append(all, one())
	}
	return all
}

func (d *dice) least(one func() string) string {
	return "[" + strings.Join(append(d.some(one), one()), ",") + "]"
}

func (d *dice) object(one func() string) string {
	var all []string
	for i, name := range diceNames {
		if d.roll(2) == 1 && i < 4 {
			all = append(all, fmt.Sprintf("%q:%s", name, one()))
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

func (d *dice) names() string {
	var all []string
	for _, name := range diceNames {
		if d.roll(3) == 1 {
			all = append(all, fmt.Sprintf("%q", name))
		}
	}
	return "[" + strings.Join(all, ",") + "]"
}

func (d *dice) schema(depth int) string {
	if d.sizes++; depth == 0 || d.sizes > 40 {
		return d.pick([]string{"true", `{"type":"integer"}`, `{"type":"string"}`, "false", "{}"})
	}
	seen, all := map[string]bool{}, []string{}
	for range 1 + d.roll(3) {
		if key, v := d.keyword(depth - 1); !seen[key] {
			seen[key] = true
			all = append(all, fmt.Sprintf("%q:%s", key, v))
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

func (d *dice) keyword(depth int) (key, v string) {
	sub := func() string { return d.schema(depth) }
	key = d.pick([]string{
		"type", "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "items", "prefixItems", "contains", "minContains", "maxContains",
		"required", "properties", "properties", "patternProperties", "additionalProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies",
		"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "unevaluatedProperties", "$ref", "nullable",
	})
	switch key {
	case "type":
		v = d.pick([]string{`"integer"`, `"number"`, `"string"`, `"object"`, `"array"`, `"boolean"`, `["integer","null"]`, `["string","array","object"]`})
	case "enum":
		v = d.least(func() string { return d.value(1) })
	case "const":
		v = d.value(2)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		v = d.pick(diceNumbers)
	case "multipleOf":
		v = d.pick([]string{"1", "2", "3", "0.1", "0.01", "1.5", "1e-320", "1e30", "9007199254740993"})
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		v = d.pick([]string{"0", "1", "2", "3"})
	case "pattern":
		v = d.pick([]string{`"^a"`, `"b$"`, `"^(?!a)"`, `""`})
	case "format":
		v = d.pick([]string{`"date"`, `"time"`, `"email"`, `"ipv6"`, `"json-pointer"`, `"uri-reference"`, `"other"`})
	case "uniqueItems", "nullable":
		v = d.pick([]string{"true", "false"})
	case "prefixItems", "allOf", "anyOf", "oneOf":
		v = d.least(sub)
	case "required":
		v = d.names()
	case "properties", "dependentSchemas":
		v = d.object(sub)
	case "patternProperties":
		v = `{` + d.pick([]string{`"^a"`, `"b$"`, `""`}) + `:` + sub() + `}`
	case "dependentRequired":
		v = d.object(d.names)
	case "dependencies":
		v = d.object(func() string { return [](func() string){d.names, sub}[d.roll(2)]() })
	case "$ref":
		v = fmt.Sprintf("%q", d.pick(dicePlaces))
	default:
		v = sub()
	}
	return key, v
}

// document is a schema with members, and often with what a simple one lacks.
func (d *dice) document() string {
	props := d.object(func() string { return d.schema(2) })
	if d.roll(2) == 0 {
		return fmt.Sprintf(`{"type":"object","properties":%s,"required":%s}`, props, d.names())
	}
	return fmt.Sprintf(`{"allOf":[%s],"properties":%s,"$defs":{"a":%s,"b":%s}}`, d.schema(3), props, d.schema(2), d.schema(2))
}

// FuzzAgreement: whatever the schema and the value, the judge's yes or no is the
// second library's, a single fault stands in the same place, and a refusal
// always has a reason.
func FuzzAgreement(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(rolls(seed))
	}
	f.Fuzz(drawn)
}

// TestDrawnSchemas is a share of FuzzAgreement for every run.
func TestDrawnSchemas(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		drawn(t, rolls(1000+seed))
	}
}

func rolls(seed uint64) []byte {
	random, all := rand.New(rand.NewPCG(seed, 1)), make([]byte, 300)
	for i := range all {
		all[i] = byte(random.Uint32())
	}
	return all
}

// drawn compares the two opinions of a schema and values that the rolls give.
func drawn(t *testing.T, rolls []byte) {
	d := &dice{rolls: rolls}
	schema := d.document()
	if _, err := compile(func() any { return tree(t, schema) }, false); err != nil && strings.Contains(err.Error(), "leads back to itself") {
		return // the other refuses every value
	}
	agreement(t, schema, d.value(3), d.value(2), d.value(3))
}
