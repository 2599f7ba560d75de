package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxSchemas bounds how many schemas a document may unfold to, references
// included.
const maxSchemas = 20_000

// reader reads a schema document (maps, not *object) into the judge's form,
// keyword by keyword. The judge takes nonsense in silence and knows two drafts;
// the reader refuses the nonsense and writes every draft as the newest.
type reader struct {
	doc    any
	draft  int
	strict bool   // refuse what would only be passed over
	exact  *exact // of the call that is judged; nil reads for all calls

	path   []string
	nodes  int
	unused int // above 0: what is read need only be sound
	err    error
	defs   references
	named  map[*jsonschema.Schema]string // branches that stand for one keyword

	// What the judge must look at before it shows a call to the rules.
	measures   bool     // numbers are compared
	divides    bool     // as doubles
	needsExact bool     // with some that a double does not hold
	formats    []format // that a pattern alone cannot tell
}

// fail keeps the first fault of the document.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s", pointer(r.path), fmt.Sprintf(format, args...))
	}
}

// schema reads one schema.
func (r *reader) schema(v any) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	if r.nodes++; r.nodes > maxSchemas {
		r.fail("the schema unfolds to more than %d schemas", maxSchemas)
	}
	if r.err != nil {
		return s
	}
	switch v := v.(type) {
	case bool:
		if !v {
			s.Not = &jsonschema.Schema{}
			r.named[s] = "false"
		}
	case map[string]any:
		r.keywords(s, v)
	default:
		r.fail("a schema is an object, true or false")
	}
	return s
}

func (r *reader) keywords(s *jsonschema.Schema, doc map[string]any) {
	keys := slices.Sorted(maps.Keys(doc))
	if _, refers := doc["$ref"]; refers && r.draft < 2019 { // which ignore all beside it
		keys = []string{"$ref"}
	}
	for _, key := range keys {
		r.path = append(r.path, key)
		if speaks := r.speaks(key); !speaks || !r.keyword(s, doc, key) {
			r.passOver(key)
		}
		r.path = r.path[:len(r.path)-1]
	}
}

// passOver is what becomes of a keyword that says nothing here.
func (r *reader) passOver(key string) {
	if r.strict {
		r.fail("the keyword %s is not known", quoted(key))
	}
}

// keyword reads one keyword; false means that it is none.
func (r *reader) keyword(s *jsonschema.Schema, doc map[string]any, key string) bool {
	v := doc[key]
	return r.core(s, key, v) || r.note(key, v) || r.value(s, key, v) || r.measure(s, doc, key) ||
		r.logic(s, doc, key) || r.array(s, doc, key) || r.object(s, key, v)
}

// note reads what only describes.
func (r *reader) note(key string, v any) bool {
	ok := true
	switch key {
	case "title", "description", "$comment", "$schema", "$anchor", "$dynamicAnchor", "contentEncoding", "contentMediaType":
		_, ok = v.(string)
	case "deprecated", "readOnly", "writeOnly", "$recursiveAnchor":
		_, ok = v.(bool)
	case "examples":
		_, ok = v.([]any)
	case "$vocabulary":
		_, ok = v.(map[string]any)
	case "contentSchema":
		r.aside(func() { r.schema(v) })
	case "default", "nullable": // nullable is written out already
	default:
		return false
	}
	if !ok {
		r.fail("not the kind of value that %s takes", key)
	}
	return true
}

// jsonTypes are the seven.
var jsonTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func (r *reader) value(s *jsonschema.Schema, key string, v any) bool {
	switch key {
	case "type":
		r.types(s, v)
	case "enum":
		list, _ := v.([]any)
		if len(list) == 0 {
			r.fail("not a list of values")
		}
		s.Enum, _ = r.shown(list).([]any)
	case "const":
		v = r.shown(v)
		s.Const = &v
	case "minLength":
		s.MinLength = r.count(v)
	case "maxLength":
		s.MaxLength = r.count(v)
	case "pattern":
		s.Pattern = r.pattern(v)
	case "format":
		r.format(s, v)
	default:
		return false
	}
	return true
}

func (r *reader) types(s *jsonschema.Schema, v any) {
	var list []string
	if one, ok := v.(string); ok {
		s.Type, list = one, []string{one}
	} else {
		list = r.words(v)
		s.Types = list
	}
	if len(list) == 0 {
		r.fail("no type")
	}
	for _, t := range list {
		if !slices.Contains(jsonTypes, t) {
			r.fail("there is no type %s", quoted(t))
		}
	}
}

// pattern reads a regular expression. One that Go does not know, such as a
// look-ahead, matches everything: the kernel that wrote it will check it.
func (r *reader) pattern(v any) string {
	expr, ok := v.(string)
	if !ok {
		r.fail("not a regular expression")
	}
	if _, err := regexp.Compile(expr); err != nil {
		if r.strict {
			r.fail("the expression is not known here")
		}
		return ""
	}
	return expr
}

// shown gives a value of the schema as the judge is shown those of a call.
func (r *reader) shown(v any) any {
	show := shower{exact: r.exact}
	v, _ = show.value(v)
	r.measures = r.measures || show.numbers
	r.needsExact = r.needsExact || show.odd
	return v
}

// words reads a list of strings, each once.
func (r *reader) words(v any) []string {
	list, ok := v.([]any)
	out := make([]string, 0, len(list))
	for _, e := range list {
		s, isText := e.(string)
		ok = ok && isText
		out = append(out, s)
	}
	if !ok || len(slices.Compact(slices.Sorted(slices.Values(out)))) != len(out) {
		r.fail("not a list of different words")
	}
	return out
}

// count reads a number of things.
func (r *reader) count(v any) *int {
	n, _ := v.(json.Number)
	rat, ok := new(big.Rat).SetString(string(n))
	if !ok || !rat.IsInt() || rat.Sign() < 0 {
		r.fail("not a number of things")
		return nil
	}
	most := math.MaxInt32
	if num := rat.Num(); num.IsInt64() && num.Int64() < math.MaxInt32 {
		most = int(num.Int64())
	}
	return &most
}
