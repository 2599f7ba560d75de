package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// portableTypes are the types that every client knows.
var portableTypes = []string{"string", "number", "integer", "boolean", "array", "object"}

// refusedKeywords make some client refuse a schema, and often every other tool
// of the server with it.
var refusedKeywords = []string{
	"$ref", "$defs", "definitions", "$dynamicRef", "anyOf", "oneOf", "allOf", "not", "if", "then", "else",
	"patternProperties", "dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "unevaluatedProperties", "nullable", "const",
}

// Portable says why the strictest clients would refuse a tool's schema, or nil:
// an object root with properties, one known type everywhere, arrays with items,
// required names that exist, boolean additionalProperties, plain keys, no
// references and no combinators. What Narrow gives is portable.
func Portable(schema json.RawMessage) error {
	v, err := decode(schema, true, nil)
	if err != nil {
		return err
	}
	root, ok := v.(*object)
	if !ok || root.text("type") != "object" {
		return errors.New("the root is not an object")
	}
	return portable(root, "")
}

func portable(node *object, path string) error {
	if node == nil {
		return fmt.Errorf("%s: not an object", path)
	}
	kind := node.text("type")
	if !slices.Contains(portableTypes, kind) {
		return fmt.Errorf("%s: not one known type", path)
	}
	for _, k := range refusedKeywords {
		if node.has(k) {
			return fmt.Errorf("%s: %s is used", path, k)
		}
	}
	if more, said := node.get("additionalProperties"); said && typeOf(more) != "boolean" {
		return fmt.Errorf("%s: additionalProperties is not a boolean", path)
	}
	if node.has("enum") && (kind != "string" || len(node.words("enum")) != len(node.list("enum"))) {
		return fmt.Errorf("%s: an enum of something else than strings", path)
	}
	switch kind {
	case "array":
		return portable(node.object("items"), path+"/items")
	case "object":
		return portableMembers(node, path)
	}
	return nil
}

func portableMembers(node *object, path string) error {
	props := node.object("properties")
	if props == nil {
		return fmt.Errorf("%s: an object without properties", path)
	}
	for _, name := range node.words("required") {
		if !props.has(name) {
			return fmt.Errorf("%s: required %s is no property", path, name)
		}
	}
	for _, name := range props.keys {
		if !plainKey(name) {
			return fmt.Errorf("%s: the key %q is not plain", path, cut(name))
		}
		if err := portable(props.object(name), path+"/"+name); err != nil {
			return err
		}
	}
	return nil
}
