package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// folded gives the one spelling that all spellings of a path share which differ
// in the case of letters alone. It is the simple folding, a letter for a letter,
// as Windows has it: what a file system may hold apart, such as ß and ss, stays
// apart here. Bytes that are no letters stay what they are.
func folded(path string) string {
	var b strings.Builder
	b.Grow(len(path))
	for i := 0; i < len(path); {
		r, size := utf8.DecodeRuneInString(path[i:])
		if r == utf8.RuneError {
			b.WriteString(path[i : i+size])
		} else {
			b.WriteRune(least(r))
		}
		i += size
	}
	return b.String()
}

// least gives the first of the letters that are the same but for their case.
// Cherokee's small letters are younger than the tables of file systems, which may
// hold them apart.
func least(r rune) rune {
	low := r
	if unicode.Is(unicode.Cherokee, r) {
		return r
	}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		low = min(low, f)
	}
	return low
}
