package main

import (
	"strconv"
	"strings"

	"golang.org/x/text/width"
)

// table is rows of text that are printed in columns, where a Chinese character
// takes two places.
type table [][]string

// String gives the rows, two blanks between columns.
func (t table) String() string {
	widest := t.widest()
	var b strings.Builder
	for _, row := range t {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widest[i]-places(cell)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// widest gives the places of each column's longest cell.
func (t table) widest() []int {
	var widest []int
	for _, row := range t {
		for i, cell := range row {
			if i == len(widest) {
				widest = append(widest, 0)
			}
			widest[i] = max(widest[i], places(cell))
		}
	}
	return widest
}

// places is how many columns of a terminal a text takes.
func places(s string) int {
	n := 0
	for _, r := range s {
		n++
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n++
		}
	}
	return n
}

// auditTable is rows of time, actor, tool, document and what came of it.
type auditTable table

// documentCell is the cell that is cut where a row is too long for a line.
const (
	documentCell  = 3
	leastDocument = 10
)

// in gives the rows for a screen so wide.
func (t auditTable) in(columns int) string {
	widest := table(t).widest()
	left := columns
	for i, n := range widest {
		if i != documentCell {
			left -= n + 2
		}
	}
	for _, row := range t {
		row[documentCell] = cutMiddle(row[documentCell], max(left, leastDocument))
	}
	return table(t).String()
}

// cutMiddle leaves out the middle of a text that takes more places than there
// are: a path is known by where it begins and by its name.
func cutMiddle(s string, most int) string {
	if places(s) <= most {
		return s
	}
	head, tail, runes := "", "", []rune(s)
	for i, j := 0, len(runes)-1; i < j; {
		if next := string(runes[j]) + tail; places(head+next)+1 <= most {
			tail, j = next, j-1
		} else {
			break
		}
		if next := head + string(runes[i]); places(head) < most/3 && places(next+tail)+1 <= most {
			head, i = next, i+1
		}
	}
	return head + "…" + tail
}

// usualColumns is how wide a screen is taken to be that does not say.
const usualColumns = 120

// columns is how wide the person's screen is.
func (p *program) columns() int {
	if n, err := strconv.Atoi(environment(p.environ)["COLUMNS"]); err == nil && n > 0 {
		return n
	}
	if n := screenColumns(p.streams.Out); n > 0 {
		return n
	}
	return usualColumns
}
