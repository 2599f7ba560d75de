package plugin

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible shows what would steer a terminal or hide from the eye: a person who
// approves a diff must see all of it. Line ends and tabs stay.
func Visible(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < ' ':
			b.WriteRune('\u2400' + r) // ␛ for the escape
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, "<%02X>", s[i])
		case hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a rune has no shape of its own, or turns the order of
// those around it. The joiners of emoji and of some scripts are needed.
func hidden(r rune) bool {
	return r != '\u200c' && r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// VisibleDiff is Visible for a unified diff: runs of blanks that would carry a
// text out of sight, and blanks that end a line, are shown as what they are.
func VisibleDiff(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text := strings.TrimSuffix(line, "\n")
		b.WriteString(Visible(blanks(text)))
		b.WriteString(line[len(text):])
	}
	return b.String()
}

// longestBlank is how many blanks in a row stay as they are.
const longestBlank = 16

// blanks marks the long runs of blanks of a line of a diff, and those at its end:
// <space×300>. The mark of the line, its first byte, is none of them.
func blanks(line string) string {
	if line == "" {
		return line
	}
	var b strings.Builder
	b.WriteByte(line[0])
	rest := line[1:]
	for rest != "" {
		run := strings.IndexFunc(rest, func(r rune) bool { return !blank(r) })
		if run < 0 {
			run = len(rest)
		}
		n := utf8.RuneCountInString(rest[:run])
		if n > longestBlank || n > 0 && run == len(rest) && strings.ContainsRune("+-", rune(line[0])) {
			fmt.Fprintf(&b, "<space×%d>", n)
		} else {
			b.WriteString(rest[:run])
		}
		rest = rest[run:]
		word := strings.IndexFunc(rest, blank)
		if word < 0 {
			word = len(rest)
		}
		b.WriteString(rest[:word])
		rest = rest[word:]
	}
	return b.String()
}

// blank reports whether a rune leaves no ink.
func blank(r rune) bool {
	return r == '\t' || r == '\u2800' || r == '\u3164' || unicode.Is(unicode.Zs, r)
}
