package tools

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// maxNear bounds how much of a stranger's word Nearest looks at.
const maxNear = 64

// Nearest gives up to most of the known words, nearest to word first: by the
// parts they share, then by the letters to change. It is advice for whoever
// mistyped; it never decides what was meant.
func Nearest(word string, known []string, most int) []string {
	want := fold(word)
	parts := split(word)
	type scored struct {
		word           string
		shared, change int
	}
	list := make([]scored, len(known))
	for i, k := range known {
		list[i] = scored{k, overlap(parts, split(k)), distance(want, fold(k))}
	}
	slices.SortStableFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.change-3*a.shared, b.change-3*b.shared), cmp.Compare(a.word, b.word))
	})
	var near []string
	for _, s := range list[:min(most, len(list))] {
		near = append(near, s.word)
	}
	return near
}

// Alike reports whether two words are near enough that one may be meant by the
// other: they share a part, or fewer than half of their letters differ; of four
// or five letters two may, as in wrod.
func Alike(a, b string) bool {
	x, y := fold(a), fold(b)
	change, long := distance(x, y), max(len(x), len(y))
	return overlap(split(a), split(b)) > 0 || 2*change < long || change == 2 && long > 3
}

// Fold gives the first 64 letters and digits of a word, in small letters: what is
// left of page_id, Page-ID and pageId is the same.
func Fold(word string) string { return string(fold(word)) }

// fold gives the first letters of a word without marks and case.
func fold(word string) []rune {
	var out []rune
	for _, r := range word {
		if len(out) == maxNear {
			break
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = append(out, unicode.ToLower(r))
		}
	}
	return out
}

// split cuts page_update-Title into page, update, title.
func split(word string) []string {
	var parts []string
	var part strings.Builder
	end := func() {
		if part.Len() > 0 {
			parts = append(parts, part.String())
			part.Reset()
		}
	}
	lower := false
	for i, r := range word {
		if i >= 2*maxNear {
			break
		}
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter || lower && unicode.IsUpper(r) {
			end()
		}
		if letter {
			part.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	end()
	return parts
}

func overlap(a, b []string) int {
	n := 0
	for _, p := range a {
		if slices.Contains(b, p) {
			n++
		}
	}
	return n
}

// distance counts the letters to insert, delete or change (Levenshtein).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
