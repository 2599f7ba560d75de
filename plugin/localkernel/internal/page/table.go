package page

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// tableTransformer finds where in a paragraph a table starts. It reads the
// header and the delimiter line only: what stands below them are rows, whatever
// they say.
type tableTransformer struct{}

func (tableTransformer) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines := node.Lines()
	for i := 1; i < lines.Len(); i++ {
		if startsTable(lines.At(i-1), lines.At(i), reader.Source()) {
			cutTable(node, i-1)
			return
		}
	}
}

// startsTable reports whether two lines are a header and the delimiter row
// below it, with as many cells (GFM).
func startsTable(header, delimiter text.Segment, source []byte) bool {
	columns := columnsOf(delimiter.Value(source))
	return columns > 0 && columns == cellsOf(bytes.Trim(header.Value(source), spaces))
}

// spaces are what goldmark takes for white space in a line.
const spaces = " \t\r\n"

// columnsOf counts the columns that a delimiter row stands for; 0 if it is none.
func columnsOf(line []byte) int {
	if indent, _ := util.IndentWidth(line, 0); indent > 3 || bytes.IndexByte(line, '-') < 0 || len(bytes.Trim(line, spaces+"|:-")) > 0 {
		return 0 // cheap, and lets every delimiter row pass
	}
	row := bytes.TrimSpace(line)
	row = bytes.TrimPrefix(row, []byte("|"))
	row = bytes.TrimSuffix(row, []byte("|"))
	n := 0
	for cell := range bytes.SplitSeq(row, []byte("|")) {
		cell = bytes.TrimSpace(cell)
		dashes := bytes.TrimSuffix(bytes.TrimPrefix(cell, []byte(":")), []byte(":"))
		if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
			return 0
		}
		n++
	}
	return n
}

// cellsOf counts the cells of a header; a backslash keeps a pipe in its cell.
func cellsOf(row []byte) int {
	row = bytes.TrimPrefix(row, []byte("|"))
	row = bytes.TrimSuffix(row, []byte("|"))
	if len(row) == 0 {
		return 0
	}
	n := 1
	for i, c := range row[:len(row)-1] {
		if c == '|' && (i == 0 || row[i-1] != '\\') {
			n++
		}
	}
	return n
}

// cutTable makes a table behind the paragraph, of the paragraph's lines from the
// header on, as text, and leaves the paragraph those above it.
func cutTable(node *ast.Paragraph, header int) {
	table, rows := extast.NewTable(), ast.NewTextBlock()
	lines := node.Lines()
	for i := header; i < lines.Len(); i++ {
		rows.Lines().Append(lines.At(i))
	}
	rows.SetPos(lines.At(header).Start)
	table.AppendChild(table, rows)
	node.Parent().InsertAfter(node.Parent(), node, table)
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
		seen.table = startsTable(node.Lines().At(seen.lines-1), node.Lines().At(seen.lines), reader.Source())
	}
	return seen.table
}
