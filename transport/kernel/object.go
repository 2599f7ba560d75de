package kernel

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/tools"
)

// object is one JSON object of an answer, split into its members; the values
// are slices of the answer itself, so a result of megabytes is not copied and
// keeps every byte.
type object struct {
	names   []string                   // the members we know
	values  [mostKnown]json.RawMessage // theirs, nil where there is none
	unknown map[string]json.RawMessage
}

// mostKnown is how many members the largest object has that we know.
const mostKnown = 8

// read splits a JSON object. A name that comes twice, or a known name in another
// case, is refused: two readers would take it for two things.
func (o *object) read(doc []byte) (f *flaw) {
	err := tools.Members(doc, func(name, value []byte) {
		if put := o.put(name, value); f == nil {
			f = put
		}
	})
	if err != nil {
		return flawOf(err)
	}
	return f
}

// flawOf is what keeps a text from being a JSON object.
func flawOf(err error) *flaw {
	switch err {
	case tools.ErrNotUTF8:
		return flawUTF8
	case tools.ErrTooDeep:
		return flawDeep
	case tools.ErrNoObject:
		return flawNoObject
	}
	return flawJSON
}

// put takes one member, into the ones we know or the ones we pass on.
func (o *object) put(name []byte, value json.RawMessage) *flaw {
	for i, known := range o.names {
		switch {
		case string(name) == known && o.values[i] != nil:
			return flawTwice
		case string(name) == known:
			o.values[i] = value
			return nil
		case strings.EqualFold(string(name), known):
			return flawSpelling
		}
	}
	if _, twice := o.unknown[string(name)]; twice {
		return flawTwice
	}
	if o.unknown == nil {
		o.unknown = map[string]json.RawMessage{}
	}
	o.unknown[string(name)] = value
	return nil
}

// has reports whether the member is there and not null.
func (o *object) has(member string) bool { return o.kind(member) != 0 && o.kind(member) != 'n' }

// kind gives the first byte of the member's value, 0 when it is absent.
func (o *object) kind(member string) byte {
	if v := o.raw(member); len(v) > 0 {
		return v[0]
	}
	return 0
}

// raw gives the member's bytes, nil when it is absent.
func (o *object) raw(member string) json.RawMessage {
	if i := slices.Index(o.names, member); i >= 0 {
		return o.values[i]
	}
	return nil
}

// text reads a string. An absent or null one is "", unless it is needed.
func (o *object) text(member string, needed bool) (string, *flaw) {
	return o.textOr(member, "", needed)
}

// textOr is text, and gives the string that is expected where it is that one: what
// says back what was asked takes no memory.
func (o *object) textOr(member, expected string, needed bool) (string, *flaw) {
	raw := o.raw(member)
	switch {
	case o.kind(member) == '"':
		s := expected
		if plain := raw[1 : len(raw)-1]; string(plain) != expected || bytes.IndexByte(plain, '\\') >= 0 {
			s = gjson.ParseBytes(raw).String()
		}
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
func (o *object) boolean(member string, needed bool) (bool, *flaw) {
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
