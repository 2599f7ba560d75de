package main

import (
	"strings"

	"golang.org/x/text/width"
)

// table is rows of text that are printed in columns, where a Chinese character
// takes two places.
type table [][]string

// String gives the rows, two blanks between columns.
func (t table) String() string {
	var widest []int
	for _, row := range t {
		for i, cell := range row {
			if i == len(widest) {
				widest = append(widest, 0)
			}
			widest[i] = max(widest[i], places(cell))
		}
	}
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
