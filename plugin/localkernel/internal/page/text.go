package page

import (
	"bytes"
	"strings"
)

// Text gives what a block says, without its block markup and with LF line ends:
// a heading without its #, code without its fences, a quote without its >, a
// list as the texts of its items, a frontmatter without its fences. A rule says
// nothing. A table, an image, HTML and references are their own text.
func (p *Page) Text(b Block) string {
	src := toLF(p.src[b.Start:b.End])
	switch b.Type {
	case TypeHeading:
		return headingText(src)
	case TypeCodeBlock:
		return codeText(src)
	case TypeBlockquote:
		return quoteText(src)
	case TypeBlockMath:
		return strings.Trim(string(bytes.Trim(bytes.TrimSpace(src), "$")), "\n")
	case TypeBulletList, TypeOrderedList, TypeTaskList:
		return listText(b.Items)
	case TypeHorizontalRule:
		return ""
	case TypeFrontmatter:
		front := p.lay().front
		return strings.TrimSuffix(string(toLF(p.src[front.From:front.To])), lf)
	}
	return string(src)
}

// Source gives a block's exact bytes, without the line end after it.
func (p *Page) Source(b Block) string { return string(p.src[b.Start:b.End]) }

// headingText takes the # or the underline off.
func headingText(src []byte) string {
	lines := strings.Split(string(src), lf)
	if len(lines) > 1 {
		for i := range lines {
			lines[i] = strings.Trim(lines[i], " \t")
		}
		return strings.Join(lines[:len(lines)-1], lf)
	}
	text := strings.Trim(strings.TrimLeft(strings.Trim(lines[0], " \t"), "#"), " \t")
	open := strings.TrimRight(text, "#")
	if plain := strings.TrimRight(open, " \t"); plain != open || open == "" {
		return plain // a closing run of #
	}
	return text
}

// codeText takes the fences, or the indent of four, off.
func codeText(src []byte) string {
	lines := strings.Split(string(src), lf)
	mark, indent := fence(lines[0])
	if mark == "" {
		for i := range lines {
			lines[i] = outdent(lines[i], 4)
		}
		return strings.Join(lines, lf)
	}
	lines = lines[1:]
	if n := len(lines); n > 0 && closes(lines[n-1], mark) {
		lines = lines[:n-1]
	}
	for i := range lines {
		lines[i] = outdent(lines[i], indent)
	}
	return strings.Join(lines, lf)
}

// fence gives the run of ` or ~ that opens a code block, and its indent.
func fence(line string) (mark string, indent int) {
	rest := strings.TrimLeft(line, " ")
	indent = len(line) - len(rest)
	if indent > 3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
		return "", 0
	}
	n := len(rest) - len(strings.TrimLeft(rest, rest[:1]))
	if n < 3 {
		return "", 0
	}
	return rest[:n], indent
}

// closes reports whether a line is the fence that closes one opened by mark.
func closes(line, mark string) bool {
	other, _ := fence(line)
	return len(other) >= len(mark) && other[0] == mark[0] && isBlank([]byte(strings.Trim(line, " "+mark[:1])))
}

// outdent takes up to n columns of white space off.
func outdent(line string, n int) string {
	for col := 0; col < n && line != ""; {
		switch {
		case line[0] == ' ':
			col++
		case line[0] == '\t' && col+4 <= n:
			col += 4
		default:
			return line
		}
		line = line[1:]
	}
	return line
}

// language gives the first word behind a code fence.
func language(typ Type, src []byte) string {
	if typ != TypeCodeBlock {
		return ""
	}
	end, _ := lineAt(src, 0)
	mark, indent := fence(string(src[:end]))
	if mark == "" {
		return ""
	}
	word, _, _ := strings.Cut(strings.TrimLeft(string(src[indent+len(mark):end]), " \t"), " ")
	return strings.TrimRight(word, " \t")
}

// quoteText takes one level of > off.
func quoteText(src []byte) string {
	lines := strings.Split(string(src), lf)
	for i, line := range lines {
		rest := strings.TrimLeft(line, " ")
		if len(line)-len(rest) > 3 || !strings.HasPrefix(rest, ">") {
			continue // a lazy line
		}
		lines[i] = strings.TrimPrefix(rest[1:], " ")
	}
	return strings.Join(lines, lf)
}

// listText puts the items below each other, nested ones indented.
func listText(items []Item) string {
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = strings.Repeat("  ", item.Depth) + item.Text
	}
	return strings.Join(lines, lf)
}
