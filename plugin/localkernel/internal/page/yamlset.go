package page

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// setTitle writes the title in the style of the old one; a new one is the
// first line.
func (d *yamlData) setTitle(title, eol string) ([]byte, error) {
	is := func(n *yaml.Node) bool {
		return n.Kind == yaml.ScalarNode && n.Tag == "!!str" && n.Value == title
	}
	key, value := entry(d.root, "title")
	if key == nil {
		return d.provenAs(d.addFirst("title", yamlString(title, 0), eol), []string{"title"}, is)
	}
	out, err := d.replace(key, value, yamlString(title, value.Style))
	if err != nil {
		return nil, err
	}
	return d.provenAs(out, []string{"title"}, is)
}

// setOption writes one boolean under mnote.
func (d *yamlData) setOption(name string, value bool, eol string) ([]byte, error) {
	out, err := d.withOption(name, strconv.FormatBool(value), eol)
	if err != nil {
		return nil, err
	}
	return d.provenAs(out, []string{optionsKey, name}, func(n *yaml.Node) bool {
		return n.Tag == "!!bool" && n.Value == strconv.FormatBool(value)
	})
}

func (d *yamlData) withOption(name, value, eol string) ([]byte, error) {
	key, m := entry(d.root, optionsKey)
	switch {
	case key == nil:
		return d.addLast(name, value, eol), nil
	case isNull(m):
		return d.fillNull(key, m, name, value, eol)
	case m.Kind != yaml.MappingNode:
		return nil, unsupportedData("mnote: *alias")
	}
	if k, v := entry(m, name); k != nil {
		return d.replace(k, v, value)
	}
	if m.Style&yaml.FlowStyle != 0 {
		return d.addFlow(m, name, value)
	}
	return d.addBelow(key, m, name, value, eol)
}

// addFirst puts a key before all others.
func (d *yamlData) addFirst(name, value, eol string) []byte {
	if d.root != nil && d.root.Style&yaml.FlowStyle != 0 {
		if out, err := d.addFlow(d.root, name, value); err == nil {
			return out
		}
	}
	return cutIn(d.src, 0, 0, d.indent()+name+": "+value+eol)
}

// addLast puts mnote with one option behind all other keys.
func (d *yamlData) addLast(name, value, eol string) []byte {
	if d.root != nil && d.root.Style&yaml.FlowStyle != 0 {
		if out, err := d.addFlow(d.root, optionsKey, "{"+name+": "+value+"}"); err == nil {
			return out
		}
	}
	in := d.indent()
	text := in + optionsKey + ":" + eol + in + d.step() + name + ": " + value + eol
	return cutIn(d.src, len(d.src), len(d.src), text)
}

// indent is the white space before the root's keys.
func (d *yamlData) indent() string {
	if d.root == nil || len(d.root.Content) == 0 {
		return ""
	}
	return d.before(d.root.Content[0])
}

// before is what stands on a node's line before it, if it is blanks.
func (d *yamlData) before(n *yaml.Node) string {
	at := d.offset(n)
	lead := string(d.src[lineStart(d.src, at):at])
	if strings.Trim(lead, " ") != "" {
		return ""
	}
	return lead
}

// step is how much the file indents a mapping below a key, two where none is.
func (d *yamlData) step() string {
	step := ""
	walkYAML(d.root, func(n *yaml.Node) {
		if step != "" || n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if v.Kind == yaml.MappingNode && v.Style&yaml.FlowStyle == 0 && len(v.Content) > 0 && v.Content[0].Column > k.Column && step == "" {
				step = strings.Repeat(" ", v.Content[0].Column-k.Column)
			}
		}
	})
	if step == "" {
		return "  "
	}
	return step
}

// addFlow puts a key first in {…}.
func (d *yamlData) addFlow(m *yaml.Node, name, value string) ([]byte, error) {
	at := d.offset(m)
	if at >= len(d.src) || d.src[at] != '{' {
		return nil, unsupportedData("{…}")
	}
	text := name + ": " + value
	if len(m.Content) > 0 {
		text += ", "
	}
	return cutIn(d.src, at+1, at+1, text), nil
}

// addBelow puts a key first below mnote, right after that key's line: the
// comments above the other keys stay theirs.
func (d *yamlData) addBelow(key, m *yaml.Node, name, value, eol string) ([]byte, error) {
	if len(m.Content) == 0 || m.Content[0].Line <= key.Line {
		return nil, unsupportedData("mnote")
	}
	at := yamlLine(d.src, d.offset(key))
	return cutIn(d.src, at, at, d.before(m.Content[0])+name+": "+value+eol), nil
}

