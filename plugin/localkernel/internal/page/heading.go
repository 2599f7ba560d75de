package page

import (
	"strings"
	"unicode/utf8"
)

// Heading is one line of the outline. Path is the texts of the headings it
// stands under and its own, joined by /; Under accepts it. Texts longer than
// MaxHeading characters are cut, and end in an ellipsis.
type Heading struct {
	ID    string `json:"id"`
	Level int    `json:"level"`
	Text  string `json:"text"`
	Path  string `json:"path"`
}

// MaxHeading bounds a heading's text in an outline and in candidates: a path
// repeats it for each heading below.
const MaxHeading = 200

// Outline gives the first limit headings and how many there are.
func (p *Page) Outline(limit int) (headings []Heading, total int) {
	tree := p.headings()
	for _, h := range tree[:min(max(limit, 0), len(tree))] {
		headings = append(headings, p.outlined(h))
	}
	return headings, len(tree)
}

// headingNode is a heading in the tree that levels make of a page.
type headingNode struct {
	index int // in blocks
	level int
	text  string
	up    *headingNode // the heading it stands under
}

// headings gives the page's headings, in order. One of level 3 right below one
// of level 1 stands under that.
func (p *Page) headings() []*headingNode {
	var all, open []*headingNode
	for i, b := range p.blocks() {
		if b.Type != TypeHeading {
			continue
		}
		for len(open) > 0 && open[len(open)-1].level >= b.Level {
			open = open[:len(open)-1]
		}
		h := &headingNode{index: i, level: b.Level, text: oneLine(p.Text(b))}
		if len(open) > 0 {
			h.up = open[len(open)-1]
		}
		all, open = append(all, h), append(open, h)
	}
	return all
}

func (p *Page) outlined(h *headingNode) Heading {
	return Heading{ID: p.blocks()[h.index].ID, Level: h.level, Text: cut(h.text, MaxHeading), Path: h.path()}
}

func (h *headingNode) path() string {
	if h.up == nil {
		return cut(h.text, MaxHeading)
	}
	return h.up.path() + "/" + cut(h.text, MaxHeading)
}

// oneLine makes every run of white space one blank.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut shortens s to at most n characters, the last of them an ellipsis.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	i := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return s[:i] + "…"
}

// Summary gives the beginning of what the body says, on one line and at most
// max characters long: its paragraphs, lists and quotes, and its headings but
// the one of level 1 that opens it.
func (p *Page) Summary(max int) string {
	var said []string
	length := 0
	for i, b := range p.blocks() {
		if !summarised(b, i == p.firstBody()) || length > max {
			continue
		}
		// Only so much of a long block is looked at as could be said.
		b.End = min(b.End, b.Start+4*max+4)
		text := oneLine(strings.ToValidUTF8(p.Text(b), ""))
		if text != "" {
			said = append(said, text)
			length += utf8.RuneCountInString(text) + 1
		}
	}
	return cut(strings.Join(said, " "), max)
}

func summarised(b Block, opens bool) bool {
	switch b.Type {
	case TypeParagraph, TypeBlockquote, TypeBulletList, TypeOrderedList, TypeTaskList:
		return true
	case TypeHeading:
		return !(opens && b.Level == 1)
	}
	return false
}
