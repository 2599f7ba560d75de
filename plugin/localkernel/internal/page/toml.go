package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mnote-dev/mnote-host/tools"
)

// tomlData is a TOML frontmatter: its bytes, what they mean, and where the keys
// and table headers stand.
type tomlData struct {
	src    []byte
	values map[string]any
	keys   []tomlKey
	tables []tomlKey
}

// tomlKey is a key or a table header: its path from the root and the bytes of
// its value; for a table, the start of the line after the header.
type tomlKey struct {
	path     []string
	kind     unstable.Kind
	from, to int
	dotted   bool // the key itself has several parts
}

func readTOML(src []byte) (d *tomlData, err error) {
	defer func() { // the position finder panics on what it calls impossible
		if r := recover(); r != nil {
			d, err = nil, invalidData(fmt.Errorf("toml: %v", r))
		}
	}()
	d = &tomlData{src: src}
	if err := toml.Unmarshal(src, &d.values); err != nil {
		return nil, invalidData(err)
	}
	var p unstable.Parser
	p.Reset(src)
	var table []string
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = keyPath(nil, e)
			d.tables = append(d.tables, tomlKey{path: table, kind: e.Kind, from: d.afterHeader(e)})
		case unstable.KeyValue:
			path := keyPath(table, e)
			from, to := valueRange(&p, e.Value())
			d.keys = append(d.keys, tomlKey{path, e.Value().Kind, from, to, len(path) > len(table)+1})
		}
	}
	if p.Error() != nil {
		return nil, invalidData(p.Error())
	}
	return d, nil
}

func keyPath(table []string, e *unstable.Node) []string {
	path := slices.Clone(table)
	for it := e.Key(); it.Next(); {
		path = append(path, string(it.Node().Data))
	}
	return path
}

// valueRange gives the bytes of a string or a boolean, 0,0 of anything else.
func valueRange(p *unstable.Parser, v *unstable.Node) (from, to int) {
	switch v.Kind {
	case unstable.String:
		return int(v.Raw.Offset), int(v.Raw.Offset + v.Raw.Length)
	case unstable.Bool:
		r := p.Range(v.Data)
		return int(r.Offset), int(r.Offset + r.Length)
	}
	return 0, 0
}

// afterHeader gives the start of the line after a table's header.
func (d *tomlData) afterHeader(e *unstable.Node) int {
	at := 0
	for it := e.Key(); it.Next(); {
		at = int(it.Node().Raw.Offset + it.Node().Raw.Length)
	}
	_, next := lineAt(d.src, at)
	return next
}

func (d *tomlData) bytes() []byte { return d.src }

func (d *tomlData) title() string {
	title, _ := d.values["title"].(string)
	return title
}

func (d *tomlData) options() (map[string]bool, error) {
	table, ok := d.values[optionsKey]
	if !ok {
		return nil, nil
	}
	m, ok := table.(map[string]any)
	if !ok {
		return nil, wrongType(optionsKey, tomlType(table), typeObject)
	}
	values := map[string]bool{}
	for _, opt := range options {
		v, ok := m[opt.key]
		if !ok {
			continue
		}
		if values[opt.key], ok = v.(bool); !ok {
			return nil, wrongType(optionsKey+"."+opt.key, tomlType(v), typeBool)
		}
	}
	return values, nil
}

// tomlType says what a value is.
func tomlType(v any) tools.Text {
	switch v.(type) {
	case map[string]any:
		return typeObject
	case []any:
		return typeList
	case string:
		return typeText
	case int64, float64:
		return typeNumber
	case bool:
		return typeBool
	}
	return typeOther
}

// setTitle replaces the string under title, or adds it as the first line: keys
// of the root stand before all tables.
func (d *tomlData) setTitle(title, eol string) ([]byte, error) {
	out := cutIn(d.src, 0, 0, "title = "+tomlString(title, '"')+eol)
	if _, ok := d.values["title"]; ok {
		k, ok := d.key("title")
		if !ok || k.kind != unstable.String {
			return nil, unsupportedData("title")
		}
		out = cutIn(d.src, k.from, k.to, tomlString(title, d.src[k.from]))
	}
	return d.proven(out, title, "title")
}

func (d *tomlData) setOption(name string, value bool, eol string) ([]byte, error) {
	out, err := d.withOption(name, strconv.FormatBool(value), eol)
	if err != nil {
		return nil, err
	}
	return d.proven(out, value, optionsKey, name)
}

func (d *tomlData) withOption(name, value, eol string) ([]byte, error) {
	if k, ok := d.key(optionsKey, name); ok {
		if k.kind != unstable.Bool {
			return nil, unsupportedData(name)
		}
		return cutIn(d.src, k.from, k.to, value), nil
	}
	for _, t := range d.tables {
		if t.kind == unstable.Table && slices.Equal(t.path, []string{optionsKey}) {
			return cutIn(d.src, t.from, t.from, name+" = "+value+eol), nil
		}
	}
	if _, ok := d.values[optionsKey]; !ok {
		text := "[" + optionsKey + "]" + eol + name + " = " + value + eol
		return cutIn(d.src, len(d.src), len(d.src), text), nil
	}
	if slices.ContainsFunc(d.keys, func(k tomlKey) bool { return k.dotted && k.path[0] == optionsKey }) {
		return cutIn(d.src, 0, 0, optionsKey+"."+name+" = "+value+eol), nil
	}
	return nil, unsupportedData("mnote = {…}")
}

func (d *tomlData) key(path ...string) (tomlKey, bool) {
	i := slices.IndexFunc(d.keys, func(k tomlKey) bool { return slices.Equal(k.path, path) })
	if i < 0 || d.keys[i].to == 0 {
		return tomlKey{}, false
	}
	return d.keys[i], true
}

// proven reads the edited bytes again: the value is there, and everything else
// means what it did.
func (d *tomlData) proven(out []byte, want any, path ...string) ([]byte, error) {
	next, err := readTOML(out)
	if err != nil {
		return nil, unsupportedData("TOML")
	}
	got, _ := next.values[path[0]]
	if len(path) == 2 {
		m, _ := got.(map[string]any)
		got = m[path[1]]
	}
	if got != want || !reflect.DeepEqual(without(d.values, path), without(next.values, path)) {
		return nil, unsupportedData("TOML")
	}
	return out, nil
}

// without gives the values less the one at path, and less a table that held
// nothing else.
func without(values map[string]any, path []string) map[string]any {
	out := map[string]any{}
	for k, v := range values {
		switch {
		case k != path[0]:
			out[k] = v
		case len(path) == 2:
			m, _ := v.(map[string]any)
			if rest := without(m, path[1:]); len(rest) > 0 {
				out[k] = rest
			}
		}
	}
	return out
}

// tomlString writes a string, literal where the old one was and it can be.
func tomlString(s string, quote byte) string {
	if quote == '\'' && !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b) // a JSON string is a basic TOML string
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return strconv.Quote(s)
	}
	return strings.TrimRight(b.String(), lf)
}