// fillNull gives an mnote that is empty its first option.
func (d *yamlData) fillNull(key, m *yaml.Node, name, value, eol string) ([]byte, error) {
	if m.Value != "" || d.root.Style&yaml.FlowStyle != 0 {
		return d.replace(key, m, "{"+name+": "+value+"}")
	}
	if m.Tag != "!!null" || m.Style != 0 || m.Anchor != "" {
		return nil, unsupportedData("mnote")
	}
	at := yamlLine(d.src, d.offset(key))
	return cutIn(d.src, at, at, d.before(key)+d.step()+name+": "+value+eol), nil
}

// replace writes a value in place of another; what stands behind it on its line
// stays.
func (d *yamlData) replace(key, value *yaml.Node, text string) ([]byte, error) {
	from, to, ok := d.extent(key, value)
	if !ok {
		return nil, unsupportedData(key.Value)
	}
	if from == to {
		text = " " + text
	}
	return cutIn(d.src, from, to, text), nil
}

// extent gives the bytes of a scalar value. An empty one stands right behind
// its key's colon.
func (d *yamlData) extent(key, value *yaml.Node) (from, to int, ok bool) {
	if value.Kind != yaml.ScalarNode || value.Anchor != "" || value.Style&yaml.TaggedStyle != 0 {
		return 0, 0, false
	}
	from = d.offset(value)
	switch {
	case value.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		to = quotedEnd(d.src, from)
		return from, to, to > 0
	case value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return from, d.indentedEnd(from, key, true), true
	case value.Value == "":
		at, ok := d.colon(key)
		return at, at, ok
	case bytes.HasPrefix(d.src[from:], []byte(value.Value)):
		return from, from + len(value.Value), true
	}
	return from, d.indentedEnd(from, key, false), d.root.Style&yaml.FlowStyle == 0
}

// quotedEnd gives the end of the quoted scalar at from, or 0.
func quotedEnd(src []byte, from int) int {
	quote := src[from]
	for i := from + 1; i < len(src); i++ {
		switch {
		case src[i] == '\\' && quote == '"':
			i++
		case src[i] != quote:
		case quote == '\'' && i+1 < len(src) && src[i+1] == '\'':
			i++
		default:
			return i + 1
		}
	}
	return 0
}

// indentedEnd gives the end of a value that goes on over the following lines:
// those that are indented more than its key. In a plain one a comment ends it.
func (d *yamlData) indentedEnd(from int, key *yaml.Node, block bool) int {
	end, next := lineAt(d.src, from)
	for next < len(d.src) {
		lineTo, after := lineAt(d.src, next)
		line := d.src[next:lineTo]
		text := bytes.TrimLeft(line, " \t")
		switch {
		case len(text) == 0:
		case len(line)-len(text) < key.Column || !block && text[0] == '#':
			return end
		default:
			end = lineTo
		}
		next = after
	}
	return end
}

// colon gives the place right behind the colon of a key.
func (d *yamlData) colon(key *yaml.Node) (int, bool) {
	at := d.offset(key)
	switch {
	case at >= len(d.src):
		return 0, false
	case d.src[at] == '\'' || d.src[at] == '"':
		at = quotedEnd(d.src, at)
	default:
		at += len(key.Value)
	}
	for at < len(d.src) && d.src[at] == ' ' {
		at++
	}
	return at + 1, at < len(d.src) && d.src[at] == ':'
}

// yamlString writes a string: quoted as the old one was, plain where that is
// safe, else in double quotes.
func yamlString(s string, style yaml.Style) string {
	single := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	switch {
	case style&yaml.SingleQuotedStyle != 0 && readsAs(single, s):
		return single
	case style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 && plainSafe(s):
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b) // a JSON string is a double-quoted YAML scalar
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return strconv.Quote(s)
	}
	return strings.TrimRight(b.String(), lf)
}

// oldBooleans are strings to YAML 1.2 and booleans to older readers.
var oldBooleans = []string{"y", "n", "yes", "no", "on", "off"}

// plainSafe reports whether s is the same string without quotes, in every place
// and to every reader.
func plainSafe(s string) bool {
	return !strings.ContainsAny(s, ":#{}[],&*!|>'\"%@`\\?~=<\t") && !strings.HasPrefix(s, "-") && !strings.HasPrefix(s, ".") &&
		!slices.Contains(oldBooleans, strings.ToLower(s)) && readsAs(s, s)
}

// readsAs reports whether a scalar is read as the string s.
func readsAs(scalar, s string) bool {
	var doc yaml.Node
	if decodeYAML([]byte("k: "+scalar), &doc) != nil || len(doc.Content) != 1 {
		return false
	}
	_, v := entry(doc.Content[0], "k")
	return v != nil && v.Tag == "!!str" && v.Value == s
}
