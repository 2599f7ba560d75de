package page_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

func TestEachSampleIsOneBlock(t *testing.T) {
	t.Parallel()
	for _, s := range samples {
		for _, d := range dresses {
			p := page.Parse([]byte("\n" + d.put(s.src)))
			if d.bom {
				p = page.Parse([]byte(d.put("\n" + s.src)))
			}
			blocks := p.Blocks()
			if len(blocks) != 1 || blocks[0].Type != s.typ {
				t.Errorf("%q in %+v is %q, want one %s", s.src, d, outline(p), s.typ)
			}
		}
	}
}

func TestBlocksBesideEachOther(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, src string
		want      []string
	}{
		{"empty", "", nil},
		{"blank lines only", "\n \t\n", nil},
		{"BOM only", "\ufeff", nil},
		{"BOM before a heading", "\ufeff# H", []string{"heading: # H"}},
		{"text above a table", "words\na|b\n-|-\n1|2", []string{"paragraph: words", "table: a|b\n-|-\n1|2"}},
		{"underline below text and table", "words\na|b\n-|-\n===\nend", []string{"paragraph: words", "table: a|b\n-|-\n===\nend"}},
		{"rule below a table", "a|b\n-|-\n---", []string{"table: a|b\n-|-", "horizontalRule: ---"}},
		{"paragraph and formula", "words\n$$\nx\n$$\nmore", []string{"paragraph: words", "blockMath: $$\nx\n$$", "paragraph: more"}},
		{"formula in a quote is the quote's", "> $$\n> x\n> $$", []string{"blockquote: > $$\n> x\n> $$"}},
		{"dollars of a shell", "$$ is the pid\n\n```\nkill $$\n```", []string{"paragraph: $$ is the pid", "codeBlock: ```\nkill $$\n```"}},
		{"two lists", "- a\n* b", []string{"bulletList: - a", "bulletList: * b"}},
		{"footnote stays where it is", "[^1]: foot\n\nwords", []string{"footnote: [^1]: foot", "paragraph: words"}},
		{"heading right under text", "words\n# H\nmore", []string{"paragraph: words", "heading: # H", "paragraph: more"}},
		{"frontmatter", "---\na: 1\n---\nx", []string{"frontmatter: ---\na: 1\n---", "paragraph: x"}},
		{"frontmatter closed by dots", "---\na: 1\n...\nx", []string{"frontmatter: ---\na: 1\n...", "paragraph: x"}},
		{"TOML frontmatter", "+++\na = 1\n+++\nx", []string{"frontmatter: +++\na = 1\n+++", "paragraph: x"}},
		{"unclosed frontmatter is a rule", "---\nwords", []string{"horizontalRule: ---", "paragraph: words"}},
		{"frontmatter not on the first line", "\n---\na: 1\n---", []string{"horizontalRule: ---", "heading: a: 1\n---"}},
		{"frontmatter alone, no final newline", "---\na: 1\n---", []string{"frontmatter: ---\na: 1\n---"}},
		{"unclosed fence takes the rest", "```\na\n\n# b", []string{"codeBlock: ```\na\n\n# b"}},
		{"lone CR", "# H\rwords\r\rmore", []string{"heading: # H", "paragraph: words", "paragraph: more"}},
		{"empty item with CRLF", "-\r\n- b\r\n", []string{"bulletList: -\r\n- b"}},
		{"UTF-16 is not ours", "\xff\xfe#\x00 \x00", []string{"opaque: \xff\xfe#\x00 \x00"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			if diff := cmp.Diff(tc.want, outline(p)); diff != "" {
				t.Error(diff)
			}
			if err := wholeFile(p); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRandomPagesAreTheirBlocks(t *testing.T) {
	t.Parallel()
	r := newRand(1)
	for i := range 1000 {
		src := randomSource(r)
		for _, d := range dresses {
			p := page.Parse([]byte(d.put(src)))
			if err := wholeFile(p); err != nil {
				t.Fatalf("page %d, %q in %+v: %v", i, src, d, err)
			}
			if b := p.Blocks(); len(b) > 0 && b[len(b)-1].Type == page.TypeOpaque {
				t.Fatalf("page %d, %q in %+v was not split", i, src, d)
			}
		}
	}
}

// Types, texts and ids do not depend on how lines end.
func TestLineEndsChangeNothingElse(t *testing.T) {
	t.Parallel()
	r := newRand(2)
	for i := range 800 {
		src := randomSource(r)
		want := page.Parse([]byte(src))
		for _, eol := range []string{"\r\n", "\r"} {
			got := page.Parse([]byte(strings.ReplaceAll(src, "\n", eol)))
			if diff := cmp.Diff(summaryOf(want), summaryOf(got)); diff != "" {
				t.Fatalf("page %d %q with %q: %s", i, src, eol, diff)
			}
		}
	}
}

func summaryOf(p *page.Page) []string {
	var out []string
	for _, b := range p.Blocks() {
		out = append(out, b.ID+" "+string(b.Type)+" "+b.Language+" "+p.Text(b))
		for _, item := range b.Items {
			out = append(out, item.ID+" "+item.Text)
		}
	}
	return out
}

func TestIDs(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte("a\n\n---\n\na  \n\n---\n\n# a\n\n- a\n- a\n"))
	got := map[string]string{}
	var list []string
	for _, b := range p.Blocks() {
		list = append(list, b.ID)
		got[b.ID] = p.Source(b)
		for _, item := range b.Items {
			list = append(list, item.ID)
		}
	}
	// Made by another program from the rule; a change breaks every id that a
	// client remembers.
	want := []string{
		"b_ebum2lsd66ls",
		"b_yudzirifhha7",
		"b_ebum2lsd66ls_2",
		"b_yudzirifhha7_2",
		"b_q6zylwptkmwx",
		"b_ac7ll4bddh2i",
		"i_73zghepu4i6w",
		"i_73zghepu4i6w_2",
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	for id, src := range got {
		b, err := p.Block(id)
		if err != nil || p.Source(b) != src {
			t.Errorf("Block(%s) = %q, %v; want %q", id, p.Source(b), err, src)
		}
	}
	edited := page.Parse([]byte("new first\n\na\n\n---\n\na  \n\n---\n\n# a\n\n- a\n- a\n"))
	if diff := cmp.Diff(ids(p), ids(edited)[1:]); diff != "" {
		t.Errorf("an edit elsewhere changed ids: %s", diff)
	}
}

// Each of these takes goldmark, or a naive reader, more than linear time. The
// test has no clock: with a quadratic step it does not end.
func TestHostileSizes(t *testing.T) {
	t.Parallel()
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	for _, tc := range []struct{ name, src string }{
		{"quotes in quotes", many(">", 200_000)},
		{"lists in lists", many("- ", 200_000) + "x"},
		{"numbers in numbers", many("1. ", 100_000) + "x"},
		{"footnotes in footnotes", many("[^a]: ", 100_000)},
		{"each line one level deeper", stairs(2000)},
		{"just below the limit, then blank lines", many("- ", 500) + "x" + many("\n", 2_000_000)},
		{"wide header, many rows", many("a|", 20_000) + "\n" + many("-|", 20_000) + "\n" + many("x\n", 50_000)},
		{"many delimiters", many("a|b\n-|-|-\n", 25_000)},
		{"many underlines in a table", "a|b\n-|-\n" + many("===\n", 150_000)},
		{"many openings of a formula", many("$$\n", 100_001)},
		{"formulas that do not close", many("$$ a\n", 100_000)},
		{"references", many("[a]: /x\n", 100_000)},
		{"open brackets", many("![", 400_000)},
		{"one line of 4 MB", many("字", 1_400_000)},
		{"many blocks", many("x\n\n", 100_000)},
		{"many equal headings", many("# x\n", 100_000)},
		{"carriage returns", many("\r", 2_000_000)},
		{"tags", many("<a b ", 100_000)},
		{"over 8 MB", many("words\n\n", 1_300_000)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if err := wholeFile(page.Parse([]byte(tc.src))); err != nil {
				t.Error(err)
			}
		})
	}
}

// stairs is a list in a list in a list, a line each.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

func TestOpaquePages(t *testing.T) {
	t.Parallel()
	deep := "---\ntitle: t\n---\n\n" + strings.Repeat("> ", 600) + "x\n\nmore\n"
	p := page.Parse([]byte(deep))
	if diff := cmp.Diff([]string{"frontmatter", "opaque"}, types(p)); diff != "" {
		t.Fatal(diff)
	}
	if title, place := p.Title("x.md"); title != "t" || place != page.PlaceFrontmatter {
		t.Errorf("title %q from %s", title, place)
	}
	if _, err := p.Insert(page.Where{}, "words"); err == nil {
		t.Error("content went into an opaque page")
	} else if err := refusedFor(err, "would_change_blocks"); err != nil {
		t.Error(err)
	}
	e, err := p.Replace(p.Blocks()[1].ID, "# short again")
	if err != nil || types(e.Page)[1] != "heading" {
		t.Errorf("the opaque block could not be replaced: %v", err)
	}
	if e, err := p.SetTitle("u", "x.md"); err != nil || !strings.HasPrefix(string(e.Page.Bytes()), "---\ntitle: u\n---\n\n>") {
		t.Errorf("the title of an opaque page: %v", err)
	}
}

func types(p *page.Page) []string {
	var out []string
	for _, b := range p.Blocks() {
		out = append(out, string(b.Type))
	}
	return out
}
