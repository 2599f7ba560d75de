package page

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Item is one item of a list. It can be read by its id, never edited alone.
type Item struct {
	ID string
	// Depth is 0 for the list's own items.
	Depth int
	// [Start, End) is the item with its marker and all below it.
	Start, End int
	// Checked is nil for an item without a task box.
	Checked *bool
	// Text is the item's own text, without marker, box and nested items.
	Text string
}

// items reads the items of a list from the list's own bytes, their places from
// the start of the file. A list parses alone as it does in the page.
func items(s span, src []byte) []Item {
	if s.typ != TypeBulletList && s.typ != TypeOrderedList && s.typ != TypeTaskList {
		return nil
	}
	doc, ok := parseBody(src, 0)
	if !ok {
		return nil
	}
	r := itemReader{src: src, base: s.start}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if list, ok := n.(*ast.List); ok {
			r.list(list, 0, len(src))
		}
	}
	return r.items
}

type itemReader struct {
	src   []byte
	base  int // where the list starts in the file
	items []Item
}

// list reads the items of one list, which ends at to.
func (r *itemReader) list(list *ast.List, depth, to int) {
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		end := to
		if next := n.NextSibling(); next != nil {
			end = min(to, lineStart(r.src, next.Pos()))
		}
		r.item(n, depth, max(end, n.Pos()))
	}
}

func (r *itemReader) item(n ast.Node, depth, to int) {
	item := Item{Depth: depth, Start: r.base + n.Pos(), End: r.base + textEnd(r.src, n.Pos(), to)}
	var own strings.Builder
	r.text(n, &own)
	text := strings.TrimRight(own.String(), " \t\n")
	if checked, rest, ok := taskBox([]byte(text)); ok {
		item.Checked, text = &checked, string(rest)
	}
	item.Text = text
	r.items = append(r.items, item)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if list, ok := c.(*ast.List); ok {
			r.list(list, depth+1, to)
		}
	}
}

// text writes the lines below a node, nested lists left out.
func (r *itemReader) text(n ast.Node, out *strings.Builder) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == ast.KindList || c.Type() == ast.TypeInline {
			continue
		}
		lines := c.Lines()
		for i := 0; i < lines.Len(); i++ {
			out.WriteString(strings.Repeat(" ", lines.At(i).Padding))
			out.WriteString(strings.TrimRight(string(lineOf(c, i, r.src)), " \r\n"))
			out.WriteByte('\n')
		}
		r.text(c, out)
	}
}
