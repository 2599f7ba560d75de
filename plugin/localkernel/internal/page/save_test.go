package page_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

func typed(typ page.Type, level int, s string) page.Content {
	return page.Content{Type: typ, Level: level, Text: &s}
}

func TestSaveReplace(t *testing.T) {
	t.Parallel()
	const fm = "---\nt: 1 # c\n---\n"
	for _, tc := range []struct {
		name, src    string
		content      []page.Content
		want, reason string
	}{
		{name: "a bare string", src: "old\n", content: []page.Content{text("# A\n\nb\n")}, want: "# A\n\nb\n"},
		{name: "joined by one blank line", src: "old\n", content: []page.Content{text("a\n\n"), text("\nb"), source("c")}, want: "a\n\nb\n\nc\n"},
		{name: "source wins", src: "old\n", content: []page.Content{{Text: ptr("text"), Source: ptr("**source**")}}, want: "**source**\n"},
		{name: "frontmatter is kept", src: fm + "\nold\n", content: []page.Content{text("new")}, want: fm + "\nnew\n"},
		{name: "the gap behind it too", src: fm + "old\n", content: []page.Content{text("new")}, want: fm + "new\n"},
		{name: "a page of frontmatter", src: fm, content: []page.Content{text("new")}, want: fm + "\nnew\n"},
		{name: "no final newline", src: "old", content: []page.Content{text("new\n")}, want: "new"},
		{name: "CRLF and BOM", src: "\ufeff\r\nold\r\n", content: []page.Content{text("a\nb"), text("c")}, want: "\ufeff\r\na\r\nb\r\n\r\nc\r\n"},
		{name: "an empty page", src: "", content: []page.Content{text("a")}, want: "a\n"},
		{name: "nothing", src: fm + "\nold\n", content: nil, want: fm},
		{name: "nothing in an empty page", src: "\n", content: nil, want: "\n"},
		{name: "own frontmatter as the first block", src: fm + "\nold\n", content: []page.Content{source("---\nt: 1 # c\n---"), text("new")}, want: fm + "\nnew\n"},
		{name: "own frontmatter before the text of one string", src: fm + "\nold\n", content: []page.Content{text(fm + "\nnew\n\nmore")}, want: fm + "\nnew\n\nmore\n"},
		{name: "own frontmatter in other line ends", src: "---\r\nt: 1\r\n---\r\nold\r\n", content: []page.Content{text("---\nt: 1\n---\nnew")}, want: "---\r\nt: 1\r\n---\r\nnew\r\n"},
		{name: "own frontmatter by its text", src: fm + "\nold\n", content: []page.Content{typed("frontmatter", 0, "t: 1 # c"), text("new")}, want: fm + "\nnew\n"},
		{name: "another frontmatter", src: fm + "\nold\n", content: []page.Content{text("---\nt: 2\n---\nnew")}, reason: "frontmatter_edit"},
		{name: "another frontmatter behind blank lines", src: fm + "\nold\n", content: []page.Content{text("\n\n---\nt: 2\n---\nnew")}, reason: "frontmatter_edit"},
		{name: "another frontmatter behind a BOM", src: "old\n", content: []page.Content{text("\ufeff---\nt: 2\n---\nnew")}, reason: "frontmatter_edit"},
		{name: "a frontmatter where there is none", src: "old\n", content: []page.Content{text("---\nt: 2\n---\nnew")}, reason: "frontmatter_edit"},
		{name: "a frontmatter block where there is none", src: "old\n", content: []page.Content{typed("frontmatter", 0, "t: 2")}, reason: "frontmatter_edit"},
		{name: "a frontmatter block later on", src: fm + "\nold\n", content: []page.Content{text("a"), {Type: "frontmatter", Source: ptr("---\nt: 1 # c\n---")}}, reason: "frontmatter_edit"},
		{name: "a BOM in the content", src: "old\n", content: []page.Content{text("\ufeffnew")}, want: "new\n"},
		{name: "rules at the top stay rules", src: "old\n", content: []page.Content{text("---"), text("a"), text("---")}, want: "\n---\n\na\n\n---\n"},
		{name: "a heading by its level", src: "old\n", content: []page.Content{typed("heading", 3, " New\npart ")}, want: "### New part\n"},
		{name: "a heading with its markup", src: "old\n", content: []page.Content{typed("heading", 2, "## New")}, want: "## New\n"},
		{name: "a heading that looks like a list", src: "old\n", content: []page.Content{typed("heading", 1, "1. New")}, want: "# 1. New\n"},
		{name: "a heading without level or markup", src: "old\n", content: []page.Content{typed("heading", 0, "New")}, reason: "wrong_type"},
		{name: "a heading of another level", src: "old\n", content: []page.Content{typed("heading", 2, "# New")}, reason: "wrong_type"},
		{name: "a rule without text", src: "old\n", content: []page.Content{{Type: "horizontalRule"}, text("a")}, want: "---\n\na\n"},
		{name: "code without fences", src: "old\n", content: []page.Content{typed("codeBlock", 0, "x := 1")}, reason: "wrong_type"},
		{name: "a paragraph that is a list", src: "old\n", content: []page.Content{typed("paragraph", 0, "- x")}, reason: "wrong_type"},
		{name: "two blocks as one", src: "old\n", content: []page.Content{typed("paragraph", 0, "a\n\nb")}, reason: "wrong_type"},
		{name: "a type there is none of", src: "old\n", content: []page.Content{typed("callout", 0, "a")}, reason: "wrong_type"},
		{name: "an empty paragraph is left out", src: "old\n", content: []page.Content{text("a"), typed("paragraph", 0, ""), text("b")}, want: "a\n\nb\n"},
		{name: "an unclosed fence at the end", src: "old\n", content: []page.Content{text("a"), text("```\nx")}, want: "a\n\n```\nx\n"},
		{name: "an unclosed fence before another block", src: "old\n", content: []page.Content{text("```\nx"), text("a")}, reason: "would_change_blocks"},
		{name: "two lists that join", src: "old\n", content: []page.Content{text("- a"), text("- b")}, reason: "would_change_blocks"},
		{name: "UTF-16", src: "\xfe\xff\x00a", content: []page.Content{text("a")}, reason: "unsupported_format"},
		{name: "too much", src: "old\n", content: []page.Content{text(strings.Repeat("words\n\n", 1_300_000))}, reason: "page_too_large"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			e, err := p.Save(tc.content, page.ModeReplace)
			checkEdit(t, p, e, err, tc.src, tc.want, tc.reason)
		})
	}
}

