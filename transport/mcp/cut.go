package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// Bounds of what fitWrite leaves: room for its own notes, and the changed files
// that stay named.
const (
	maxNotes = 600
	maxFiles = 50
	minKept  = 64 // a text or list shorter than this is not worth cutting
)

// cutter shortens JSON and notes what it cut, by JSON pointer.
type cutter struct{ notes []string }

func (c *cutter) note(at string, kept, of int, unit string) {
	if len(c.notes) < 8 {
		c.notes = append(c.notes, fmt.Sprintf("%s: the first %d of %d %s", at, kept, of, unit))
	}
}

// cut gives raw in at most about budget bytes: a text keeps its start, a list
// its first entries, an object all its members, the longest of them cut. What is
// neither stays whole.
func (c *cutter) cut(at string, raw json.RawMessage, budget int) json.RawMessage {
	if len(raw) <= max(budget, minKept) {
		return raw
	}
	switch raw[0] {
	case '"':
		return c.text(at, raw, budget)
	case '[':
		return c.list(at, raw, budget)
	case '{':
		return c.object(at, raw, budget)
	}
	return raw
}

func (c *cutter) text(at string, raw json.RawMessage, budget int) json.RawMessage {
	s, ok := text(raw)
	if !ok {
		return raw
	}
	kept := clip(s, max(budget-minKept, 0)*len(s)/len(raw))
	c.note(at, len(kept), len(s), "bytes")
	out, err := tools.Compact(kept + fmt.Sprintf("\n… (%d bytes left out)", len(s)-len(kept)))
	if err != nil {
		return raw
	}
	return out
}

func (c *cutter) list(at string, raw json.RawMessage, budget int) json.RawMessage {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		return raw
	}
	out := []byte{'['}
	for i, e := range entries {
		left := budget - len(out) - 1
		if len(e) > left && i > 0 {
			c.note(at, i, len(entries), "entries")
			break
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, c.cut(fmt.Sprintf("%s/%d", at, i), e, left)...)
	}
	return append(out, ']')
}

// object shares the budget: members that need less than their share keep all,
// and what they leave goes to the longer ones.
func (c *cutter) object(at string, raw json.RawMessage, budget int) json.RawMessage {
	members, ok := membersOf(raw)
	if !ok {
		return raw
	}
	bySize := slices.Clone(members)
	slices.SortStableFunc(bySize, func(a, b *member) int { return len(a.value) - len(b.value) })
	left := budget - 2
	for i, m := range bySize {
		left -= len(m.name) + 2
		share := left / (len(bySize) - i)
		m.value = c.cut(at+"/"+m.key, m.value, share)
		left -= len(m.value)
	}
	return join(members)
}

// member is one member of an object, its name as written.
type member struct {
	key         string
	name, value json.RawMessage
}

// membersOf reads an object's members in their order.
func membersOf(raw json.RawMessage) ([]*member, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, false
	}
	var out []*member
	for d.More() {
		key, err := d.Token()
		name, isName := key.(string)
		var value json.RawMessage
		if err != nil || !isName || d.Decode(&value) != nil {
			return nil, false
		}
		quoted, err := tools.Compact(name)
		if err != nil {
			return nil, false
		}
		out = append(out, &member{key: name, name: quoted, value: value})
	}
	return out, true
}

func join(members []*member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, m.name...), ':'), m.value...)
	}
	return append(out, '}')
}

// clip keeps at most n bytes of s, whole code points, and whole lines where the
// cut would lose less than a quarter by it.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if at := bytes.LastIndexByte([]byte(s[:n]), '\n'); at >= n-n/4 {
		n = at
	}
	return s[:n]
}
