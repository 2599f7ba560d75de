package acp

import "bytes"

// maxWatched bounds one member that a watcher keeps.
const maxWatched = 1 << 20

// watcher reads a frame as it streams by, byte for byte but held nowhere, and
// keeps the few members of it that count: the id, and of params the session and
// _meta. seen is called when the frame's object has ended, before the bytes that
// end it are written on.
type watcher struct {
	seen func(w *watcher)

	id, sessionID, meta []byte // raw

	depth    int
	inString bool
	escaped  bool
	awaitKey bool // at depth 1 or 2 of an object, the next string is a key
	isKey    bool // the string being read is that key
	key      []byte
	inParams bool
	into     *[]byte // where the value being read is kept; nil for none
	over     bool
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
	case w.isKey && len(w.key)+len(b) <= 64:
		w.key = append(w.key, b...)
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

// atMember says that the members of an object that counts are being read.
func (w *watcher) atMember() bool { return w.depth == 1 || w.depth == 2 && w.inParams }

// value finds out whether the value behind a key counts.
func (w *watcher) value() {
	switch name := string(bytes.Trim(w.key, "\" \t\r\n")); {
	case w.depth == 1 && name == "id":
		w.into = &w.id
	case w.depth == 1 && name == "params":
		w.inParams = true
	case w.depth == 2 && name == "sessionId":
		w.into = &w.sessionID
	case w.depth == 2 && name == "_meta":
		w.into = &w.meta
	}
	if w.into != nil {
		*w.into = (*w.into)[:0]
	}
}

func (w *watcher) open(c byte) {
	w.keep([]byte{c})
	w.depth++
	w.awaitKey = c == '{' && w.atMember()
}

func (w *watcher) shut(c byte) {
	if w.atMember() {
		w.into = nil
	}
	w.depth--
	switch w.depth {
	case 0:
		w.over = true
		w.seen(w)
		return
	case 1:
		w.inParams = false
	}
	w.keep([]byte{c})
}
