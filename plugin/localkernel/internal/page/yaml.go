package page

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/mnote-dev/mnote-host/tools"
)

// yamlData is a YAML frontmatter: its bytes and what stands where in them. Its
// root is nil for one that is empty.
type yamlData struct {
	src  []byte
	doc  *yaml.Node
	root *yaml.Node
}

// readYAML reads a mapping, or nothing. Keys that occur twice make it invalid:
// programs disagree about which one counts.
func readYAML(src []byte) (*yamlData, error) {
	var doc yaml.Node
	d := &yamlData{src: src, doc: &doc}
	if err := decodeYAML(src, &doc); err != nil {
		return nil, invalidData(err)
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		return d, nil
	}
	d.root = doc.Content[0]
	if d.root.Kind != yaml.MappingNode {
		return nil, invalidData(errors.New("not a mapping"))
	}
	for _, m := range []*yaml.Node{d.root, d.mapping(optionsKey)} {
		if err := uniqueKeys(m); err != nil {
			return nil, invalidData(err)
		}
	}
	return d, nil
}

// decodeYAML keeps a panic of the parser on outside bytes an error.
func decodeYAML(src []byte, doc *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	return yaml.Unmarshal(src, doc)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func uniqueKeys(m *yaml.Node) error {
	if m == nil {
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := m.Content[i]
		if key.Kind == yaml.ScalarNode && seen[key.Value] {
			return errors.New("a key occurs twice")
		}
		seen[key.Value] = key.Kind == yaml.ScalarNode
	}
	return nil
}

// entry finds a key of a mapping and its value.
func entry(m *yaml.Node, name string) (key, value *yaml.Node) {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if k := m.Content[i]; k.Kind == yaml.ScalarNode && k.Value == name {
			return k, m.Content[i+1]
		}
	}
	return nil, nil
}

// mapping gives the mapping below a key of the root, or nil.
func (d *yamlData) mapping(name string) *yaml.Node {
	_, v := entry(d.root, name)
	if v != nil && v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	if v == nil || v.Kind != yaml.MappingNode {
		return nil
	}
	return v
}

func (d *yamlData) bytes() []byte { return d.src }

// title gives the scalar under title, whatever its type.
func (d *yamlData) title() string {
	_, v := entry(d.root, "title")
	if v != nil && v.Kind == yaml.AliasNode {
		v = v.Alias
	}
	if v == nil || v.Kind != yaml.ScalarNode || isNull(v) {
		return ""
	}
	return v.Value
}

// options reads the booleans under mnote; yes, no, on and off are booleans too.
func (d *yamlData) options() (map[string]bool, error) {
	_, v := entry(d.root, optionsKey)
	if v == nil || isNull(v) {
		return nil, nil
	}
	var raw map[string]yaml.Node
	if err := v.Decode(&raw); err != nil {
		if held := yamlType(v); held != typeObject {
			return nil, wrongType(optionsKey, held, typeObject)
		}
		return nil, invalidData(err)
	}
	values := map[string]bool{}
	for _, opt := range options {
		n, ok := raw[opt.key]
		if !ok || isNull(&n) {
			continue
		}
		var value bool
		if err := n.Decode(&value); err != nil {
			return nil, wrongType(optionsKey+"."+opt.key, yamlType(&n), typeBool)
		}
		values[opt.key] = value
	}
	return values, nil
}

// yamlType says what a node holds.
func yamlType(n *yaml.Node) tools.Text {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.MappingNode:
		return typeObject
	case yaml.SequenceNode:
		return typeList
	}
	switch n.ShortTag() {
	case "!!str":
		return typeText
	case "!!int", "!!float":
		return typeNumber
	case "!!bool":
		return typeBool
	}
	return typeOther
}

// offset gives a node's place in the bytes. YAML counts lines (CRLF, CR, LF,
// NEL, LS, PS end one) and characters.
func (d *yamlData) offset(n *yaml.Node) int {
	at := 0
	for line := 1; line < n.Line && at < len(d.src); line++ {
		at = yamlLine(d.src, at)
	}
	for col := 1; col < n.Column && at < len(d.src); col++ {
		_, size := utf8.DecodeRune(d.src[at:])
		at += size
	}
	return at
}

// yamlLine gives the start of the next line.
func yamlLine(src []byte, at int) int {
	for at < len(src) {
		if n := breakLen(src, at); n > 0 {
			return at + n
		}
		r, size := utf8.DecodeRune(src[at:])
		at += size
		if r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return at
		}
	}
	return at
}

// provenAs reads the edited bytes again: the value is there, and every other
// key, value and comment is what it was, in its order.
func (d *yamlData) provenAs(out []byte, path []string, want func(*yaml.Node) bool) ([]byte, error) {
	next, err := readYAML(out)
	if err != nil {
		return nil, unsupportedData("YAML")
	}
	_, v := entry(next.root, path[0])
	if len(path) == 2 {
		_, v = entry(v, path[1])
	}
	// A mapping that is empty has no node that holds its comments.
	sameComments := d.root == nil || slices.Equal(comments(d.doc), comments(next.doc))
	if v == nil || !want(v) || !sameComments ||
		!slices.Equal(outlineYAML(d.root, path), outlineYAML(next.root, path)) {
		return nil, unsupportedData("YAML")
	}
	return out, nil
}

// comments lists all comments below a node, sorted.
func comments(n *yaml.Node) []string {
	var all []string
	walkYAML(n, func(n *yaml.Node) {
		for _, c := range []string{n.HeadComment, n.LineComment, n.FootComment} {
			for line := range strings.Lines(c) {
				if line = strings.TrimSpace(line); line != "" {
					all = append(all, line)
				}
			}
		}
	})
	slices.Sort(all)
	return all
}

func walkYAML(n *yaml.Node, visit func(*yaml.Node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, c := range n.Content {
		walkYAML(c, visit)
	}
}

// outlineYAML writes a mapping's keys and values as lines, the entry at path
// left out, so that two of them can be compared.
func outlineYAML(n *yaml.Node, path []string) []string {
	if n == nil {
		return nil
	}
	var lines []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case len(path) == 0 || key.Value != path[0]:
			walkYAML(key, func(n *yaml.Node) { lines = append(lines, nodeLine(n)) })
			walkYAML(value, func(n *yaml.Node) { lines = append(lines, nodeLine(n)) })
		case len(path) == 2:
			lines = append(lines, outlineYAML(value, path[1:])...)
		}
	}
	return lines
}

func nodeLine(n *yaml.Node) string {
	return fmt.Sprintf("%d %d %s %s %d %q", n.Kind, n.Style, n.Tag, n.Anchor, len(n.Content), n.Value)
}

// cutIn gives src with [from, to) replaced.
func cutIn(src []byte, from, to int, text string) []byte {
	return bytes.Join([][]byte{src[:from], []byte(text), src[to:]}, nil)
}
