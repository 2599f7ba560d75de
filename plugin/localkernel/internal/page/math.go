package page

import (
	"bytes"
	"sort"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// kindMath is the kind of a $$ block.
var kindMath = ast.NewNodeKind("Math")

type mathNode struct {
	ast.BaseBlock
	end int // of its last line
}

func (*mathNode) Kind() ast.NodeKind              { return kindMath }
func (*mathNode) IsRaw() bool                     { return true }
func (n *mathNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// mathParser knows $$ … $$ between blocks of the document, on one line or
// several, and only where the closing $$ exists: an unclosed one must not
// swallow the page.
type mathParser struct{}

func (mathParser) Trigger() []byte             { return []byte{'$'} }
func (mathParser) CanInterruptParagraph() bool { return true }
func (mathParser) CanAcceptIndentedLine() bool { return false }

func (mathParser) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if parent.Kind() != ast.KindDocument || at < 0 || !bytes.HasPrefix(line[at:], []byte("$$")) {
		return nil, parser.NoChildren
	}
	end := mathEnd(reader.Source(), segment.Start+at+2, pc)
	if end < 0 {
		return nil, parser.NoChildren
	}
	reader.AdvanceToEOL()
	return &mathNode{end: end}, parser.NoChildren
}

func (mathParser) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	_, segment := reader.PeekLine()
	if segment.Start >= node.(*mathNode).end {
		return parser.Close
	}
	reader.AdvanceToEOL()
	return parser.Continue | parser.NoChildren
}

func (mathParser) Close(ast.Node, text.Reader, parser.Context) {}

// mathEnd gives the end of the line that closes the math whose content starts
// at from, or -1. The next $$ must be the last thing on its line, something
// must stand before it, and if the opening line has content, no blank line.
func mathEnd(src []byte, from int, pc parser.Context) int {
	close := nextDollars(src, from, pc)
	if close < 0 {
		return -1
	}
	end, _ := lineAt(src, close)
	first, _ := lineAt(src, from)
	inner := src[from:close]
	if !isBlank(src[close+2:end]) || isBlank(inner) {
		return -1
	}
	if !isBlank(src[from:min(first, close)]) && hasEmptyLine(inner) {
		return -1
	}
	return end
}

func hasEmptyLine(src []byte) bool {
	_, i := lineAt(src, 0)
	for i < len(src) {
		end, next := lineAt(src, i)
		if isBlank(src[i:end]) && next > end {
			return true
		}
		i = next
	}
	return false
}

var dollarsKey = parser.NewContextKey()

// nextDollars finds the first $$ at or after from. All of them are looked for
// once a parse, so that many openings without an end stay linear.
func nextDollars(src []byte, from int, pc parser.Context) int {
	all, _ := pc.ComputeIfAbsent(dollarsKey, func() any { return everyDollars(src) }).([]int)
	i := sort.SearchInts(all, from)
	if i == len(all) {
		return -1
	}
	return all[i]
}

func everyDollars(src []byte) []int {
	var all []int
	for i := 0; ; {
		n := bytes.Index(src[i:], []byte("$$"))
		if n < 0 {
			return all
		}
		all = append(all, i+n)
		i += n + 2
	}
}
