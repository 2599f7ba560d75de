package page

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// diffContext is how many unchanged lines stand around a change.
const diffContext = 3

// Diff gives the unified diff of two pages, exact and as long as it gets; ""
// where they are equal.
func Diff(old, new *Page) string {
	unified, _ := BoundedDiff(old, new, -1)
	return unified
}

// BoundedDiff is Diff cut at a line's end to at most maxBytes, or inside a code
// point never where one line is longer; truncated says that it was cut. Below
// zero there is no bound.
func BoundedDiff(old, new *Page, maxBytes int) (unified string, truncated bool) {
	d := differ{old: splitLines(string(old.src)), new: splitLines(string(new.src)), max: maxBytes}
	d.run(lcs.DiffLines(d.old, d.new))
	text := d.out.String()
	if maxBytes < 0 || len(text) <= maxBytes {
		return text, false
	}
	return cutDiff(text, maxBytes), true
}

// cutDiff cuts at the last line end within n bytes, else at a code point.
func cutDiff(text string, n int) string {
	if i := strings.LastIndexByte(text[:n], '\n'); i >= 0 {
		return text[:i+1]
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// splitLines splits behind each LF; what a diff calls a line has no other end.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, lf)
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// differ writes hunks. go-udiff finds the differences; its own writer counts
// all lines before each one again, which is quadratic for many.
type differ struct {
	old, new []string
	max      int
	out      strings.Builder
}

func (d *differ) run(diffs []lcs.Diff) {
	if len(diffs) == 0 {
		return
	}
	d.out.WriteString("--- before\n+++ after\n")
	for from := 0; from < len(diffs) && !d.full(); {
		to := from + 1
		for to < len(diffs) && diffs[to].Start-diffs[to-1].End <= 2*diffContext {
			to++
		}
		d.hunk(diffs[from:to])
		from = to
	}
}

func (d *differ) full() bool { return d.max >= 0 && d.out.Len() > d.max }

// hunk writes changes that stand near each other.
func (d *differ) hunk(diffs []lcs.Diff) {
	head, last := diffs[0], diffs[len(diffs)-1]
	lead := min(diffContext, head.Start)
	trail := min(diffContext, len(d.old)-last.End)
	fmt.Fprintf(&d.out, "@@ -%s +%s @@\n",
		lineRange(head.Start-lead, last.End+trail), lineRange(head.ReplStart-lead, last.ReplEnd+trail))
	at := head.Start - lead
	for _, c := range diffs {
		d.lines(" ", d.old[at:c.Start])
		d.lines("-", d.old[c.Start:c.End])
		d.lines("+", d.new[c.ReplStart:c.ReplEnd])
		at = c.End
	}
	d.lines(" ", d.old[at:last.End+trail])
}

// lineRange writes the lines [from, to), counted from 1; an empty range names
// the line before it, as diff -u does.
func lineRange(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func (d *differ) lines(mark string, lines []string) {
	for _, line := range lines {
		if d.full() {
			return
		}
		d.out.WriteString(mark)
		d.out.WriteString(line)
		if !strings.HasSuffix(line, lf) {
			d.out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
