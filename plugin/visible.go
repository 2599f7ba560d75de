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
