package schema

import (
	"encoding/json"
	"slices"
)

// types lists the JSON types that a schema takes, as far as it says; none means
// that it does not say. A schema with properties means an object, one with
// items an array.
func (s *shape) types(schema any) []string {
	branches := maxBranches
	return s.typesAt(schema, &branches)
}

func (s *shape) typesAt(schema any, left *int) []string {
	node, _ := schema.(*object)
	if *left--; node == nil || *left < 0 {
		return nil
	}
	var list []string
	switch {
	case node.text("type") != "":
		list = justType(node.text("type"))
	case node.list("type") != nil:
		list = node.words("type")
	case node.has("const"):
		list = []string{typeOf(node.member("const"))}
	case node.has("enum"):
		for _, v := range node.list("enum") {
			list = add(list, typeOf(v))
		}
	case node.has("properties"):
		list = []string{"object"}
	case node.has("items"):
		list = []string{"array"}
	case node.text("$ref") != "":
		list = s.typesAt(orNil(s.target(node.text("$ref"))), left)
	default:
		list = s.branchTypes(node, left)
	}
	if len(list) > 0 && node.member("nullable") == true {
		list = add(slices.Clone(list), "null")
	}
	return list
}

// branchTypes joins the types of the branches; one that does not say leaves all
// unsaid.
func (s *shape) branchTypes(node *object, left *int) []string {
	var list []string
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		for _, v := range node.list(keyword) {
			some := s.typesAt(v, left)
			if len(some) == 0 && keyword != "allOf" {
				return nil
			}
			for _, t := range some {
				list = add(list, t)
			}
		}
		if list != nil {
			return list
		}
	}
	return nil
}

// orNil keeps a nil object from becoming a non-nil any.
func orNil(o *object) any {
	if o == nil {
		return nil
	}
	return o
}

// justType gives a list of one type. It is asked for every value of every call.
func justType(name string) []string {
	if i := slices.Index(jsonTypes, name); i >= 0 {
		return jsonTypes[i : i+1 : i+1]
	}
	return []string{name}
}

func add(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// typeOf names the JSON type of a value.
func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case []any:
		return "array"
	case *object, map[string]any:
		return "object"
	}
	return "null"
}
