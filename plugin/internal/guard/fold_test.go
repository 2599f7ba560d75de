package guard

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// What is one path here is one by Unicode's full folding too, letter by letter:
// nothing comes to lie in a root that would not by the widest reading of case.
func TestFoldedIsNoWider(t *testing.T) {
	t.Parallel()
	fold := cases.Fold()
	var letters int
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || least(r) == r {
			continue
		}
		letters++
		if fold.String(string(r)) != fold.String(string(least(r))) {
			t.Errorf("%q (%U) is taken for %q, which it is not", r, r, least(r))
		}
	}
	if letters < 1300 {
		t.Errorf("only %d letters have another case", letters)
	}
}

// All spellings of a letter come out as one, and that one comes out as itself.
func TestFoldedIsOne(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		one := folded(string(r))
		if folded(one) != one {
			t.Errorf("%U: folded twice is another", r)
		}
		if next := folded(string(unicode.SimpleFold(r))); next != one && !unicode.Is(unicode.Cherokee, r) {
			t.Errorf("%U: its other case is %q and not %q", r, next, one)
		}
	}
	for _, c := range []struct{ a, b string }{{"ß", "ss"}, {"\xff", "\xfe"}, {"\xff", "\uFFFD"}, {"a\x80", "a\x81"}, {"/", `\`}} {
		if folded(c.a) == folded(c.b) {
			t.Errorf("%q and %q are one", c.a, c.b)
		}
	}
}

// What folds to one spelling does so by full folding too, whatever the bytes.
func FuzzFolded(f *testing.F) {
	f.Add("/Home/Ü", "/home/ü")
	f.Add("/K", "/\u212A")
	f.Add("\xffA", "\xffa")
	f.Fuzz(func(t *testing.T, a, b string) {
		fold := cases.Fold()
		if folded(a) == folded(b) && fold.String(a) != fold.String(b) {
			t.Errorf("%q and %q are one here alone", a, b)
		}
	})
}
