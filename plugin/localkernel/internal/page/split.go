package page

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// The limits of what is split into blocks; beyond them a body is one opaque
// block, because goldmark's time grows with the square of the nesting.
const (
	// MaxSize is the biggest file that is split.
	MaxSize = 8 << 20
	// maxMarkers is how many containers one line may open.
	maxMarkers = 512
	// maxNesting bounds the sum over all lines of open containers times indent;
	// it stands for about half a second.
	maxNesting = 1 << 26
)

var bom = []byte("\xef\xbb\xbf")

// span is a block before it has an id: its place, type and heading level.
type span struct {
	typ        Type
	level      int
	start, end int
}

// layout is how a file lies: BOM, frontmatter and blocks. The frontmatter is
// the first span.
type layout struct {
	bom    int // its length
	front  Frontmatter
	spans  []span
	alien  bool // UTF-16: we cannot read it, and must not write it
	opaque bool // not split
}

// split lays out a file.
func split(src []byte) layout {
	var l layout
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return layout{alien: true, opaque: true, spans: opaqueSpan(nil, src, 0)}
	}
	if bytes.HasPrefix(src, bom) {
		l.bom = len(bom)
	}
	body := l.bom
	if l.front = findFrontmatter(src, l.bom); l.front.Format != FormatNone {
		l.spans = append(l.spans, span{typ: TypeFrontmatter, start: l.front.Start, end: l.front.End})
		body = l.front.End + breakLen(src, l.front.End)
	}
	l.spans, l.opaque = splitBody(l.spans, src, body)
	return l
}

// splitBody appends the blocks of src[from:] to spans. A body that we do not
// split, or that goldmark cannot, is one opaque block.
func splitBody(spans []span, src []byte, from int) (_ []span, opaque bool) {
	if len(src) > MaxSize || tooDeep(src[from:]) {
		return opaqueSpan(spans, src, from), true
	}
	kept := len(spans)
	doc, ok := parseBody(src, from)
	for n := first(doc); ok && n != nil; n = n.NextSibling() {
		typ, level := classify(n, src[from:])
		spans = append(spans, span{typ: typ, level: level, start: from + lineStart(src[from:], position(n))})
	}
	if !ok || !closeSpans(spans[kept:], src, from) {
		return opaqueSpan(spans[:kept], src, from), true
	}
	return spans, false
}

func first(doc ast.Node) ast.Node {
	if doc == nil {
		return nil
	}
	return doc.FirstChild()
}

// closeSpans gives each span its end, and reports whether the spans are what
// they must be: in order, none empty, and nothing but blank lines before the
// first. That goldmark's positions keep this is its promise, not our proof.
func closeSpans(spans []span, src []byte, from int) bool {
	if len(spans) == 0 {
		return isBlank(src[from:])
	}
	if spans[0].start < from || !isBlank(src[from:spans[0].start]) {
		return false
	}
	for i := range spans {
		to := len(src)
		if i+1 < len(spans) {
			to = spans[i+1].start
		}
		if to <= spans[i].start || to > len(src) {
			return false
		}
		if spans[i].end = textEnd(src, spans[i].start, to); spans[i].end == spans[i].start {
			return false
		}
	}
	return true
}

// opaqueSpan appends the body as one block, if there is anything in it.
func opaqueSpan(spans []span, src []byte, from int) []span {
	start := from
	for start < len(src) {
		end, next := lineAt(src, start)
		if !isBlank(src[start:end]) {
			return append(spans, span{typ: TypeOpaque, start: start, end: textEnd(src, start, len(src))})
		}
		start = next
	}
	return spans
}

// parseBody lets goldmark parse src[from:]; positions count from there. A
// panic of the parser on outside bytes must cost the blocks, not the process.
// The slice has no room behind it: goldmark appends a newline to a last line
// that has none, and that must not land in the page's own bytes.
func parseBody(src []byte, from int) (doc ast.Node, ok bool) {
	defer func() {
		if recover() != nil {
			doc, ok = nil, false
		}
	}()
	return blockParser().Parse(text.NewReader(shadow(src[from:len(src):len(src)]))), true
}

// shadow is a copy of the same length in which every line end is an LF:
// goldmark knows no other, and takes "-\r\n" for no list item.
func shadow(src []byte) []byte {
	if bytes.IndexByte(src, '\r') < 0 {
		return src
	}
	out := bytes.Clone(src)
	for i, c := range out {
		switch {
		case c != '\r':
		case i+1 < len(out) && out[i+1] == '\n':
			out[i] = ' '
		default:
			out[i] = '\n'
		}
	}
	return out
}

// tooDeep reports whether a body would cost goldmark more than linear time: a
// line that opens too many containers, or too much nesting in all. goldmark
// offers each line to each container that is open, and lists count the line's
// columns anew each time.
func tooDeep(body []byte) bool {
	var open []int // the columns of the list items that may be open
	work := 0
	for i := 0; i < len(body); {
		end, next := lineAt(body, i)
		indent, markers := leadMarkers(body[i:end])
		if markers > maxMarkers {
			return true
		}
		if markers > 0 {
			for len(open) > 0 && open[len(open)-1] >= indent {
				open = open[:len(open)-1]
			}
			for k := range markers {
				open = append(open, indent+k)
			}
		}
		if work += len(open) * (indent + 1); work > maxNesting {
			return true
		}
		i = next
	}
	return false
}

// leadMarkers gives a line's indent in columns and counts the container markers
// that it starts with: >, bullets, numbers, footnote labels.
func leadMarkers(line []byte) (indent, markers int) {
	for i := 0; i < len(line) && markers <= maxMarkers; {
		n := markerLen(line[i:])
		switch {
		case n > 0:
			markers++
			i += n
			continue
		case line[i] != ' ' && line[i] != '\t':
			return indent, markers
		case markers == 0 && line[i] == '\t':
			indent += 4
		case markers == 0:
			indent++
		}
		i++
	}
	return indent, markers
}

func markerLen(s []byte) int {
	switch c := s[0]; {
	case c == '>':
		return 1
	case c == '-' || c == '*' || c == '+':
		return spaced(s, 1)
	case c >= '0' && c <= '9':
		n := 1
		for n < len(s) && n < 9 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n < len(s) && (s[n] == '.' || s[n] == ')') {
			return spaced(s, n+1)
		}
	case bytes.HasPrefix(s, []byte("[^")):
		if n := bytes.Index(s[:min(len(s), 1004)], []byte("]:")); n > 0 {
			return n + 2
		}
	}
	return 0
}

// spaced gives n if white space or the line's end follows the marker.
func spaced(s []byte, n int) int {
	if n == len(s) || s[n] == ' ' || s[n] == '\t' {
		return n
	}
	return 0
}