func ptr[T any](v T) *T { return &v }

func TestSaveAppend(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, src    string
		content      []page.Content
		want, reason string
	}{
		{name: "one blank line before", src: "a\n", content: []page.Content{text("b"), text("c")}, want: "a\n\nb\n\nc\n"},
		{name: "no final newline", src: "a", content: []page.Content{text("b")}, want: "a\n\nb"},
		{name: "behind blank lines", src: "a\n\n\n", content: []page.Content{text("b")}, want: "a\n\nb\n\n\n"},
		{name: "an empty page", src: "", content: []page.Content{text("b")}, want: "b\n"},
		{name: "a page of frontmatter", src: "---\nt: 1\n---\n", content: []page.Content{text("b")}, want: "---\nt: 1\n---\n\nb\n"},
		{name: "a copy of a block", src: "a\n\nb\n", content: []page.Content{text("a")}, want: "a\n\nb\n\na\n"},
		{name: "CRLF", src: "a\r\n", content: []page.Content{text("b\nc")}, want: "a\r\n\r\nb\r\nc\r\n"},
		{name: "own frontmatter is left out", src: "---\nt: 1\n---\na\n", content: []page.Content{text("---\nt: 1\n---\nb")}, want: "---\nt: 1\n---\na\n\nb\n"},
		{name: "another frontmatter", src: "---\nt: 1\n---\na\n", content: []page.Content{text("---\nt: 2\n---\nb")}, reason: "frontmatter_edit"},
		{name: "nothing", src: "a\n", content: nil, reason: "content_empty"},
		{name: "nothing but blanks", src: "a\n", content: []page.Content{text(" \n")}, reason: "content_empty"},
		{name: "to a list", src: "- a\n", content: []page.Content{text("- b")}, want: "- a\n- b\n"},
		{name: "two lists to a list", src: "- a\n", content: []page.Content{text("- b"), text("- c")}, reason: "would_change_blocks"},
		{name: "to an unclosed fence", src: "```\na\n", content: []page.Content{text("b")}, reason: "would_change_blocks"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			e, err := p.Save(tc.content, page.ModeAppend)
			checkEdit(t, p, e, err, tc.src, tc.want, tc.reason)
		})
	}
	if _, err := page.Parse(nil).Save([]page.Content{text("a")}, "merge"); refusedFor(err, "mode_unknown") != nil {
		t.Errorf("mode merge: %v", err)
	}
}

// What page.get gave can be saved back, and that changes no byte: not by source
// and not by id, type and text alone, as a client of seed 7-6 keeps them.
func TestSavingWhatWasReadChangesNothing(t *testing.T) {
	t.Parallel()
	r := newRand(3)
	for i := range 1000 {
		p := randomPage(r)
		for name, content := range map[string][]page.Content{"all": givenAll(p), "7-6": textsOnly(p)} {
			e, err := p.Save(content, page.ModeReplace)
			if err != nil {
				t.Fatalf("page %d %s %q: %v", i, name, p.Bytes(), err)
			}
			if string(e.Page.Bytes()) != string(p.Bytes()) || len(e.Changes) > 0 {
				t.Fatalf("page %d %s: %q became %q", i, name, p.Bytes(), e.Page.Bytes())
			}
		}
	}
}

