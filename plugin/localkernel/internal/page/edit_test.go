package page_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

// at finds a block's id by its source.
func at(t *testing.T, p *page.Page, source string) string {
	t.Helper()
	for _, b := range p.Blocks() {
		if strings.ReplaceAll(p.Source(b), "\r\n", "\n") == source {
			return b.ID
		}
	}
	t.Fatalf("no block %q in %q", source, outline(p))
	return ""
}

func TestReplace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, src, block, content, want, reason string }{
		{name: "in the middle", src: "a\n\nb\n\nc\n", block: "b", content: "x\ny", want: "a\n\nx\ny\n\nc\n"},
		{name: "several blocks", src: "a\n\nb\n", block: "b", content: "# H\n\n- x\n", want: "a\n\n# H\n\n- x\n"},
		{name: "outer blank lines go", src: "a\n\nb", block: "b", content: "\n \n\nx\n\n", want: "a\n\nx"},
		{name: "indent of the first line stays", src: "a\n", block: "a", content: "\n    code\n", want: "    code\n"},
		{name: "CRLF page, LF content", src: "a\r\n\r\nb\r\n", block: "b", content: "x\ny", want: "a\r\n\r\nx\r\ny\r\n"},
		{name: "LF page, CRLF content", src: "a\n\nb\n", block: "b", content: "x\r\ny\r\n", want: "a\n\nx\ny\n"},
		{name: "tight before a heading", src: "# A\ntext\n# B\n", block: "text", content: "other", want: "# A\nother\n# B\n"},
		{name: "blank line after", src: "# A\ntext\nb\n", block: "# A", content: "para", want: "para\n\ntext\nb\n"},
		{name: "blank line before", src: "text\n# A\n", block: "# A", content: "para", want: "text\n\npara\n"},
		{name: "blank lines on both sides", src: "a\n# A\nb\n", block: "# A", content: "para", want: "a\n\npara\n\nb\n"},
		{name: "rule on the first line is no frontmatter", src: "a\n\n---\n", block: "a", content: "---\nt: 1\n---", want: "\n---\nt: 1\n---\n\n---\n"},
		{name: "unclosed fence in the middle", src: "a\n\nb\n", block: "a", content: "```\nx", reason: "would_change_blocks"},
		{name: "unclosed fence at the end", src: "a\n\nb\n", block: "b", content: "```\nx", want: "a\n\n```\nx\n"},
		{name: "unclosed comment", src: "a\n\nb\n", block: "a", content: "<!-- x", reason: "would_change_blocks"},
		{name: "list beside a list", src: "- a\n\n# H\n", block: "# H", content: "- x", reason: "would_change_blocks"},
		{name: "list beside a list of another mark", src: "- a\n\n# H\n", block: "# H", content: "* x", want: "- a\n\n* x\n"},
		{name: "code behind a list", src: "- a\n\n# H\n", block: "# H", content: "    code", reason: "would_change_blocks"},
		{name: "nothing", src: "a\n", block: "a", content: " \n", reason: "content_empty"},
		{name: "the frontmatter", src: "---\nt: 1\n---\na\n", block: "---\nt: 1\n---", content: "x", reason: "frontmatter_edit"},
		{name: "the same", src: "a\n\nb\n", block: "b", content: "b", want: "a\n\nb\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			e, err := p.Replace(at(t, p, tc.block), tc.content)
			checkEdit(t, p, e, err, tc.src, tc.want, tc.reason)
		})
	}
}

