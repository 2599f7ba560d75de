package acp

import (
	"bytes"

	"github.com/tidwall/gjson"
)

const (
	// maxWatched bounds one member that a watcher keeps, in bytes.
	maxWatched = 1 << 20
	// maxKey is the longest key that can be one that counts, quotes, escapes and
	// white space included.
	maxKey = 128
)

// spot is an object or array whose members a watcher looks at.
type spot int

const (
	elsewhere spot = iota
	inFrame
	inParams
	inPrompt // the list of blocks
	inBlock
	inResource // of a block
)

// deepest is the depth of the innermost spot.
const deepest = 5

// watcher reads a frame as it streams by, byte for byte but held nowhere, and
// keeps the few members of it that count: the id, and of params the session,
// _meta and the links to pages. seen is called when the frame's object has
// ended, before the bytes that end it are written on.
type watcher struct {
	seen func(w *watcher)
	// leads reports whether a link leads to a page.
	leads func(uri string) bool

	id, sessionID, meta []byte   // raw
	links               []string // those that lead to pages

	depth    int
	spots    [deepest + 1]spot // what is open, by depth
	inString bool
	escaped  bool
	awaitKey bool // in an object that counts, the next string is a key
	isKey    bool // the string being read is that key
	key      []byte
	into     *[]byte // where the value being read is kept; nil for none
	over     bool

	// of the block being read, raw
	kind, uri, resourceURI []byte
}

// see reads the next bytes of the frame.
func (w *watcher) see(b []byte) {
	for len(b) > 0 && !w.over {
		if w.inString {
			b = w.str(b)
			continue
		}
		w.mark(b[0])
		b = b[1:]
	}
}

// str reads on in a string, in strides, and returns what is behind it.
func (w *watcher) str(b []byte) []byte {
	n := w.stringEnd(b)
	w.keep(b[:n])
	return b[n:]
}

// stringEnd finds where the string that b is in ends, in b or not yet. It looks
// at each byte once, however many of them are escaped.
func (w *watcher) stringEnd(b []byte) int {
	i := 0
	if w.escaped {
		w.escaped, i = false, 1
	}
	for end := i; ; end = i { // the quote before was escaped
		if n := bytes.IndexByte(b[end:], '"'); n >= 0 {
			end += n
		} else {
			end = len(b)
		}
		for i < end {
			esc := bytes.IndexByte(b[i:end], '\\')
			if esc < 0 {
				i = end
				break
			}
			i += esc + 2
		}
		switch {
		case i > len(b): // the backslash was the last byte
			w.escaped = true
			return len(b)
		case i == len(b) && end == len(b):
			return i
		case i == end:
			w.inString = false
			return end + 1
		}
	}
}

// keep adds bytes to the key or the value that is being read.
func (w *watcher) keep(b []byte) {
	switch {
	case w.isKey:
		if room := maxKey + 1 - len(w.key); room > 0 { // one more tells that it is too long
			w.key = append(w.key, b[:min(len(b), room)]...)
		}
	case w.into != nil && len(*w.into)+len(b) <= maxWatched:
		*w.into = append(*w.into, b...)
	case w.into != nil: // more than any client of ours sends
		*w.into, w.into = nil, nil
	}
}

// mark reads one byte outside of strings.
func (w *watcher) mark(c byte) {
	switch c {
	case '"':
		w.inString = true
		if w.isKey = w.awaitKey; w.isKey {
			w.key = w.key[:0]
		}
	case ':':
		if w.isKey {
			w.isKey, w.awaitKey = false, false
			w.value()
			return
		}
	case '{', '[':
		w.open(c)
		return
	case '}', ']':
		w.shut(c)
		return
	case ',':
		if w.atMember() {
			w.into, w.awaitKey = nil, true
			return
		}
	}
	w.keep([]byte{c})
}

// at is the innermost object or array that is open.
func (w *watcher) at() spot {
	if w.depth > deepest {
		return elsewhere
	}
	return w.spots[w.depth]
}

// atMember says that the members of an object that counts are being read.
func (w *watcher) atMember() bool { return w.at() != elsewhere && w.at() != inPrompt }

// name is the key read last; "" for one too long to be any that counts.
func (w *watcher) name() string {
	if len(w.key) > maxKey {
		return ""
	}
	return string(unquoted(bytes.TrimRight(w.key, " \t\r\n")))
}

// place finds where a member's value is kept; nil for one that does not count.
func (w *watcher) place(at spot, name string) *[]byte {
	switch at {
	case inFrame:
		if name == "id" {
			return &w.id
		}
	case inParams:
		switch name {
		case "sessionId":
			return &w.sessionID
		case "_meta":
			return &w.meta
		}
	case inBlock:
		switch name {
		case "type":
			return &w.kind
		case "uri":
			return &w.uri
		}
	case inResource:
		if name == "uri" {
			return &w.resourceURI
		}
	}
	return nil
}

// value finds out whether the value behind a key counts; of several of one name
// the last does.
func (w *watcher) value() {
	if w.into = w.place(w.at(), w.name()); w.into != nil {
		*w.into = (*w.into)[:0]
	}
}

// inner finds out what an object or array is that opens in at.
func (w *watcher) inner(at spot, c byte) spot {
	switch {
	case at == elsewhere && w.depth == 0 && c == '{':
		return inFrame
	case at == inFrame && w.name() == "params" && c == '{':
		return inParams
	case at == inParams && w.name() == "prompt" && c == '[':
		w.links = nil
		return inPrompt
	case at == inPrompt && c == '{':
		w.kind, w.uri, w.resourceURI = w.kind[:0], w.uri[:0], w.resourceURI[:0]
		return inBlock
	case at == inBlock && w.name() == "resource" && c == '{':
		w.resourceURI = w.resourceURI[:0]
		return inResource
	}
	return elsewhere
}

func (w *watcher) open(c byte) {
	w.keep([]byte{c})
	inner := w.inner(w.at(), c)
	if w.depth++; w.depth <= deepest {
		w.spots[w.depth] = inner
	}
	w.awaitKey = w.atMember()
}

func (w *watcher) shut(c byte) {
	if w.atMember() {
		w.into = nil
	}
	if w.at() == inBlock {
		w.follow()
	}
	if w.depth--; w.depth <= 0 {
		w.over = true
		w.seen(w)
		return
	}
	w.keep([]byte{c})
}

// follow looks where the block that was read links to.
func (w *watcher) follow() {
	if len(w.links) >= maxLinks {
		return
	}
	var uri string
	switch gjson.ParseBytes(w.kind).Str {
	case kindLink:
		uri = gjson.ParseBytes(w.uri).Str
	case kindResource:
		uri = gjson.ParseBytes(w.resourceURI).Str
	}
	if uri != "" && w.leads(uri) {
		w.links = append(w.links, uri)
	}
}