func textsOnly(p *page.Page) []page.Content {
	content := givenAll(p)
	for i := range content {
		content[i].Source, content[i].Level = nil, 0
	}
	return content
}

func TestSaveKeepsWhatItDoesNotName(t *testing.T) {
	t.Parallel()
	// Tight and wide gaps and a lone CR: all of it is the page's own, and JSON
	// cannot carry all of it.
	p := page.Parse([]byte("# H\ntext\ufffd\n\n\n\n- a\r- b\n\nold\n"))
	content := givenAll(p)
	content[3] = text("new")
	e, err := p.Save(content, page.ModeReplace)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("# H\ntext\ufffd\n\n\n\n- a\r- b\n\nnew\n", string(e.Page.Bytes())); diff != "" {
		t.Error(diff)
	}
	if len(e.Changes) != 1 || e.Changes[0].OldID != p.Blocks()[3].ID {
		t.Errorf("changes %v", e.Changes)
	}
}

func TestSaveAnEditedHeading(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte("## Old\n\na\n"))
	content := textsOnly(p)
	content[0].Text = ptr("New")
	e, err := p.Save(content, page.ModeReplace)
	checkEdit(t, p, e, err, "## Old\n\na\n", "## New\n\na\n", "")
}

func TestSaveOfARepeatedBlock(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte("a\n\nb\n"))
	a, b := p.Blocks()[0].ID, p.Blocks()[1].ID
	for name, content := range map[string][]page.Content{
		"by text": {text("a"), text("a"), text("b")},
		"by id":   {given(p, p.Blocks()[0]), given(p, p.Blocks()[0]), given(p, p.Blocks()[1])},
	} {
		e, err := p.Save(content, page.ModeReplace)
		checkEdit(t, p, e, err, "a\n\nb\n", "a\n\na\n\nb\n", "")
		if diff := cmp.Diff([]page.Change{{OldID: "", NewID: a + "_2", Type: "paragraph"}}, e.Changes); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// The one that is named by id is that block, though an equal text comes first.
	e, err := p.Save([]page.Content{text("b"), text("a"), given(p, p.Blocks()[1])}, page.ModeReplace)
	checkEdit(t, p, e, err, "a\n\nb\n", "b\n\na\n\nb\n", "")
	if diff := cmp.Diff([]page.Change{{OldID: "", NewID: b, Type: "paragraph"}, {OldID: b, NewID: b + "_2", Type: "paragraph"}}, e.Changes); diff != "" {
		t.Error(diff)
	}
}

// A long block comes in parts; one of them given back would cut it.
func TestSaveRefusesAPart(t *testing.T) {
	t.Parallel()
	src := strings.Repeat("words ", 500) + "end\n"
	p := page.Parse([]byte(src))
	w, err := p.Window("", 1000, page.FormBlocks)
	if err != nil || w.Pieces[0].Whole {
		t.Fatal(w, err)
	}
	piece := w.Pieces[0]
	e, err := p.Save([]page.Content{{ID: piece.Block.ID, Type: "paragraph", Text: &piece.Text, Part: true}}, page.ModeReplace)
	checkEdit(t, p, e, err, src, "", "part_of_block")
}

func TestSaveWarnsOfEmptyBlocks(t *testing.T) {
	t.Parallel()
	e, err := page.Parse(nil).Save([]page.Content{text("a"), text(""), {Type: "paragraph"}}, page.ModeReplace)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Warnings) != 2 || e.Warnings[0].Block != 1 || e.Warnings[1].Block != 2 || e.Warnings[0].Reason != "empty_block" || e.Warnings[0].Text.EN == "" {
		t.Errorf("warnings %+v", e.Warnings)
	}
	if diff := cmp.Diff([]page.Op{{Op: "replace", Blocks: 1}}, e.Ops); diff != "" {
		t.Error(diff)
	}
}

func TestSaveRefusalsTellTheBlock(t *testing.T) {
	t.Parallel()
	_, err := page.Parse(nil).Save([]page.Content{text("a"), typed("codeBlock", 0, "x")}, page.ModeReplace)
	e := tools.AsError(err)
	if e.Code != tools.CodeInvalidBlock || e.Details["block"] != 1 || !strings.Contains(e.In(tools.EN).Message, "content[1]") {
		t.Errorf("%v %v", err, e.Details)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"":                      "",
		" \n":                   "",
		"a":                     "a\n",
		"a\n\n\n":               "a\n",
		"\ufeffa\r\nb\r\nc\n":   "a\r\nb\r\nc\r\n",
		"---\nt: 1\n---\n\n# H": "---\nt: 1\n---\n\n# H\n",
		"    code\n":            "    code\n",
		"a\rb":                  "a\rb\r",
	} {
		if got := string(page.New(src)); got != want {
			t.Errorf("New(%q) = %q, want %q", src, got, want)
		}
	}
}
