package page

import "bytes"

// The ends of a line. A file has one of them; where it mixes them, the most
// frequent one is meant.
const (
	lf   = "\n"
	crlf = "\r\n"
	cr   = "\r"
)

// lineAt gives the end of the text of the line that starts at i, and the start
// of the next line. CRLF, LF and a lone CR end a line.
func lineAt(src []byte, i int) (end, next int) {
	n := bytes.IndexAny(src[i:], "\r\n")
	if n < 0 {
		return len(src), len(src)
	}
	end = i + n
	return end, end + breakLen(src, end)
}

// breakLen is the length of the line end at i: 0, 1 or 2.
func breakLen(src []byte, i int) int {
	switch {
	case i >= len(src):
		return 0
	case src[i] == '\n':
		return 1
	case src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n':
		return 2
	case src[i] == '\r':
		return 1
	}
	return 0
}

// lineStart gives the start of the line that holds offset i.
func lineStart(src []byte, i int) int { return bytes.LastIndexAny(src[:i], "\r\n") + 1 }

// lineEnd finds the line end that most lines of src have, LF where there is
// none.
func lineEnd(src []byte) string {
	two := bytes.Count(src, []byte(crlf))
	one := bytes.Count(src, []byte(lf)) - two
	lone := bytes.Count(src, []byte(cr)) - two
	switch {
	case two > one && two >= lone:
		return crlf
	case lone > one:
		return cr
	}
	return lf
}

// toLF gives src with LF line ends; src itself where it has no other.
func toLF(src []byte) []byte {
	if bytes.IndexByte(src, '\r') < 0 {
		return src
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(src, []byte(crlf), []byte(lf)), []byte(cr), []byte(lf))
}

// withLineEnd gives src with every line end made eol.
func withLineEnd(src []byte, eol string) []byte {
	out := toLF(src)
	if eol == lf {
		return out
	}
	return bytes.ReplaceAll(out, []byte(lf), []byte(eol))
}

// isSpace is what goldmark takes for white space at a line's ends.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isBlank reports whether there is nothing but white space.
func isBlank(src []byte) bool {
	for _, c := range src {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

// hasBlankLine reports whether a gap between two blocks sets them apart: it is
// the end of the first one's line and at least one blank line more.
func hasBlankLine(gap []byte) bool {
	_, next := lineAt(gap, 0)
	return breakLen(gap[next:], 0) > 0 || bytes.ContainsAny(gap[next:], "\r\n")
}

// trimBlankLines takes off the blank lines around src, not the indent of its
// first line. What is left of the last line keeps its trailing spaces.
func trimBlankLines(src []byte) []byte {
	from := 0
	for i := 0; i < len(src); {
		end, next := lineAt(src, i)
		if !isBlank(src[i:end]) {
			break
		}
		i, from = next, next
	}
	return src[from:textEnd(src, from, len(src))]
}

// textEnd gives the end of the last line of src[from:to] that is not blank,
// its line end excluded; from where there is none.
func textEnd(src []byte, from, to int) int {
	for to > from && isSpace(src[to-1]) {
		to--
	}
	if to == from {
		return from
	}
	end, _ := lineAt(src, to)
	return end
}
