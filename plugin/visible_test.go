package plugin

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"+- milk\n\t世界 👩‍💻":  "+- milk\n\t世界 👩‍💻",
		"+a\x1b[2K\x1b[1A-b": "+a␛[2K␛[1A-b",
		"a\r\n":              "a␍\n",
		"\u202egpj.exe":      "<U+202E>gpj.exe",
		"a\u200bb\ufeff":     "a<U+200B>b<U+FEFF>",
		"\u009b31m":          "<U+009B>31m",
		"\x7f":               "<U+007F>",
		"a\xffb\uFFFD":       "a<FF>b\uFFFD",
		"\U000E0041":         "<U+E0041>",
		"":                   "",
	} {
		if d := cmp.Diff(want, Visible(give)); d != "" {
			t.Errorf("%q: %s", give, d)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) || hidden(r) && r > ' ' }) {
			t.Errorf("%q gives %q", s, got)
		}
	})
}
