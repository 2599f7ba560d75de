package page_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, src, want, language string }{
		{name: "heading", src: "## Plan ##", want: "Plan"},
		{name: "heading that ends in its own #", src: "# C#", want: "C#"},
		{name: "heading with a closing run", src: "# C # #", want: "C #"},
		{name: "empty heading", src: "##", want: ""},
		{name: "empty heading with a closing run", src: "## ##", want: ""},
		{name: "indented heading", src: "  # a  ", want: "a"},
		{name: "underlined heading", src: "  two\n lines\n---", want: "two\nlines"},
		{name: "paragraph", src: "  a\nb", want: "  a\nb"},
		{name: "fenced code", src: "```go run\na\n\n  b\n```", want: "a\n\n  b", language: "go"},
		{name: "code in tildes, backticks inside", src: "~~~ c++\n```\n~~~", want: "```", language: "c++"},
		{name: "empty code", src: "```\n```", want: ""},
		{name: "unclosed code", src: "```js\na\nb", want: "a\nb", language: "js"},
		{name: "indented fence", src: "  ```\n  a\n b\n   c\n  ```", want: "a\nb\n c"},
		{name: "fence inside longer fence", src: "````\n```\n````", want: "```"},
		{name: "indented code", src: "    a\n\n      b\n\tc", want: "a\n\n  b\nc"},
		{name: "quote", src: "> a\n>b\n>  c\nlazy\n> > d", want: "a\nb\n c\nlazy\n> d"},
		{name: "formula", src: "$$\nx\ny\n$$", want: "x\ny"},
		{name: "formula on one line", src: "$$ x $$", want: " x "},
		{name: "rule", src: "- - -", want: ""},
		{name: "table", src: "a|b\n-|-\n1|2", want: "a|b\n-|-\n1|2"},
		{name: "html", src: "<div>\nx", want: "<div>\nx"},
		{name: "footnote", src: "[^a]: x\n    y", want: "[^a]: x\n    y"},
		{name: "list", src: "1. a\n   - b\n2. c", want: "a\n  b\nc"},
		{name: "task list", src: "- [x] a\n- [ ] b", want: "a\nb"},
		{name: "frontmatter", src: "---\nt: 1\n# c\n---", want: "t: 1\n# c"},
		{name: "empty frontmatter", src: "---\n---", want: ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, d := range dresses {
				p := page.Parse([]byte(d.put(tc.src)))
				b := p.Blocks()[0]
				if got := p.Text(b); got != tc.want || b.Language != tc.language {
					t.Errorf("%+v: text %q, language %q; want %q, %q", d, got, b.Language, tc.want, tc.language)
				}
			}
		})
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte("words\n\n- [x] done\n  second line\n  - [ ] below\n    1. deep\n- > quoted\n  > more\n-\n- last\n\n  para\n\n      code\n\n  a|b\n  -|-\n  1|2\n"))
	type item struct {
		depth   int
		checked string
		text    string
		source  string
	}
	var got []item
	for _, it := range p.Blocks()[1].Items {
		checked := "none"
		if it.Checked != nil {
			checked = map[bool]string{true: "yes", false: "no"}[*it.Checked]
		}
		got = append(got, item{it.Depth, checked, it.Text, string(p.Bytes()[it.Start:it.End])})
	}
	want := []item{
		{0, "yes", "done\nsecond line", "- [x] done\n  second line\n  - [ ] below\n    1. deep"},
		{1, "no", "below", "- [ ] below\n    1. deep"},
		{2, "none", "deep", "1. deep"},
		{0, "none", "quoted\nmore", "- > quoted\n  > more"},
		{0, "none", "", "-"},
		{0, "none", "last\npara\ncode\na|b\n-|-\n1|2", "- last\n\n  para\n\n      code\n\n  a|b\n  -|-\n  1|2"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(item{})); diff != "" {
		t.Error(diff)
	}
	first := p.Blocks()[1].Items[0]
	it, list, err := p.Item(first.ID)
	if err != nil || it.Text != first.Text || list.ID != p.Blocks()[1].ID {
		t.Errorf("Item(%s) = %+v in %s, %v", first.ID, it, list.ID, err)
	}
	if _, _, err := p.Item("i_none"); refusedFor(err, "block_not_found") != nil {
		t.Errorf("an unknown item: %v", err)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, src string
		max       int
		want      string
	}{
		{"first paragraph behind the title", "---\nt: 1\n---\n# Title\n\nfirst  words\nmore\n\n## Part\n\n- a\n- b\n", 99, "first words more Part a b"},
		{"code, tables and HTML say nothing", "```\nx\n```\n\n<!-- x -->\n\na|b\n-|-\n\nwords", 99, "words"},
		{"cut at a character", "会议纪要很长", 4, "会议纪…"},
		{"emoji is not halved", "👩‍💻👩‍💻", 2, "👩…"},
		{"nothing", "", 9, ""},
		{"no room", "words", 0, ""},
		{"bytes that are no text", "a\xffb", 9, "ab"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := page.Parse([]byte(tc.src)).Summary(tc.max); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Asking a page must not change its bytes: goldmark would write behind a slice
// that it was given.
func TestAskingChangesNoByte(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"- a\n\n      code\r\nx\r\n", "- x\r\r      code\r- y\r", "    code\r\n", "1. a\n\n       b\r\n\r\nwords"} {
		buf := append([]byte(src), "\rbehind"...)
		p := page.Parse(buf[:len(src)])
		for _, b := range p.Blocks() {
			p.Text(b)
		}
		p.Outline(9)
		p.Summary(99)
		if string(buf) != src+"\rbehind" {
			t.Errorf("%q became %q", src+"\rbehind", buf)
		}
	}
}
