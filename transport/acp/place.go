package acp

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"
)

// place is where a JSON value stands in a line. Reading one never decodes more
// than it must, and every edit is an insertion beside the bytes that are there.
type place struct {
	at int // of the value's first byte
	gjson.Result
}

// whole is the place of a line's own value. The line must be valid JSON.
func whole(line []byte) place {
	at := len(line) - len(bytes.TrimLeft(line, " \t\r\n"))
	return place{at, gjson.ParseBytes(bytes.TrimRight(line[at:], " \t\r\n"))}
}

// member finds a member of an object; of several of one name the last, as most
// readers have it.
func (p place) member(name string) (found place, ok bool) {
	if !p.IsObject() {
		return place{}, false
	}
	p.ForEach(func(k, v gjson.Result) bool {
		if k.Str == name {
			found, ok = place{p.at + v.Index - p.Index, v}, true // gjson counts from the outermost value
		}
		return true
	})
	return found, ok
}

// path finds a member of a member, and so on.
func (p place) path(names ...string) (place, bool) {
	ok := true
	for _, name := range names {
		if p, ok = p.member(name); !ok {
			return place{}, false
		}
	}
	return p, true
}

// text is a string's value, "" for anything else.
func (p place) text(names ...string) string {
	if v, ok := p.path(names...); ok && v.Type == gjson.String {
		return v.Str
	}
	return ""
}

// end is the place behind the last member or element.
func (p place) end() int {
	inside := p.Raw[:len(p.Raw)-1]
	return p.at + len(bytes.TrimRight([]byte(inside), " \t\r\n"))
}

// empty reports whether an object or an array holds nothing.
func (p place) empty() bool { return p.end() == p.at+1 }

// insertion is text that goes into a line instead of drop bytes of it.
type insertion struct {
	at, drop int
	text     []byte
}

// append adds members (or elements) behind those that are there.
func (p place) append(parts ...[]byte) insertion {
	text := bytes.Join(parts, []byte(","))
	if !p.empty() {
		text = append([]byte(","), text...)
	}
	return insertion{at: p.end(), text: text}
}

// prepend adds an element before those that are there.
func (p place) prepend(part []byte) insertion {
	if !p.empty() {
		part = append(slices.Clip(part), ',')
	}
	return insertion{at: p.at + 1, text: part}
}

// replace puts text in the place of the value.
func (p place) replace(text []byte) insertion {
	return insertion{at: p.at, drop: len(p.Raw), text: text}
}

// insert makes the edited line; the one given stays as it is.
func insert(line []byte, edits ...insertion) []byte {
	slices.SortStableFunc(edits, func(a, b insertion) int { return a.at - b.at })
	size := len(line)
	for _, e := range edits {
		size += len(e.text)
	}
	out, from := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, line[from:e.at]...), e.text...)
		from = e.at + e.drop
	}
	return append(out, line[from:]...)
}

// named is a member's text.
func named(name string, value []byte) []byte {
	return append([]byte(`"`+name+`":`), value...)
}

func brackets(b []byte) []byte { return append(append([]byte{'['}, b...), ']') }

func braces(b []byte) []byte { return append(append([]byte{'{'}, b...), '}') }

// marshal encodes what we made ourselves, without touching < and >.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
