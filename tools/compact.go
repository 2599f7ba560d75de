package tools

import (
	"bytes"
	"encoding/json"
)

// Compact gives v as one line of JSON without HTML escapes and without a line end:
// the form of everything that goes out.
func Compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// AppendCompact appends doc, which must be one JSON value in UTF-8, without the
// white space between its tokens. With an error dst is given back as it was.
func AppendCompact(dst, doc []byte) ([]byte, error) {
	c := compactor{in: bytes.Trim(doc, blanks), out: dst}
	if !c.value() || !c.ended() {
		return dst, c.err
	}
	return c.whole(), nil
}

// Members calls visit for each member of doc, which must be one JSON object in
// UTF-8, in their order and only if all of it is well formed: the name decoded, the
// value as it stands in doc.
func Members(doc []byte, visit func(name, value []byte)) error {
	c := compactor{in: bytes.Trim(doc, blanks), asIs: true}
	if c.peek() != '{' {
		if c.value() && c.ended() {
			return ErrNoObject
		}
		return c.err
	}
	var room [16]member
	members := room[:0]
	empty, ok := c.open('}')
	for more := ok && !empty; more; {
		m, read := c.member()
		if !read {
			return c.err
		}
		members = append(members, m)
		more, ok = c.next('}')
	}
	if !ok || !c.ended() {
		return c.err
	}
	for _, m := range members {
		visit(decodedName(c.in[m.name:m.nameEnd]), c.in[m.value:m.end:m.end])
	}
	return nil
}

// decodedName gives a member's name without quotes and escapes.
func decodedName(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	_ = json.Unmarshal(raw, &s) // a string that was read already
	return []byte(s)
}
