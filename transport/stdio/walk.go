package stdio

import "bytes"

// members walks the object that b starts with and calls visit for each member,
// with the key as sent, quotes included, and the raw value, until visit returns
// false. b may be cut off or malformed: what cannot be read ends the walk, and
// members reports whether it came to the end of the object.
func members(b []byte, visit func(key, value []byte) bool) bool {
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
			return false // cut off: the value may go on
		}
		if !visit(b[i:keyEnd], b[from:to]) {
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
	for i++; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		esc := bytes.IndexByte(b[i:i+n], '\\')
		if esc < 0 {
			return i + n + 1
		}
		i += esc + 1 // on the escaped byte, which the loop steps over
	}
	return len(b)
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
