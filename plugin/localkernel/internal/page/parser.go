package page

import (
	"sync"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// blockParser is goldmark as a finder of positions: block parsers only, built
// at the first use because it takes a fifth of a millisecond. There are no
// inline parsers, and no link reference transformer: that one is quadratic and
// takes lines out of paragraphs.
//
// Tables and footnotes are recognised here and not by goldmark's extension
// package: importing it costs every start of the process a fifth of its time
// (it compiles the patterns of links, which we never look for) whether or not a
// page is read. The tests hold ours against it.
var blockParser = sync.OnceValue(func() parser.Parser { return parserWith(footnoteParser{}) })

func parserWith(footnotes parser.BlockParser) parser.Parser {
	tables := tableTransformer{}
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(setextParser{parser.NewSetextHeadingParser(), tables}, 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(mathParser{}, 701),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewHTMLBlockParser(), 900),
			util.Prioritized(footnotes, 999),
			util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithParagraphTransformers(util.Prioritized(tables, 200)))
}
