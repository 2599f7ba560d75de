package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// The bounds of what Narrow writes.
const (
	maxNodes = 1000 // schemas in one schema
	maxNest  = 8    // of schemas in each other
)

// Narrow gives the schema a model sees of the tool: the manifest's own in its
// key order, less the host fields, with planId on a write, and portable: an
// object root with properties, no $ref, no combinators, one type a property,
// arrays with items, boolean additionalProperties, plain keys. The same tool
// gives the same bytes. It compiles nothing. An error means the manifest's
// schema cannot be read; the bytes are then an open object all the same.
func Narrow(t tools.Tool) (json.RawMessage, error) {
	s, err := read(t)
	if err == nil {
		n := narrower{shape: s}
		out := n.root(t)
		if n.nodes <= maxNodes {
			return compact(out), nil
		}
		err = fmt.Errorf("the schema unfolds to more than %d schemas", maxNodes)
	}
	return json.RawMessage(`{"type":"object","properties":{}}`), fmt.Errorf("narrow the schema of %s: %w", t.Name, err)
}

// narrower writes portable schemas and counts them.
type narrower struct {
	shape *shape
	nodes int
}

func (n *narrower) root(t tools.Tool) *object {
	props := &object{}
	for _, name := range n.shape.visible(t) {
		props.set(name, n.property(name, n.shape.argument(name), 1))
	}
	parts := map[string]any{"type": "object", "properties": props}
	if required := n.required(t, props); len(required) > 0 {
		parts["required"] = required
	}
	if more, said := n.shape.root.get("additionalProperties"); said {
		parts["additionalProperties"] = more != false
	}
	out := &object{}
	for _, k := range append(slices.Clone(n.shape.root.keys), "type", "required", "properties") {
		if v, ok := parts[k]; ok {
			out.set(k, v)
		}
	}
	return out
}

// required lists what a model must give: what the manifest requires of it, and
// the mode of a write, which no one should leave to chance.
func (n *narrower) required(t tools.Tool, props *object) []string {
	var list []string
	for _, name := range n.shape.asked(t) {
		if props.has(name) {
			list = append(list, name)
		}
	}
	return list
}

// visible lists the arguments that a model sees, in manifest order.
func (s *shape) visible(t tools.Tool) []string {
	var names []string
	for _, name := range s.props.keys {
		if !IsHostField(name) && plainKey(name) && s.props.member(name) != false {
			names = append(names, name)
		}
	}
	if t.Writes() {
		names = add(add(names, dryRun), planID)
	}
	return names
}

// asked lists what a caller must give: required by the manifest and neither
// filled in by the host nor allowed to be null; and a write's mode, if it is
// one of several and has no default.
func (s *shape) asked(t tools.Tool) []string {
	var list []string
	for _, name := range s.required {
		known := !hostFills(name) && !IsHostField(name)
		if known && !slices.Contains(s.types(s.props.member(name)), "null") {
			list = append(list, name)
		}
	}
	if m := s.props.object(mode); t.Writes() && len(m.list("enum")) > 1 && !m.has("default") {
		list = add(list, mode)
	}
	return list
}

// plainKey reports the strictest client's form of a property's name.
// It is asked of every key of every tool before the first list goes out.
func plainKey(name string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
	return name != "" && len(name) <= 64 && strings.Trim(name, plain) == ""
}

// property writes one schema in portable form: one type, and only the keywords
// that every client takes.
func (n *narrower) property(name string, schema any, depth int) *object {
	n.nodes++
	outer, _ := schema.(*object)
	node := n.shape.settle(schema)
	if node == nil || depth > maxNest || n.nodes > maxNodes {
		return typed("string")
	}
	kind := n.kind(schema, node)
	out := &object{}
	if !node.has("type") {
		out.set("type", kind)
	}
	for _, k := range node.keys {
		if k == "type" {
			out.set("type", kind)
		} else if v, ok := n.keyword(kind, k, node.member(k), depth); ok {
			out.set(k, v)
		}
	}
	n.complete(out, name, kind, node)
	describe(out, outer, node)
	return out
}

