package page_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

// The cases that users of comparable tools reported, under their numbers.

// B01: a nested heading was not found, and the content went to the file's end
// below a heading that had been made up.
func TestB01(t *testing.T) {
	t.Parallel()
	const src = "# A\n\n## Tasks\na1\n\n# B\n\n## Tasks\nb1\n"
	p := page.Parse([]byte(src))
	_, err := p.Insert(page.Where{Under: "Tasks"}, "x")
	if code, reason := refusal(err); code != tools.CodeInvalidArgs || reason != "ambiguous_target" {
		t.Fatalf("Tasks: %v", err)
	}
	var paths []string
	for _, c := range tools.AsError(err).Details["candidates"].([]map[string]any) {
		paths = append(paths, c["path"].(string))
	}
	if diff := cmp.Diff([]string{"A/Tasks", "B/Tasks"}, paths); diff != "" {
		t.Error(diff)
	}
	if string(p.Bytes()) != src {
		t.Errorf("the page became %q", p.Bytes())
	}
	e, err := p.Insert(page.Where{Under: "B/Tasks", At: page.EdgeEnd}, "x")
	checkEdit(t, p, e, err, src, src+"\nx\n", "")
}

// B03: headings with emoji and inline HTML could not be addressed even when
// copied exactly.
func TestB03(t *testing.T) {
	t.Parallel()
	const html = `📝｜ <span style="color:#888">Notes:</span>`
	const src = "## " + html + "\n\na\n\n## 🗒️ List\n\nb\n\n## 👩‍💻 Work\n\nc\n"
	p := page.Parse([]byte(src))
	for _, tc := range []struct{ target, below string }{
		{html, "a"}, {"## " + html, "a"}, {"📝｜ Notes:", "a"}, {"📝｜Notes:", ""},
		{"🗒️ List", "b"}, {"🗒 List", "b"}, {"👩‍💻 Work", "c"}, {"👩💻 Work", ""},
	} {
		s, err := p.Under(tc.target)
		if tc.below == "" {
			if refusedFor(err, "target_not_found") != nil {
				t.Errorf("%q is another heading's text, yet it leads to %q", tc.target, s.Heading.Text)
			}
			continue
		}
		if err != nil || p.Source(p.Blocks()[s.First]) != tc.below {
			t.Errorf("%q: %v", tc.target, err)
			continue
		}
		byID, err := p.Under(p.Blocks()[s.Index].ID)
		if diff := cmp.Diff(s, byID); diff != "" || err != nil {
			t.Errorf("%q by id: %v %s", tc.target, err, diff)
		}
		if _, err := p.Replace(p.Blocks()[s.Index].ID, "## New"); err != nil {
			t.Errorf("%q cannot be edited by id: %v", tc.target, err)
		}
	}
}

// B04: an edit of invalid YAML wiped the whole block; another dropped list
// entries that were no strings.
func TestB04(t *testing.T) {
	t.Parallel()
	const broken = "---\na: \"open\nkeep: yes\n---\nBody\n"
	p := page.Parse([]byte(broken))
	e, err := p.SetTitle("new", "x.md")
	checkEdit(t, p, e, err, broken, "", "frontmatter_invalid")
	e, err = p.SetOptions(on(wide, true))
	checkEdit(t, p, e, err, broken, "", "frontmatter_invalid")
	if code, _ := refusal(err); code != tools.CodeInvalidBlock {
		t.Errorf("code %s", code)
	}
	e, err = p.Replace(p.Blocks()[1].ID, "other")
	checkEdit(t, p, e, err, broken, "---\na: \"open\nkeep: yes\n---\nother\n", "")

	const mixed = "---\n# first\nzeta: 1\ntags: [keep, 42, {m: p}] # tags\ntitle: old\n# last\nalpha: 0x10\n---\nBody\n"
	p = page.Parse([]byte(mixed))
	e, err = p.SetTitle("new", "x.md")
	checkEdit(t, p, e, err, mixed, strings.Replace(mixed, "old", "new", 1), "")
	e, err = p.SetOptions(on(wide, true))
	checkEdit(t, p, e, err, mixed, strings.Replace(mixed, "0x10\n", "0x10\nmnote:\n  wideLayout: true\n", 1), "")
}

// B06: "---" after a paragraph made a heading of it. Whatever is put where, the
// outline is the one before and the intended block.
func TestB06(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte("Total\n"))
	e, err := p.Save([]page.Content{text("---\nNext")}, page.ModeAppend)
	checkEdit(t, p, e, err, "Total\n", "Total\n\n---\nNext\n", "")
	if diff := cmp.Diff([]string{"paragraph: Total", "horizontalRule: ---", "paragraph: Next"}, outline(e.Page)); diff != "" {
		t.Error(diff)
	}

	ends := []string{"Total", "- a", "1. a", "* a\n  * b", "| a |\n|---|\n| b |", "> q", "```\nopen", "<div>", "<!-- open", "[^1]: f", "    code", "Set\n==="}
	given := []string{"---", "---\nNext", "- x", "1. x", "| a |", "text", "    code", "===", "> q", "    \tdeep", "[^1]: f", "```\nx", "</div>", "* * *"}
	for _, end := range ends {
		for _, content := range given {
			for _, edit := range []func(*page.Page) (*page.Edit, error){
				func(p *page.Page) (*page.Edit, error) {
					return p.Save([]page.Content{text(content)}, page.ModeAppend)
				},
				func(p *page.Page) (*page.Edit, error) {
					return p.Insert(page.Where{After: p.Blocks()[1].ID}, content)
				},
				func(p *page.Page) (*page.Edit, error) {
					return p.Insert(page.Where{Before: p.Blocks()[1].ID}, content)
				},
			} {
				checkIntended(t, "Head\n\n"+end+"\n", content, edit)
			}
		}
	}
}

