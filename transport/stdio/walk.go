package stdio

import "bytes"

// Members walks the object that b starts with and calls visit for each member,
// with the key as sent, quotes included, and the raw value, until visit returns
// false. b may be the head of a frame or malformed: what cannot be read ends the
// walk. A value that is cut off is visited with what is there of it and whole
// false; nothing follows. Members reports whether it came to the end of the
// object, or visit ended it.
func Members(b []byte, visit func(key, value []byte, whole bool) bool) bool {
	i := skipSpace(b, 0)
	if at(b, i) != '{' {
		return false
	}
	for i = skipSpace(b, i+1); at(b, i) != '}'; i = skipSpace(b, i+1) {
		keyEnd := skipString(b, i)
		colon := skipSpace(b, keyEnd)
		if at(b, colon) != ':' {
			return false
		}
		from := skipSpace(b, colon+1)
		to := skipValue(b, from)
		if to <= from || to >= len(b) {
			visit(b[i:keyEnd], b[min(from, len(b)):], false)
			return false // cut off: the value may go on
		}
		if !visit(b[i:keyEnd], b[from:to], true) {
			return true
		}
		if i = skipSpace(b, to); at(b, i) == '}' {
			return true
		}
		if at(b, i) != ',' {
			return false
		}
	}
	return true
}

// members is Members without what is cut off.
func members(b []byte, visit func(key, value []byte) bool) bool {
	return Members(b, func(key, value []byte, whole bool) bool { return whole && visit(key, value) })
}

// elements calls visit for each element of the array b, which must be valid.
func elements(b []byte, visit func(value []byte)) {
	for i := skipSpace(b, 1); at(b, i) != ']' && i < len(b); {
		to := skipValue(b, i)
		visit(b[i:to])
		if i = skipSpace(b, to); at(b, i) == ',' {
			i = skipSpace(b, i+1)
		}
	}
}

// at returns b[i], or 0 behind the end.
func at(b []byte, i int) byte {
	if i < len(b) {
		return b[i]
	}
	return 0
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index behind the string that starts at i, or len(b)
// when it does not end.
func skipString(b []byte, i int) int {
	if at(b, i) != '"' {
		return len(b)
	}
	i++
	for end := i; ; { // end is where the next quote stands, escaped or not
		n := bytes.IndexByte(b[end:], '"')
		if n < 0 {
			return len(b)
		}
		end += n
		for i < end { // each byte is looked at once, however many are escaped
			esc := bytes.IndexByte(b[i:end], '\\')
			if esc < 0 {
				i = end
				break
			}
			i += esc + 2
		}
		if i == end {
			return end + 1
		}
		end = i // the quote was escaped
		if i > len(b) {
			return len(b)
		}
	}
}

// skipValue returns the index behind the value that starts at i, or len(b) when
// it does not end.
func skipValue(b []byte, i int) int {
	switch at(b, i) {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	for i < len(b) && bytes.IndexByte([]byte(",]} \t\r\n"), b[i]) < 0 {
		i++
	}
	return i
}

func skipNested(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(b)
}