// kind picks the one type that a model is told: the first that is not null. A
// schema that does not say takes text, which a model can always give.
func (n *narrower) kind(schema any, node *object) string {
	for _, t := range append(n.shape.types(schema), n.shape.types(node)...) {
		if t != "null" && slices.Contains([]string{"string", "number", "integer", "boolean", "array", "object"}, t) {
			return t
		}
	}
	return "string"
}

// keyword gives a keyword's portable value, or false for one that some client
// refuses or that does not go with the type.
func (n *narrower) keyword(kind, key string, v any, depth int) (any, bool) {
	switch key {
	case "description":
		s, ok := v.(string)
		return s, ok
	case "default":
		return v, v != nil && fits(kind, v)
	case "enum":
		list, _ := v.([]any)
		words := slices.DeleteFunc(slices.Clone(list), func(e any) bool { return typeOf(e) != "string" })
		return words, kind == "string" && len(words) > 0
	case "minLength", "maxLength":
		return v, kind == "string" && typeOf(v) == "number"
	case "minimum", "maximum":
		return v, (kind == "integer" || kind == "number") && typeOf(v) == "number"
	case "minItems", "maxItems":
		return v, kind == "array" && typeOf(v) == "number"
	case "pattern":
		p, ok := v.(string)
		_, err := regexp.Compile(p)
		return p, ok && kind == "string" && err == nil
	case "format":
		return v, kind == "string" && v == "date-time"
	case "properties", "items", "additionalProperties", "required":
		return n.nested(kind, key, v, depth)
	}
	return nil, false
}

func (n *narrower) nested(kind, key string, v any, depth int) (any, bool) {
	switch {
	case key == "items" && kind == "array":
		if list, isTuple := v.([]any); isTuple && len(list) > 0 {
			v = list[0]
		}
		return n.property("", v, depth+1), true
	case key == "properties" && kind == "object":
		props, _ := v.(*object)
		return n.properties(props, depth), true
	case key == "additionalProperties" && kind == "object":
		return v != false, true
	case key == "required" && kind == "object": // complete keeps those that are left
		return v, true
	}
	return nil, false
}

func (n *narrower) properties(props *object, depth int) *object {
	out := &object{}
	if props == nil {
		return out
	}
	for _, k := range props.keys {
		if plainKey(k) && props.member(k) != false {
			out.set(k, n.property(k, props.member(k), depth+1))
		}
	}
	return out
}

// complete adds what strict clients miss: properties of an object, items of an
// array, and no required name without a property.
func (n *narrower) complete(out *object, name, kind string, node *object) {
	switch kind {
	case "object":
		if !out.has("properties") {
			out.set("properties", &object{})
		}
		names := slices.DeleteFunc(node.words("required"), func(k string) bool { return !out.object("properties").has(k) })
		if len(names) > 0 {
			out.set("required", names)
		} else {
			out.delete("required")
		}
	case "array":
		if !out.has("items") {
			out.set("items", anyItem(name))
		}
	}
	if values := node.list("enum"); len(values) > 0 && !out.has("enum") && kind != "string" {
		out.set("description", join(out.text("description"), "one of "+list(values)))
	}
	if v, fixed := node.get("const"); fixed {
		if s, isText := v.(string); isText {
			out.set("enum", []any{s})
		} else {
			out.set("description", join(out.text("description"), "always "+string(compact(v))))
		}
	}
}

// anyItem is an array's item where the manifest does not say: the blocks of
// seed 7-6's content, else text.
func anyItem(name string) *object {
	if name != content {
		return typed("string")
	}
	o, props := typed("object"), &object{}
	props.set("type", typed("string"))
	props.set("text", typed("string"))
	o.set("properties", props)
	return o
}

// describe keeps the description that stands beside a reference or wrapper.
func describe(out, outer, node *object) {
	if outer != node && outer.text("description") != "" {
		out.set("description", outer.text("description"))
	}
}

func fits(kind string, v any) bool {
	t := typeOf(v)
	return t == kind || t == "number" && kind == "integer" && isWhole(v)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return strings.TrimRight(a, ". ") + "; " + b
}

// list writes values for a sentence, the first twenty.
func list(values []any) string {
	const most = 20
	var words []string
	for _, v := range values[:min(len(values), most)] {
		words = append(words, string(compact(plain(v))))
	}
	if len(values) > most {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}
