package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
)

// repairer reads arguments as they can only be meant, fills in defaults, and
// notes what it read otherwise than it was sent.
type repairer struct {
	shape  *shape
	path   []string // where the walk is
	notes  []string
	faults []violation
}

// arguments repairs a whole call, whose host fields are taken out already.
func (r *repairer) arguments(args map[string]any) {
	r.variants(r.shape.known, args)
	r.members(r.shape.args, r.shape.required, args)
}

// members repairs the members of one object and fills in what is absent.
func (r *repairer) members(props *object, required []string, at map[string]any) {
	for i, name := range props.keys {
		schema, must := props.values[i], slices.Contains(required, name)
		v, given := at[name]
		r.path = append(r.path, name)
		switch {
		case given && v == nil && (!must || len(r.path) == 1 && hostFills(name)) && r.refusesNull(schema):
			delete(at, name)
			r.note("null was read as not given")
		case given:
			at[name] = r.value(schema, v)
		case must && slices.Contains(r.shape.types(schema), "null"):
			at[name] = nil // what a model cannot say, since it is shown one type only
		}
		r.path = r.path[:len(r.path)-1]
		if d, ok := r.absent(schema); ok && at[name] == nil && !has(at, name) {
			at[name] = d
		}
	}
}

// hostFills reports whether the host fills in an argument that is not given,
// whatever the manifest requires of a kernel's caller.
func hostFills(name string) bool {
	return name == documentID || name == idempotencyKey || name == planID
}

func (r *repairer) refusesNull(schema any) bool {
	types := r.shape.types(schema)
	return len(types) > 0 && !slices.Contains(types, "null")
}

func has(m map[string]any, key string) bool {
	_, ok := m[key]
	return ok
}

// absent gives a schema's default.
func (r *repairer) absent(schema any) (any, bool) {
	outer, _ := schema.(*object)
	for _, node := range []*object{outer, r.shape.settle(schema)} {
		if d := node.member("default"); d != nil {
			return plain(d), true
		}
	}
	return nil, false
}

// variants refuses a key that is a known one in another case: readers differ in
// what they take it for. What it holds is looked at under the known name, so
// that the caller hears of all its faults at once.
func (r *repairer) variants(known []string, at map[string]any) {
	for _, key := range slices.Collect(maps.Keys(at)) {
		if slices.Contains(known, key) {
			continue
		}
		i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, key) })
		if i < 0 {
			continue
		}
		r.faults = append(r.faults, violation{
			path:    pointer(append(r.path[:len(r.path):len(r.path)], key)),
			problem: words("大小写不对", "written in another case"), allowed: words(known[i], known[i]),
		})
		at[known[i]] = at[key] // the decoder has seen to it that no other is there
		delete(at, key)
	}
}

// unknown refuses arguments that the tool does not have, naming the nearest
// that it has.
func (r *repairer) unknown(t tools.Tool, args map[string]any) {
	if r.shape.open {
		return
	}
	for key := range args {
		if !slices.Contains(r.shape.known, key) {
			r.faults = append(r.faults, r.shape.unknownAt([]string{key}, r.shape.visible(t))...)
		}
	}
}

// value repairs one value, and then what is inside it.
func (r *repairer) value(schema, v any) any {
	node := r.shape.settle(schema)
	if node == nil {
		return v
	}
	v = r.retype(schema, node, v)
	switch v := v.(type) {
	case map[string]any:
		if props := node.object("properties"); props != nil {
			r.variants(props.keys, v)
			r.members(props, node.words("required"), v)
		}
	case []any:
		r.items(node, v)
	}
	return v
}

func (r *repairer) items(node *object, list []any) {
	blocks := r.takesBlocks(node)
	for i, e := range list {
		r.path = append(r.path, strconv.Itoa(i))
		if s, ok := e.(string); ok && blocks {
			e = block(s)
			r.note("the text was read as a block of Markdown")
		}
		list[i] = r.value(node.member("items"), e)
		r.path = r.path[:len(r.path)-1]
	}
}

