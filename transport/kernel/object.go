package kernel

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/tidwall/gjson"
)

// maxDepth bounds how deep an answer may nest. gjson's validator recurses, and a
// body of nothing but brackets would end the process: a Go stack that overflows
// cannot be recovered.
const maxDepth = 1000

// object is one JSON object of an answer, split into its members; the values
// are slices of the answer itself, so a result of megabytes is not copied and
// keeps every byte.
type object struct {
	known   map[string]json.RawMessage
	unknown map[string]json.RawMessage
}

// readObject splits a JSON object. A name that comes twice, or a known name in
// another case, is refused: two readers would take it for two things.
func readObject(doc []byte, members []string) (object, *flaw) {
	if f := validObject(doc); f != nil {
		return object{}, f
	}
	o := object{known: make(map[string]json.RawMessage, len(members))}
	var f *flaw
	gjson.Parse(textOf(doc)).ForEach(func(key, value gjson.Result) bool {
		f = o.put(key.String(), doc[value.Index:value.Index+len(value.Raw)], members)
		return f == nil
	})
	return o, f
}

// textOf is b as a string that shares its memory, so that an answer is not copied
// to be looked at. Nobody changes the bytes of an answer.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// put takes one member, into the ones we know or the ones we pass on.
func (o *object) put(name string, value json.RawMessage, members []string) *flaw {
	into := o.known
	if !slices.Contains(members, name) {
		if slices.ContainsFunc(members, func(m string) bool { return strings.EqualFold(m, name) }) {
			return flawSpelling
		}
		if o.unknown == nil {
			o.unknown = map[string]json.RawMessage{}
		}
		into = o.unknown
	}
	if _, twice := into[name]; twice {
		return flawTwice
	}
	into[name] = value
	return nil
}

// validObject is what must hold before gjson may look: it answers happily on
// what is no JSON at all, and does not mind bytes that are no UTF-8, which a
// client's parser further on would.
func validObject(doc []byte) *flaw {
	switch {
	case !utf8.Valid(doc):
		return flawUTF8
	case depth(doc) > maxDepth:
		return flawDeep
	case !gjson.ValidBytes(doc):
		return flawJSON
	case bytes.TrimLeft(doc, " \t\r\n")[0] != '{':
		return flawNoObject
	}
	return nil
}

// depth counts how deep brackets nest outside of strings.
func depth(doc []byte) (deepest int) {
	now := 0
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '"':
			i += stringEnd(doc[i+1:]) + 1
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// stringEnd gives the place of the quote that ends a string, from its first
// byte on: one with an even number of backslashes before it.
func stringEnd(s []byte) int {
	for from := 0; ; {
		quote := bytes.IndexByte(s[from:], '"')
		if quote < 0 {
			return len(s)
		}
		quote += from
		slashes := quote
		for slashes > from && s[slashes-1] == '\\' {
			slashes--
		}
		if (quote-slashes)%2 == 0 {
			return quote
		}
		from = quote + 1
	}
}

// has reports whether the member is there and not null.
func (o object) has(member string) bool { return o.kind(member) != 0 && o.kind(member) != 'n' }

// kind gives the first byte of the member's value, 0 when it is absent.
func (o object) kind(member string) byte {
	if v := o.known[member]; len(v) > 0 {
		return v[0]
	}
	return 0
}

// raw gives the member's bytes, nil when it is absent.
func (o object) raw(member string) json.RawMessage { return o.known[member] }

// text reads a string. An absent or null one is "", unless it is needed.
func (o object) text(member string, needed bool) (string, *flaw) {
	switch {
	case o.kind(member) == '"':
		s := strings.Clone(gjson.Parse(textOf(o.raw(member))).String()) // what is kept of it keeps no answer alive
		if needed && s == "" {
			return "", flawMissing(member)
		}
		return s, nil
	case o.has(member):
		return "", flawType(member)
	case needed:
		return "", flawMissing(member)
	}
	return "", nil
}

// boolean reads true or false; nothing else is taken for one.
func (o object) boolean(member string, needed bool) (bool, *flaw) {
	switch k := o.kind(member); {
	case k == 't' || k == 'f':
		return k == 't', nil
	case o.has(member):
		return false, flawType(member)
	case needed:
		return false, flawMissing(member)
	}
	return false, nil
}

// exact turns a JSON value into Go values and keeps the digits of numbers: an
// int64 where it fits, else a json.Number.
func exact(v gjson.Result) any {
	switch {
	case v.IsObject():
		m := map[string]any{}
		v.ForEach(func(k, e gjson.Result) bool { m[k.String()] = exact(e); return true })
		return m
	case v.IsArray():
		a := []any{}
		v.ForEach(func(_, e gjson.Result) bool { a = append(a, exact(e)); return true })
		return a
	case v.Type == gjson.Number:
		n := json.Number(v.Raw)
		if i, err := n.Int64(); err == nil {
			return i
		}
		return n
	}
	return v.Value()
}