// checkIntended: the blocks of the page in order, and the content's own blocks
// together somewhere among them; or a list beside it takes the content in.
func checkIntended(t *testing.T, src, content string, edit func(*page.Page) (*page.Edit, error)) {
	t.Helper()
	p := page.Parse([]byte(src))
	e, err := edit(p)
	if err != nil {
		if refusedFor(err, "would_change_blocks") != nil {
			t.Errorf("%q into %q: %v", content, src, err)
		}
		return
	}
	intended := outline(page.Parse([]byte("\n" + content)))
	before, after := outline(p), outline(e.Page)
	for i := 0; i+len(intended) <= len(after); i++ {
		if slices.Equal(after[i:i+len(intended)], intended) && slices.Equal(slices.Concat(after[:i], after[i+len(intended):]), before) {
			return
		}
	}
	if len(intended) == 1 && strings.Contains(intended[0], "List: ") && (insertKept(p, e, 1) == nil || insertKept(p, e, len(before)) == nil) {
		return // a list that grew by one of its kind
	}
	t.Errorf("%q into %q gave %q", content, src, after)
}

// B07: text of several lines comes in LF from JSON and the file is CRLF; the
// edit did not match, or the file was converted.
func TestB07(t *testing.T) {
	t.Parallel()
	const src = "\ufeff---\r\nt: 1\r\n---\r\n# H\r\nl1\r\nl2"
	const want = "\ufeff---\r\nt: 1\r\n---\r\n# H\r\nm1\r\nm2"
	p := page.Parse([]byte(src))
	e, err := p.Replace(at(t, p, "l1\nl2"), "m1\nm2")
	checkEdit(t, p, e, err, src, want, "")
	minus, plus := 0, 0
	for line := range strings.Lines(page.Diff(p, e.Page)) {
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		case line[0] == '-':
			minus++
		case line[0] == '+':
			plus++
		}
	}
	if minus != 2 || plus != 2 {
		t.Errorf("the diff touches %d and %d lines:\n%s", minus, plus, page.Diff(p, e.Page))
	}
	content := givenAll(p)
	content[2] = page.Content{ID: content[2].ID, Type: "paragraph", Text: ptr("m1\nm2")}
	e, err = p.Save(content, page.ModeReplace)
	checkEdit(t, p, e, err, src, want, "")
	e, err = p.Replace(at(t, p, "l1\nl2"), "m1\r\nm2\r\n")
	checkEdit(t, p, e, err, src, want, "")
}

// B11: one read of a note returned millions of characters.
func TestB11(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&rows, "| row %d | 单元格 |\n", i)
	}
	for _, tc := range []struct{ name, src string }{
		{"4 MB in one line", strings.Repeat("字", 1_400_000)},
		{"200,000 blocks", strings.Repeat("x\n\n", 200_000)},
		{"an image of 2 MB", "# H\n\n![i](data:image/png;base64," + strings.Repeat("QUJD", 500_000) + ")\n\nend\n"},
		{"a table of 30,000 rows", "| a | b |\n|---|---|\n" + rows.String()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			for _, form := range []page.Form{page.FormBlocks, page.FormBody} {
				first, err := p.Window("", 20_000, form)
				if err != nil || first.Next == "" || chars(first) > 20_000 || first.Bytes != len(tc.src) {
					t.Fatalf("%s: %d characters, cursor %q, %d bytes, %v", form, chars(first), first.Next, first.Bytes, err)
				}
				second, err := p.Window(first.Next, 20_000, form)
				if err != nil || chars(second) > 20_000 {
					t.Fatalf("%s, second: %d characters, %v", form, chars(second), err)
				}
				for _, s := range append(texts(first), texts(second)...) {
					if strings.ToValidUTF8(s, "") != s {
						t.Error("a character was cut")
					}
					if strings.HasPrefix(tc.name, "a table") && s != "" && !strings.HasSuffix(s, "|\n") {
						t.Errorf("a row was cut: %q", s[max(0, len(s)-40):])
					}
				}
			}
			if n := len([]rune(p.Summary(300))); n > 300 {
				t.Errorf("the summary has %d characters", n)
			}
			if _, total := p.Outline(100); total > 1 {
				t.Errorf("%d headings", total)
			}
		})
	}
	covered(t, page.Parse([]byte("| a | b |\n|---|---|\n"+rows.String())), readAll(t, page.Parse([]byte("| a | b |\n|---|---|\n"+rows.String())), 20_000, page.FormBlocks))
}

func texts(w page.Window) []string {
	if w.Body != "" {
		return []string{w.Body}
	}
	var out []string
	for _, p := range w.Pieces {
		out = append(out, p.Text)
	}
	return out
}
