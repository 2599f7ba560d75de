package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// maxSchema bounds a tool's schema in bytes.
const maxSchema = 256 << 10

// maxRefs bounds how many references lead from one to the next, maxBranches
// how many schemas are looked at for one answer: references can unfold without
// end.
const (
	maxRefs     = 16
	maxBranches = 200
)

// shape is what a tool's schema says about its arguments, flat: the root's
// references followed and its allOf, anyOf and oneOf laid together. It is read
// without compiling anything.
type shape struct {
	root *object
	// props holds the schema of each argument, host fields included, in the
	// manifest's order. A schema may be a boolean.
	props *object
	// required lists what every call must hold, host fields included.
	required []string
	// unsure names arguments that several branches describe differently: only
	// the full schema can tell.
	unsure map[string]bool
	// open means that the tool takes arguments that its schema does not name.
	open bool

	// args holds the schema of each argument that a caller may name, in
	// manifest order, then those of the envelope. What only the full schema can
	// tell is left out.
	args *object
	// known lists everything that a caller may name, host fields included.
	known []string
}

// read gives the shape of a tool's schema. No schema at all is any object.
func read(t tools.Tool) (*shape, error) {
	if len(t.InputSchema) == 0 {
		return anyObject(), nil
	}
	if len(t.InputSchema) > maxSchema {
		return nil, errors.New("the schema is longer than 256 KiB")
	}
	v, err := decode(t.InputSchema, true, nil)
	if err != nil {
		return nil, err
	}
	root, ok := v.(*object)
	if !ok {
		return nil, errors.New("the schema is not an object")
	}
	s := &shape{root: root, props: &object{}, unsure: map[string]bool{}}
	branches := maxBranches
	s.lay(root, true, &branches)
	s.open = s.isOpen(root)
	return s, nil
}

// anyObject is the shape of a tool that does not say what it takes.
func anyObject() *shape {
	return &shape{root: &object{}, props: &object{}, open: true}
}

// index prepares for reading calls, which Narrow does not.
func (s *shape) index() {
	s.args = &object{}
	for _, name := range slices.Concat(s.props.keys, openFields) {
		if !IsHostField(name) && !s.unsure[name] {
			s.args.set(name, s.argument(name))
		}
	}
	s.known = slices.Concat(s.props.keys, openFields, hostFields)
}

// lay adds what one branch says. In a branch that need not hold, nothing is
// required.
func (s *shape) lay(branch *object, must bool, left *int) {
	if *left--; branch == nil || *left < 0 {
		return
	}
	if p := branch.object("properties"); p != nil {
		for _, name := range p.keys {
			if s.props.has(name) && string(compact(s.props.member(name))) != string(compact(p.member(name))) {
				s.unsure[name] = true
				continue
			}
			s.props.set(name, p.member(name))
		}
	}
	if must {
		for _, name := range branch.words("required") {
			if !slices.Contains(s.required, name) {
				s.required = append(s.required, name)
			}
		}
	}
	if ref := branch.text("$ref"); ref != "" {
		s.lay(s.target(ref), must, left)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, v := range branch.list(keyword) {
			sub, _ := v.(*object)
			s.lay(sub, must && keyword == "allOf", left)
		}
	}
}

// isOpen: a schema that names its arguments and is silent about others takes no
// others, so that a mistyped one is noticed.
func (s *shape) isOpen(root *object) bool {
	switch more := root.member("additionalProperties").(type) {
	case bool:
		return more
	case *object:
		return true
	}
	return len(s.props.keys) == 0 || root.has("patternProperties")
}

// target finds a JSON pointer such as #/$defs/Block. Anchors and other
// documents are not followed.
func (s *shape) target(ref string) *object {
	path, here := strings.CutPrefix(ref, "#")
	if !here || path != "" && path[0] != '/' {
		return nil
	}
	var at any = s.root
	for _, step := range strings.Split(path, "/")[min(1, len(path)):] {
		o, ok := at.(*object)
		if !ok {
			return nil
		}
		at = o.member(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	o, _ := at.(*object)
	return o
}

// lists reports whether the schema names the field, as a property or as
// required.
func (s *shape) lists(field string) bool {
	return s.props.has(field) || slices.Contains(s.required, field)
}

// requires reports whether every call must hold the field.
func (s *shape) requires(field string) bool { return slices.Contains(s.required, field) }

// argument gives the schema of an argument: the tool's own, else the envelope's
// for the fields that every tool takes; nil says nothing.
func (s *shape) argument(name string) any {
	own := s.props.member(name)
	if isOpenField(name) && len(s.types(own)) == 0 {
		return envelope(name)
	}
	return own
}

// settle follows references and wrappers of one branch (an anyOf that only adds
// null, say) to the schema that speaks; nil says nothing.
func (s *shape) settle(schema any) *object {
	node, _ := schema.(*object)
	for range maxRefs {
		if node == nil || node.has("type") || node.has("properties") || node.has("items") {
			return node
		}
		next := s.wrapped(node)
		if next == nil {
			return node
		}
		node = next
	}
	return nil
}

// wrapped gives the one schema that a node only wraps, or nil.
func (s *shape) wrapped(node *object) *object {
	if ref := node.text("$ref"); ref != "" {
		return s.target(ref)
	}
	var found *object
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, v := range node.list(keyword) {
			sub, _ := v.(*object)
			switch {
			case sub.text("type") == "null":
			case sub == nil || found != nil:
				return nil
			default:
				found = sub
			}
		}
	}
	return found
}
