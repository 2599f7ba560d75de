package page

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// position gives where a top-level node starts in the parsed body; the block
// starts with that line.
func position(n ast.Node) int {
	if n.Kind() == extast.KindTable { // its own position is its paragraph's
		return n.FirstChild().Pos()
	}
	return n.Pos()
}

// classify gives a top-level node's type, and a heading's level.
func classify(n ast.Node, body []byte) (Type, int) {
	switch n.Kind() {
	case ast.KindHeading:
		return TypeHeading, n.(*ast.Heading).Level
	case ast.KindList:
		return listType(n.(*ast.List), body), 0
	case ast.KindParagraph, ast.KindTextBlock:
		return paragraphType(n, body), 0
	case ast.KindCodeBlock, ast.KindFencedCodeBlock:
		return TypeCodeBlock, 0
	case ast.KindBlockquote:
		return TypeBlockquote, 0
	case ast.KindThematicBreak:
		return TypeHorizontalRule, 0
	case ast.KindHTMLBlock:
		return TypeHTML, 0
	case extast.KindTable:
		return TypeTable, 0
	case extast.KindFootnote:
		return TypeFootnote, 0
	case kindMath:
		return TypeBlockMath, 0
	}
	return TypeParagraph, 0
}

// listType is taskList when each of the list's own items has a task box.
func listType(list *ast.List, body []byte) Type {
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		if _, _, ok := taskBox(firstLine(item, body)); !ok {
			if list.IsOrdered() {
				return TypeOrderedList
			}
			return TypeBulletList
		}
	}
	return TypeTaskList
}

// firstLine gives the text right behind an item's marker.
func firstLine(item ast.Node, body []byte) []byte {
	child := item.FirstChild()
	if child == nil || child.Kind() != ast.KindParagraph && child.Kind() != ast.KindTextBlock || child.Lines().Len() == 0 {
		return nil
	}
	return bytes.TrimSpace(lineOf(child, 0, body))
}

// lineOf gives one line of a node. It does not ask goldmark's Segment.Value:
// that one may append a newline, into the bytes it was given.
func lineOf(n ast.Node, i int, body []byte) []byte {
	line := n.Lines().At(i)
	return body[line.Start:line.Stop]
}

// taskBox reads "[ ] rest" and "[x] rest".
func taskBox(line []byte) (checked bool, rest []byte, ok bool) {
	if len(line) < 3 || line[0] != '[' || line[2] != ']' || len(line) > 3 && !isSpace(line[3]) {
		return false, line, false
	}
	switch line[1] {
	case ' ':
		return false, bytes.TrimSpace(line[3:]), true
	case 'x', 'X':
		return true, bytes.TrimSpace(line[3:]), true
	}
	return false, line, false
}

// paragraphType tells a paragraph of link references and a lone image from
// running text.
func paragraphType(n ast.Node, body []byte) Type {
	lines := n.Lines()
	references := lines.Len() > 0
	for i := 0; i < lines.Len() && references; i++ {
		references = isReference(bytes.TrimSpace(lineOf(n, i, body)))
	}
	if references {
		return TypeLinkReference
	}
	if lines.Len() > 0 && isImage(bytes.TrimSpace(body[lines.At(0).Start:lines.At(lines.Len()-1).Stop])) {
		return TypeImage
	}
	return TypeParagraph
}

// isReference reads "[label]: destination".
func isReference(line []byte) bool {
	if len(line) < 5 || line[0] != '[' {
		return false
	}
	n := bytes.IndexAny(line[1:], "[]") + 1
	return n > 1 && line[n] == ']' && n+1 < len(line) && line[n+1] == ':' && len(bytes.TrimSpace(line[n+2:])) > 0
}

// isImage reads a paragraph that is one image and nothing else: ![alt](url),
// ![alt][ref], ![alt] or ![[file]].
func isImage(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("![")) {
		return false
	}
	n := closing(text[1:], '[', ']')
	if n < 0 {
		return false
	}
	rest := text[1+n:]
	switch {
	case len(rest) == 0:
		return true
	case rest[0] == '(':
		return closing(rest, '(', ')') == len(rest)
	case rest[0] == '[':
		return closing(rest, '[', ']') == len(rest)
	}
	return false
}

// closing gives the length of the bracketed text that s starts with, or -1. A
// backslash hides a bracket, and so do the quotes of a title.
func closing(s []byte, open, close byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"' && open == '(' && i > 0 && isSpace(s[i-1]):
			n := bytes.IndexByte(s[i+1:], '"')
			if n < 0 {
				return -1
			}
			i += n + 1
		case c == open:
			depth++
		case c == close:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