func checkEdit(t *testing.T, p *page.Page, e *page.Edit, err error, src, want, reason string) {
	t.Helper()
	if string(p.Bytes()) != src {
		t.Errorf("the page itself changed to %q", p.Bytes())
	}
	if reason != "" {
		if err == nil {
			t.Fatalf("made %q, want it refused for %s", e.Page.Bytes(), reason)
		}
		if err := refusedFor(err, reason); err != nil {
			t.Error(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(e.Page.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestInsert(t *testing.T) {
	t.Parallel()
	const sections = "# A\n\na1\n\n## S\n\ns1\n\n# B\n"
	for _, tc := range []struct {
		name, src     string
		after, before string
		where         page.Where
		content       string
		want, reason  string
	}{
		{name: "after", src: "a\n\nb\n", after: "a", content: "x", want: "a\n\nx\n\nb\n"},
		{name: "before", src: "a\n\nb\n", before: "b", content: "x", want: "a\n\nx\n\nb\n"},
		{name: "before the first", src: "\n\na\n", before: "a", content: "x", want: "\n\nx\n\na\n"},
		{name: "after the last, no final newline", src: "a", after: "a", content: "x", want: "a\n\nx"},
		{name: "between tight blocks", src: "# H\ntext\n", after: "# H", content: "x", want: "# H\n\nx\n\ntext\n"},
		{name: "a wide gap stays", src: "a\n\n\n\nb\n", after: "a", content: "x", want: "a\n\nx\n\n\n\nb\n"},
		{name: "start of a page with frontmatter", src: "---\nt: 1\n---\na\n", where: page.Where{At: page.EdgeStart}, content: "x", want: "---\nt: 1\n---\n\nx\n\na\n"},
		{name: "end of a page", src: "a\n", content: "x", want: "a\n\nx\n"},
		{name: "end of a page with blank lines", src: "a\n\n\n", content: "x", want: "a\n\nx\n\n\n"},
		{name: "an empty page", src: "", content: "x", want: "x\n"},
		{name: "a page of blank lines", src: "\n\n", content: "x", want: "x\n\n"},
		{name: "a page of blanks", src: "  ", content: "x", want: "x\n  "},
		{name: "a page of a BOM", src: "\ufeff", content: "x", want: "\ufeffx\n"},
		{name: "a page of frontmatter", src: "---\nt: 1\n---\n", content: "x", want: "---\nt: 1\n---\n\nx\n"},
		{name: "a page of frontmatter, no newline", src: "---\nt: 1\n---", content: "x", want: "---\nt: 1\n---\n\nx"},
		{name: "rule at the top of an empty page", src: "", content: "---\n\nx\n\n---", want: "\n---\n\nx\n\n---\n"},
		{name: "end of a section, sections below included", src: sections, where: page.Where{Under: "A"}, content: "x", want: "# A\n\na1\n\n## S\n\ns1\n\nx\n\n# B\n"},
		{name: "start of a section", src: sections, where: page.Where{Under: "A", At: page.EdgeStart}, content: "x", want: "# A\n\nx\n\na1\n\n## S\n\ns1\n\n# B\n"},
		{name: "an empty section at the end", src: sections, where: page.Where{Under: "B"}, content: "x", want: "# A\n\na1\n\n## S\n\ns1\n\n# B\n\nx\n"},
		{name: "CRLF", src: "a\r\n\r\nb", after: "a", content: "x\ny", want: "a\r\n\r\nx\r\ny\r\n\r\nb"},
		{name: "list beside a list", src: "- a\n", content: "- x", want: "- a\n- x\n"},
		{name: "behind an unclosed fence", src: "```\na\n", content: "x", reason: "would_change_blocks"},
		{name: "unclosed fence before a block", src: "a\n", before: "a", content: "```", reason: "would_change_blocks"},
		{name: "nothing", src: "a\n", content: "\n", reason: "content_empty"},
		{name: "before the frontmatter", src: "---\n---\na\n", before: "---\n---", content: "x", reason: "place_invalid"},
		{name: "after the frontmatter", src: "---\n---\na\n", after: "---\n---", content: "x", want: "---\n---\n\nx\n\na\n"},
		{name: "two places", src: "a\n", after: "a", before: "a", content: "x", reason: "place_invalid"},
		{name: "an end of a block", src: "a\n", after: "a", where: page.Where{At: page.EdgeEnd}, content: "x", reason: "place_invalid"},
		{name: "no such end", src: "a\n", where: page.Where{At: "middle"}, content: "x", reason: "place_invalid"},
		{name: "no such heading", src: "# A\n", where: page.Where{Under: "Z"}, content: "x", reason: "target_not_found"},
		{name: "UTF-16", src: "\xff\xfea\x00", content: "x", reason: "unsupported_format"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			if tc.after != "" {
				tc.where.After = at(t, p, tc.after)
			}
			if tc.before != "" {
				tc.where.Before = at(t, p, tc.before)
			}
			e, err := p.Insert(tc.where, tc.content)
			checkEdit(t, p, e, err, tc.src, tc.want, tc.reason)
		})
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, src, block, want, reason string }{
		{name: "in the middle", src: "a\n\nb\n\nc\n", block: "b", want: "a\n\nc\n"},
		{name: "the first", src: "\na\n\n\nb\n", block: "a", want: "\nb\n"},
		{name: "the last", src: "a\n\n\nb\n", block: "b", want: "a\n"},
		{name: "the last, no final newline", src: "a\n\nb", block: "b", want: "a"},
		{name: "the last, blank lines behind", src: "a\n\nb\n\n\n", block: "b", want: "a\n\n\n"},
		{name: "the only one", src: "a\n", block: "a", want: ""},
		{name: "the only one behind a BOM", src: "\ufeff\na\r\n", block: "a", want: "\ufeff\n"},
		{name: "the only one behind a frontmatter", src: "---\nt: 1\n---\n\na\n", block: "a", want: "---\nt: 1\n---\n"},
		{name: "the wider gap stays", src: "a\n# H\n\nb\n", block: "# H", want: "a\n\nb\n"},
		{name: "the wider gap stays where the other would do", src: "# A\n# B\n\nb\n", block: "# B", want: "# A\n\nb\n"},
		{name: "the wider gap stays, before", src: "# A\n\n\n# B\nb\n", block: "# B", want: "# A\n\n\nb\n"},
		{name: "tight on both sides", src: "a\n# H\nb\n", block: "# H", want: "a\n\nb\n"},
		{name: "between headings", src: "# A\n# B\n# C\n", block: "# B", want: "# A\n# C\n"},
		{name: "what keeps two lists apart", src: "- a\n\n# H\n\n- b\n", block: "# H", reason: "would_change_blocks"},
		{name: "what keeps code from a list", src: "- a\n\n<!-- -->\n\n    code\n", block: "<!-- -->", reason: "would_change_blocks"},
		{name: "what keeps a rule from the top", src: "a\n\n---\n\nb\n\n---\n", block: "a", want: "\n---\n\nb\n\n---\n"},
		{name: "the frontmatter", src: "---\n---\na\n", block: "---\n---", reason: "frontmatter_edit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			e, err := p.Delete(at(t, p, tc.block))
			checkEdit(t, p, e, err, tc.src, tc.want, tc.reason)
		})
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, src, block, after, before, want, reason string }{
		{name: "down", src: "a\n\nb\n\nc\n", block: "a", after: "b", want: "b\n\na\n\nc\n"},
		{name: "to the end", src: "a\n\nb\n\nc", block: "a", after: "c", want: "b\n\nc\n\na"},
		{name: "up", src: "a\n\nb\n\nc\n", block: "c", before: "b", want: "a\n\nc\n\nb\n"},
		{name: "to the top", src: "\n\na\n\nb\n", block: "b", before: "a", want: "\n\nb\n\na\n"},
		{name: "tight blocks come apart", src: "# A\na\n# B\nb\n", block: "a", after: "# B", want: "# A\n# B\n\na\n\nb\n"},
		{name: "where it is, after", src: "a\n\nb\n", block: "b", after: "a", want: "a\n\nb\n"},
		{name: "where it is, before", src: "a\n\nb\n", block: "a", before: "b", want: "a\n\nb\n"},
		{name: "after itself", src: "a\n\nb\n", block: "a", after: "a", want: "a\n\nb\n"},
		{name: "its own line ends go with it", src: "x\ry\n\nb\n\nc\n", block: "x\ry", after: "c", want: "b\n\nc\n\nx\ry\n"},
		{name: "an unclosed fence up", src: "a\n\n```\nx", block: "```\nx", before: "a", reason: "would_change_blocks"},
		{name: "a list beside a list", src: "- a\n\nb\n\n- c\n", block: "- c", after: "- a", reason: "would_change_blocks"},
		{name: "what keeps two lists apart", src: "- a\n\nb\n\n- c\n\nd\n", block: "b", after: "d", reason: "would_change_blocks"},
		{name: "a rule to the top", src: "a\n\n---\n\nb\n\n---\n", block: "---", before: "a", want: "\n---\n\na\n\nb\n\n---\n"},
		{name: "the frontmatter", src: "---\n---\na\n", block: "---\n---", after: "a", reason: "frontmatter_edit"},
		{name: "before the frontmatter", src: "---\n---\na\n", block: "a", before: "---\n---", reason: "place_invalid"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			var where page.Where
			if tc.after != "" {
				where.After = at(t, p, tc.after)
			} else {
				where.Before = at(t, p, tc.before)
			}
			e, err := p.Move(at(t, p, tc.block), where)
			checkEdit(t, p, e, err, tc.src, tc.want, tc.reason)
		})
	}
}

func TestUnknownAndReadOnlyIDs(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte("a\n\n- x\n- y\n"))
	list := p.Blocks()[1]
	for name, edit := range map[string]func(id string) error{
		"replace": func(id string) error { _, err := p.Replace(id, "z"); return err },
		"delete":  func(id string) error { _, err := p.Delete(id); return err },
		"move":    func(id string) error { _, err := p.Move(id, page.Where{}); return err },
		"to":      func(id string) error { _, err := p.Move(p.Blocks()[0].ID, page.Where{After: id}); return err },
		"insert":  func(id string) error { _, err := p.Insert(page.Where{Before: id}, "z"); return err },
		"block":   func(id string) error { _, err := p.Block(id); return err },
	} {
		err := edit("b_gone")
		if code, reason := refusal(err); code != tools.CodeConflict || reason != "block_not_found" {
			t.Errorf("%s of an unknown id: %v", name, err)
		}
		details := tools.AsError(err).Details["blocks"].([]map[string]any)
		if len(details) != 2 || details[0]["id"] != p.Blocks()[0].ID || details[1]["type"] != "bulletList" {
			t.Errorf("%s names the blocks %v", name, details)
		}
		err = edit(list.Items[1].ID)
		if code, reason := refusal(err); code != tools.CodeInvalidArgs || reason != "read_only_item" || tools.AsError(err).Details["blockId"] != list.ID {
			t.Errorf("%s of an item: %v", name, err)
		}
	}
}

func TestChangesAndOps(t *testing.T) {
	t.Parallel()
	const src = "a\n\n---\n\nb\n\n---\n\nc\n\n---\n"
	id := func(i int) string { return page.Parse([]byte(src)).Blocks()[i].ID }
	fresh := func(s string) string { return page.Parse([]byte(s)).Blocks()[0].ID }
	p := page.Parse([]byte(src))
	for _, tc := range []struct {
		name string
		edit func() (*page.Edit, error)
		want []page.Change
		ops  []page.Op
	}{
		{"replace", func() (*page.Edit, error) { return p.Replace(id(2), "x\n\ny") },
			[]page.Change{{id(2), fresh("x"), "paragraph"}, {"", fresh("y"), "paragraph"}}, []page.Op{{"replace", 2}}},
		{"insert", func() (*page.Edit, error) { return p.Insert(page.Where{After: id(0)}, "# x") },
			[]page.Change{{"", fresh("# x"), "heading"}}, []page.Op{{"insert", 1}}},
		{"delete renumbers equal blocks", func() (*page.Edit, error) { return p.Delete(id(1)) },
			[]page.Change{{id(1), "", "horizontalRule"}, {id(3), id(1), "horizontalRule"}, {id(5), id(3), "horizontalRule"}}, []page.Op{{"delete", 1}}},
		{"move", func() (*page.Edit, error) { return p.Move(id(0), page.Where{After: id(2)}) },
			[]page.Change{{id(0), id(0), "paragraph"}}, []page.Op{{"move", 1}}},
		{"move past an equal one", func() (*page.Edit, error) { return p.Move(id(1), page.Where{After: id(4)}) },
			[]page.Change{{id(1), id(3), "horizontalRule"}, {id(3), id(1), "horizontalRule"}}, []page.Op{{"move", 1}}},
		{"move nowhere", func() (*page.Edit, error) { return p.Move(id(0), page.Where{Before: id(1)}) }, nil, []page.Op{{"move", 0}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, err := tc.edit()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, e.Changes); diff != "" {
				t.Errorf("changes: %s", diff)
			}
			if diff := cmp.Diff(tc.ops, e.Ops); diff != "" {
				t.Errorf("ops: %s", diff)
			}
		})
	}
}

func TestChangesBetweenAnyTwoPages(t *testing.T) {
	t.Parallel()
	id := func(s string) string { return page.Parse([]byte(s)).Blocks()[0].ID }
	for _, tc := range []struct {
		name, old, new string
		want           []page.Change
	}{
		{"equal", "a\n\nb", "a\r\n\r\nb\r\n", nil},
		{"altered", "a\n\nb\n\nc", "a\n\nx\n\nc", []page.Change{{id("b"), id("x"), "paragraph"}}},
		{"one gone, one new elsewhere", "a\n\nb\n\nc", "b\n\nc\n\nx", []page.Change{{id("a"), "", "paragraph"}, {"", id("x"), "paragraph"}}},
		{"swapped", "a\n\nb", "b\n\na", nil},
		{"from nothing", "", "a", []page.Change{{"", id("a"), "paragraph"}}},
		{"to nothing", "a", "", []page.Change{{id("a"), "", "paragraph"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := page.Changes(page.Parse([]byte(tc.old)), page.Parse([]byte(tc.new)))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
