package page

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// tableTransformer finds where in a paragraph a table starts. It shows goldmark
// the header and the delimiter line only: goldmark fills each row up to the
// header's width, which is quadratic for a wide header over many short rows.
type tableTransformer struct{ parser.ParagraphTransformer }

func (t tableTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	for i := 1; i < lines.Len(); i++ {
		delimiter := lines.At(i)
		if !likeDelimiter(delimiter.Value(reader.Source())) {
			continue
		}
		if table := t.tableOf(node, lines.At(i-1), delimiter, reader, pc); table != nil {
			cutTable(node, table, i-1)
			return
		}
	}
}

// likeDelimiter is cheap and lets every delimiter row pass.
func likeDelimiter(line []byte) bool {
	return bytes.IndexByte(line, '-') >= 0 && len(bytes.Trim(line, " \t\r\n|:-")) == 0 &&
		bytes.IndexFunc(line, func(r rune) bool { return r >= 0x80 }) < 0
}

// tableOf asks goldmark about two lines, in a paragraph of their own after
// node. The table stays there if they start one. A header shorter than its
// delimiter starts none (GFM), though goldmark fills it up with empty cells.
func (t tableTransformer) tableOf(node *ast.Paragraph, header, delimiter text.Segment, reader text.Reader, pc parser.Context) ast.Node {
	parent := node.Parent()
	trial := ast.NewParagraph()
	trial.SetPos(header.Start)
	trial.Lines().Append(header)
	trial.Lines().Append(delimiter)
	parent.InsertAfter(parent, node, trial)
	t.ParagraphTransformer.Transform(trial, reader, pc)
	if trial.Parent() != nil {
		parent.RemoveChild(parent, trial)
		return nil
	}
	table := node.NextSibling()
	if last := table.FirstChild().LastChild(); last == nil || last.Lines().Len() == 0 {
		parent.RemoveChild(parent, table)
		return nil
	}
	return table
}

// cutTable gives the table the paragraph's lines from its header on, as text,
// and leaves the paragraph those above it.
func cutTable(node *ast.Paragraph, table ast.Node, header int) {
	rows := ast.NewTextBlock()
	lines := node.Lines()
	for i := header; i < lines.Len(); i++ {
		rows.Lines().Append(lines.At(i))
	}
	for c := table.FirstChild(); c != nil; c = table.FirstChild() {
		table.RemoveChild(table, c)
	}
	rows.SetPos(lines.At(header).Start)
	table.AppendChild(table, rows)
	lines.SetSliced(0, header)
	if header == 0 {
		node.Parent().RemoveChild(node.Parent(), node)
	}
}

// setextParser keeps an underline from making a heading of the text above a
// table: goldmark would put the heading behind the table that follows it.
type setextParser struct {
	parser.BlockParser
	tables tableTransformer
}

func (s setextParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	last, ok := pc.LastOpenedBlock().Node.(*ast.Paragraph)
	if ok && last.Parent() == parent && s.tables.startsIn(last, reader, pc) {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

var seenKey = parser.NewContextKey()

// seenLines remembers how much of the open paragraph was looked at, so that a
// paragraph of many underlines stays linear.
type seenLines struct {
	node  ast.Node
	lines int
	table bool
}

// startsIn reports whether a table has started in an open paragraph.
func (t tableTransformer) startsIn(node *ast.Paragraph, reader text.Reader, pc parser.Context) bool {
	seen, _ := pc.Get(seenKey).(*seenLines)
	if seen == nil || seen.node != node {
		seen = &seenLines{node: node, lines: 1}
		pc.Set(seenKey, seen)
	}
	for ; !seen.table && seen.lines < node.Lines().Len(); seen.lines++ {
		delimiter := node.Lines().At(seen.lines)
		if !likeDelimiter(delimiter.Value(reader.Source())) {
			continue
		}
		if table := t.tableOf(node, node.Lines().At(seen.lines-1), delimiter, reader, pc); table != nil {
			node.Parent().RemoveChild(node.Parent(), table)
			seen.table = true
		}
	}
	return seen.table
}