// retype reads a value of a type that the schema does not take as one that it
// takes, where only one reading is possible.
func (r *repairer) retype(schema any, node *object, v any) any {
	types := r.shape.types(schema)
	if len(types) == 0 || takes(types, v) {
		return v
	}
	switch sent := v.(type) {
	case string:
		return r.text(types, node, sent)
	case map[string]any:
		if slices.Contains(types, "array") && r.takesObjects(node) {
			r.note("one object was read as a list of one")
			return []any{sent}
		}
	}
	return v
}

// jsonNumber is the form of a number in JSON.
var jsonNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?$`) })

// text reads a string as a boolean, a number, the JSON in it, or blocks.
func (r *repairer) text(types []string, node *object, s string) any {
	word := strings.ToLower(s)
	switch {
	case slices.Contains(types, "boolean") && (word == "true" || word == "false"):
		r.note(fmt.Sprintf("the string %q was read as %s", s, word))
		return word == "true"
	case jsonNumber().MatchString(s) && takes(types, json.Number(s)):
		r.note(fmt.Sprintf("the string %q was read as the number %s", s, s))
		return json.Number(s)
	}
	if v, ok := r.inside(types, node, s); ok {
		return v
	}
	if slices.Contains(types, "array") && r.takesBlocks(node) && strings.TrimSpace(s) != "[]" {
		r.note("the text was read as one block of Markdown")
		return []any{block(s)}
	}
	return s
}

// inside reads the JSON object or array that a string holds. Where blocks are
// asked, only blocks are taken for JSON: a page may well begin with a bracket.
func (r *repairer) inside(types []string, node *object, s string) (any, bool) {
	if t := strings.TrimSpace(s); t == "" || t[0] != '{' && t[0] != '[' {
		return nil, false
	}
	v, err := decode([]byte(s), false, r.path)
	if err != nil || slices.Contains(types, "array") && r.takesBlocks(node) && !areBlocks(v) {
		return nil, false
	}
	if _, one := v.(map[string]any); one && !slices.Contains(types, "object") && slices.Contains(types, "array") && r.takesObjects(node) {
		v = []any{v}
	}
	if !takes(types, v) {
		return nil, false
	}
	r.note("the string was read as the JSON in it")
	return v, true
}

// takes reports whether one of the types is the value's.
func takes(types []string, v any) bool {
	t := typeOf(v)
	return slices.Contains(types, t) || t == "number" && slices.Contains(types, "integer") && isWhole(v)
}

func isWhole(v any) bool {
	n, _ := v.(json.Number)
	if isDigits(string(n)) {
		return true
	}
	rat, ok := new(big.Rat).SetString(string(n))
	return ok && rat.IsInt()
}

// takesObjects reports whether an array's items are objects.
func (r *repairer) takesObjects(node *object) bool {
	return slices.Contains(r.shape.types(node.member("items")), "object") || r.takesBlocks(node)
}

// takesBlocks reports whether an array's items are blocks of a page: objects
// whose text is all that is needed, or seed 7-6's content, which does not say.
func (r *repairer) takesBlocks(node *object) bool {
	if !node.has("items") {
		return len(r.path) > 0 && r.path[len(r.path)-1] == content
	}
	item := r.shape.settle(node.member("items"))
	needs := slices.DeleteFunc(item.words("required"), func(k string) bool { return k == "text" })
	return len(needs) == 0 && slices.Contains(r.shape.types(orNil(item)), "object") &&
		slices.Contains(r.shape.types(item.object("properties").member("text")), "string")
}

func block(text string) map[string]any { return map[string]any{"text": text} }

// areBlocks reports whether a value is one block or a list of them, by their
// look.
func areBlocks(v any) bool {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	for _, e := range list {
		o, _ := e.(map[string]any)
		if o["text"] == nil && o["source"] == nil && o["type"] == nil {
			return false
		}
	}
	return len(list) > 0
}

func (r *repairer) note(what string) {
	const most = 20
	switch n := len(r.notes); {
	case n < most:
		r.notes = append(r.notes, cmp.Or(pointer(r.path), "arguments")+": "+what)
	case n == most:
		r.notes = append(r.notes, "and more of the same")
	}
}
