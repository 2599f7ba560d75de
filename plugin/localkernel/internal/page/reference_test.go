package page

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// goldmarkTable asks goldmark's own extension whether the two lines start a
// table. A header shorter than its delimiter row starts none (GFM), though
// goldmark fills it up with empty cells.
func goldmarkTable(header, delimiter string) bool {
	source := []byte(header + "\n" + delimiter + "\n")
	doc, paragraph := ast.NewDocument(), ast.NewParagraph()
	doc.AppendChild(doc, paragraph)
	paragraph.Lines().Append(text.NewSegment(0, len(header)+1))
	paragraph.Lines().Append(text.NewSegment(len(header)+1, len(source)))
	extension.NewTableParagraphTransformer().Transform(paragraph, text.NewReader(source), parser.NewContext())
	table, ok := doc.FirstChild().(*extast.Table)
	if !ok {
		return false
	}
	last := table.FirstChild().LastChild()
	return last != nil && last.Lines().Len() > 0
}

func oursTable(header, delimiter string) bool {
	source := []byte(header + "\n" + delimiter + "\n")
	return startsTable(text.NewSegment(0, len(header)+1), text.NewSegment(len(header)+1, len(source)), source)
}

// TestTableStart: a table starts where goldmark's extension says so, for every
// pair of short lines of the bytes that matter.
func TestTableStart(t *testing.T) {
	t.Parallel()
	tables := 0
	delimiters := lines("-|: ", 5)
	for _, header := range lines("a|\\ ", 4) {
		for _, delimiter := range delimiters {
			got := oursTable(header, delimiter)
			if want := goldmarkTable(header, delimiter); got != want {
				t.Fatalf("%q over %q starts a table: %t, goldmark says %t", header, delimiter, got, want)
			}
			if got {
				tables++
			}
		}
	}
	if tables < 1000 {
		t.Errorf("only %d of the pairs were tables", tables)
	}
}

// lines gives every line of at most n of the bytes.
func lines(of string, n int) []string {
	all := []string{""}
	for last := all; n > 0; n-- {
		var longer []string
		for _, s := range last {
			for i := range len(of) {
				longer = append(longer, s+of[i:i+1])
			}
		}
		all, last = append(all, longer...), longer
	}
	return all
}

func FuzzTableStart(f *testing.F) {
	for _, s := range [][2]string{{"a|b", "-|-"}, {"| a\\|b |", "|:--|"}, {"　a　|", "    --|"}, {"a\v", "-\f|"}, {"||", "|-|"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, header, delimiter string) {
		if strings.ContainsAny(header+delimiter, "\n\r") {
			return // these would be more than two lines
		}
		if got, want := oursTable(header, delimiter), goldmarkTable(header, delimiter); got != want {
			t.Errorf("%q over %q starts a table: %t, goldmark says %t", header, delimiter, got, want)
		}
	})
}

// inPlace is goldmark's own footnote parser, less its moving every footnote to
// the end of the document.
type inPlace struct{ parser.BlockParser }

func (inPlace) Close(ast.Node, text.Reader, parser.Context) {}

// outline writes what stands where in a parsed body.
func outline(p parser.Parser, src []byte) (all []string) {
	_ = ast.Walk(p.Parse(text.NewReader(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkContinue, nil
		}
		line := n.Kind().String()
		for i := range n.Lines().Len() {
			at := n.Lines().At(i)
			line += " " + string(at.Value(src))
		}
		if foot, ok := n.(*extast.Footnote); ok {
			line += " ^" + string(foot.Ref)
		}
		all = append(all, line)
		return ast.WalkContinue, nil
	})
	return all
}

func sameFootnotes(t *testing.T, src []byte) (found int) {
	t.Helper()
	got, want := outline(parserWith(footnoteParser{}), src), outline(parserWith(inPlace{extension.NewFootnoteBlockParser()}), src)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q is split otherwise (-goldmark +ours):\n%s", src, diff)
	}
	return strings.Count(strings.Join(got, "\n"), "Footnote")
}

// TestFootnotes: a footnote begins, goes on and ends where goldmark's extension
// says so.
func TestFootnotes(t *testing.T) {
	t.Parallel()
	pieces := []string{"[^", "]:", "]: ", "[", "]", "^", ":", "\\", "\n", "\n\n", " ", "    ", "\t", "a", "字", "- ", "> ", "1. ", "[^a]: ", "# ", "`", "|", strings.Repeat("x", maxLabel-1)}
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 10_000 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		found += sameFootnotes(t, []byte(b.String()))
	}
	if found < 500 {
		t.Errorf("only %d footnotes were seen", found)
	}
}

func FuzzFootnotes(f *testing.F) {
	for _, s := range []string{"[^1]: a\n\n    b\nc", "- [^a]:\tb\n\t\tc", "> [^a\\]b]:", ">\t[^a]: b\n>\t    c", "[^ ]: x", "[^[a]: x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if tooDeep(src) || bytes.IndexByte(src, 0x0d) >= 0 {
			return // Parse would not ask goldmark
		}
		sameFootnotes(t, src)
	})
}
