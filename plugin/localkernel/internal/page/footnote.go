package page

import (
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// footnoteParser knows a footnote by its first line, [^label]: text. The lines
// that belong to it are indented by four columns, and it stays where it stands.
type footnoteParser struct{}

// maxLabel is how long a footnote's label may be, as CommonMark's link labels.
const maxLabel = 999

func (footnoteParser) Trigger() []byte             { return []byte{'['} }
func (footnoteParser) CanInterruptParagraph() bool { return true }
func (footnoteParser) CanAcceptIndentedLine() bool { return false }

func (footnoteParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	label, n := footnoteMark(line[at:])
	if n == 0 {
		return nil, parser.NoChildren
	}
	// What is left of a tab that the container took a part of is padding.
	n += at - segment.Padding
	if n >= len(line) {
		reader.Advance(n)
		return extast.NewFootnote(label), parser.NoChildren
	}
	reader.AdvanceAndSetPadding(n, segment.Padding)
	return extast.NewFootnote(label), parser.HasChildren
}

// footnoteMark gives the label of the mark that a line starts with, and the
// mark's length; 0 if there is none. A backslash hides a bracket.
func footnoteMark(line []byte) (label []byte, n int) {
	if len(line) < 2 || line[0] != '[' || line[1] != '^' {
		return nil, 0
	}
	line = line[2:]
	for i := 0; i < min(len(line), maxLabel); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < min(len(line), maxLabel) && util.IsPunct(line[i+1]):
			i++
		case c == '[':
			return nil, 0
		case c == ']':
			if i+1 == len(line) || line[i+1] != ':' || util.IsBlank(line[:i]) {
				return nil, 0
			}
			return line[:i], i + len("[^]:")
		}
	}
	return nil, 0
}

func (footnoteParser) Continue(_ ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	at, padding := util.IndentPosition(line, reader.LineOffset(), 4)
	if at < 0 {
		return parser.Close
	}
	reader.AdvanceAndSetPadding(at, padding)
	return parser.Continue | parser.HasChildren
}

func (footnoteParser) Close(ast.Node, text.Reader, parser.Context) {}
