package page_test

import (
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, src, want string
		place           page.Place
	}{
		{"frontmatter", "---\ntitle: 计划 # 注\n---\n# H\n", "计划", page.PlaceFrontmatter},
		{"quoted, CRLF, BOM", "\ufeff---\r\n\"title\": 'it''s'\r\n---\r\n", "it's", page.PlaceFrontmatter},
		{"over several lines", "---\ntitle: >\n  a\n  b\n---\n", "a b", page.PlaceFrontmatter},
		{"a number", "---\ntitle: 2024\n---\n", "2024", page.PlaceFrontmatter},
		{"an alias", "---\na: &x T\ntitle: *x\n---\n", "T", page.PlaceFrontmatter},
		{"TOML", "+++\ntitle = \"T\"\n+++\n# H\n", "T", page.PlaceFrontmatter},
		{"empty in the frontmatter", "---\ntitle:\n---\n# H\n", "H", page.PlaceHeading},
		{"blank in the frontmatter", "---\ntitle: \" \"\n---\n# H\n", "H", page.PlaceHeading},
		{"a list in the frontmatter", "---\ntitle: [a]\n---\n# H\n", "H", page.PlaceHeading},
		{"a number in TOML", "+++\ntitle = 1\n+++\n# H\n", "H", page.PlaceHeading},
		{"invalid YAML", "---\ntitle: \"open\n---\n# H\n", "H", page.PlaceHeading},
		{"title twice", "---\ntitle: a\ntitle: b\n---\n# H\n", "H", page.PlaceHeading},
		{"a list as frontmatter", "---\n- title\n---\n# H\n", "H", page.PlaceHeading},
		{"first of level 1", "## two\n\n# one\n\n# other\n", "one", page.PlaceHeading},
		{"underlined, two lines", "a\nb\n===\n", "a b", page.PlaceHeading},
		{"an empty heading is none", "#\n\n# one\n", "one", page.PlaceHeading},
		{"in code is none", "```\n# no\n```\n", "季度.v2", page.PlaceFileName},
		{"nothing", "", "季度.v2", page.PlaceFileName},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, place := page.Parse([]byte(tc.src)).Title("财务/季度.v2.md")
			if got != tc.want || place != tc.place {
				t.Errorf("got %q from %s, want %q from %s", got, place, tc.want, tc.place)
			}
		})
	}
	for name, want := range map[string]string{"a.md": "a", `b\a.md`: "a", ".hidden": ".hidden", "a": "a", "": "", "x/": ""} {
		if got, _ := page.Parse(nil).Title(name); got != want {
			t.Errorf("title of file %q is %q, want %q", name, got, want)
		}
	}
}

func TestSetTitle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, src, title, want, reason string }{
		{name: "plain stays plain, comment stays", src: "---\n# top\ntitle: old # c\ntags: [a]\n---\nx\n", title: "新标题", want: "---\n# top\ntitle: 新标题 # c\ntags: [a]\n---\nx\n"},
		{name: "plain to quoted where it must", src: "---\ntitle: old # c\n---\n", title: "a: b", want: "---\ntitle: \"a: b\" # c\n---\n"},
		{name: "a word that is no string", src: "---\ntitle: old\n---\n", title: "true", want: "---\ntitle: \"true\"\n---\n"},
		{name: "a word that was a boolean once", src: "---\ntitle: old\n---\n", title: "No", want: "---\ntitle: \"No\"\n---\n"},
		{name: "a number", src: "---\ntitle: old\n---\n", title: "2024", want: "---\ntitle: \"2024\"\n---\n"},
		{name: "a date", src: "---\ntitle: old\n---\n", title: "2024-01-02", want: "---\ntitle: \"2024-01-02\"\n---\n"},
		{name: "single quotes stay", src: "---\ntitle: 'it''s'  # c\n---\n", title: "that's", want: "---\ntitle: 'that''s'  # c\n---\n"},
		{name: "double quotes stay", src: "---\ntitle:   \"a \\\" b\"\n---\n", title: "c \\ \"d\"", want: "---\ntitle:   \"c \\\\ \\\"d\\\"\"\n---\n"},
		{name: "CRLF, BOM, multibyte, comments before", src: "\ufeff---\r\n# 注释 😀\r\n标签: 中文 # 尾\r\ntitle: 旧 # 标题\r\n---\r\nx", title: "新", want: "\ufeff---\r\n# 注释 😀\r\n标签: 中文 # 尾\r\ntitle: 新 # 标题\r\n---\r\nx"},
		{name: "folded value", src: "---\na: 1\ntitle: >-\n  old\n\n  text\nb: 2\n---\n", title: "new", want: "---\na: 1\ntitle: new\nb: 2\n---\n"},
		{name: "plain over two lines", src: "---\ntitle: old\n  text\n# c\nb: 2\n---\n", title: "new", want: "---\ntitle: new\n# c\nb: 2\n---\n"},
		{name: "quoted over two lines", src: "---\ntitle: \"old\n  text\" # c\n---\n", title: "new", want: "---\ntitle: \"new\" # c\n---\n"},
		{name: "empty value", src: "---\ntitle:   # c\nb: 2\n---\n", title: "new", want: "---\ntitle: new   # c\nb: 2\n---\n"},
		{name: "null", src: "---\ntitle: ~\n---\n", title: "new", want: "---\ntitle: new\n---\n"},
		{name: "quoted key", src: "---\n'title':\n---\n", title: "new", want: "---\n'title': new\n---\n"},
		{name: "a number as title", src: "---\ntitle: 2024\n---\n", title: "new", want: "---\ntitle: new\n---\n"},
		{name: "indented root", src: "---\n  a: 1\n---\n", title: "new", want: "---\n  title: new\n  a: 1\n---\n"},
		{name: "flow root", src: "---\n{a: 1}\n---\n", title: "new", want: "---\n{title: new, a: 1}\n---\n"},
		{name: "flow root with title", src: "---\n{title: old, a: 1}\n---\n", title: "new, x", want: "---\n{title: \"new, x\", a: 1}\n---\n"},
		{name: "empty frontmatter", src: "---\n---\nx\n", title: "new", want: "---\ntitle: new\n---\nx\n"},
		{name: "frontmatter of comments", src: "---\n# c\n---\nx\n", title: "new", want: "---\ntitle: new\n# c\n---\nx\n"},
		{name: "other keys keep their place", src: "---\n# c\na: 1\n---\nx\n", title: "new", want: "---\ntitle: new\n# c\na: 1\n---\nx\n"},
		{name: "a list under title", src: "---\ntitle: [a]\n---\nx\n", title: "new", reason: "frontmatter_unsupported"},
		{name: "an alias", src: "---\na: &x T\ntitle: *x\n---\n", title: "new", reason: "frontmatter_unsupported"},
		{name: "an anchor that others need", src: "---\ntitle: &x T\na: *x\n---\n", title: "new", reason: "frontmatter_unsupported"},
		{name: "invalid YAML", src: "---\na: \"open\nkeep: yes\n---\nx\n", title: "new", reason: "frontmatter_invalid"},
		{name: "invalid YAML, heading below", src: "---\na: \"open\n---\n# H\n", title: "new", reason: "frontmatter_invalid"},
		{name: "a key twice", src: "---\na: 1\na: 2\n---\n", title: "new", reason: "frontmatter_invalid"},
		{name: "a list as frontmatter", src: "---\n- a\n---\n", title: "new", reason: "frontmatter_invalid"},
		{name: "bytes that are no text", src: "---\na: \xff\n---\n", title: "new", reason: "encoding"},
		{name: "no frontmatter, no heading", src: "x\n", title: "new", want: "---\ntitle: new\n---\n\nx\n"},
		{name: "the same with BOM and CRLF", src: "\ufeffx\r\ny", title: "new", want: "\ufeff---\r\ntitle: new\r\n---\r\n\r\nx\r\ny"},
		{name: "blank lines at the top", src: "\nx\n", title: "new", want: "---\ntitle: new\n---\n\nx\n"},
		{name: "an empty page", src: "", title: "new", want: "---\ntitle: new\n---\n"},
		{name: "a rule at the top", src: "---\nx\n", title: "new", want: "---\ntitle: new\n---\n\n---\nx\n"},
		{name: "heading", src: "a\n\n#  Old  ##\n\nb\n", title: "New", want: "a\n\n#  New  ##\n\nb\n"},
		{name: "heading, frontmatter without title", src: "---\na: 1\n---\n# Old\n", title: "New", want: "---\na: 1\n---\n# New\n"},
		{name: "underlined heading", src: "Old\n=====\r\nb\r\n", title: "New", want: "New\r\n=====\r\nb\r\n"},
		{name: "underlined heading that cannot carry it", src: "Old\n===\n", title: "- x", want: "# - x\n"},
		{name: "a title that ends in #", src: "# Old\n", title: "C #", want: "# C # #\n"},
		{name: "a title that is a number sign", src: "# Old\n", title: "#", want: "# # #\n"},
		{name: "a title of markup", src: "# Old\n", title: "**B** [x](y)", want: "# **B** [x](y)\n"},
		{name: "the same title", src: "# Old\n", title: "Old", want: "# Old\n"},
		{name: "the file's own name", src: "x\n", title: "file", want: "x\n"},
		{name: "TOML basic string", src: "+++\ntitle = \"old\" # c\n+++\n", title: "a \"b\"", want: "+++\ntitle = \"a \\\"b\\\"\" # c\n+++\n"},
		{name: "TOML literal string", src: "+++\r\n标 = 1\r\n", title: "new", want: "---\r\ntitle: new\r\n---\r\n\r\n+++\r\n标 = 1\r\n"},
		{name: "TOML CRLF", src: "+++\r\n\"标\" = '中'\r\ntitle = 'old' # c\r\n[t]\r\n+++\r\n", title: "新", want: "+++\r\n\"标\" = '中'\r\ntitle = '新' # c\r\n[t]\r\n+++\r\n"},
		{name: "TOML without title", src: "+++\n# c\n[t]\na = 1\n+++\n", title: "new", want: "+++\ntitle = \"new\"\n# c\n[t]\na = 1\n+++\n"},
		{name: "TOML long string", src: "+++\ntitle = \"\"\"\nold\"\"\"\n+++\n", title: "new", want: "+++\ntitle = \"new\"\n+++\n"},
		{name: "TOML number as title", src: "+++\ntitle = 1\n+++\n", title: "new", reason: "frontmatter_unsupported"},
		{name: "invalid TOML", src: "+++\ntitle = \n+++\n", title: "new", reason: "frontmatter_invalid"},
		{name: "blank", src: "# Old\n", title: " ", reason: "title_invalid"},
		{name: "two lines", src: "# Old\n", title: "a\nb", reason: "title_invalid"},
		{name: "control character", src: "# Old\n", title: "a\x00b", reason: "control_character"},
		{name: "as long as it may be", src: "# Old\n", title: strings.Repeat("长", page.MaxTitle), want: "# " + strings.Repeat("长", page.MaxTitle) + "\n"},
		{name: "too long", src: "# Old\n", title: strings.Repeat("长", page.MaxTitle+1), reason: "title_too_long"},
		{name: "line separator", src: "---\ntitle: 'old'\n---\n", title: "a\u2028b", reason: "title_invalid"},
		{name: "no text", src: "# Old\n", title: "a\xffb", reason: "title_invalid"},
		{name: "UTF-16", src: "\xff\xfea\x00", title: "new", reason: "unsupported_format"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			e, err := p.SetTitle(tc.title, "dir/file.md")
			checkEdit(t, p, e, err, tc.src, tc.want, tc.reason)
			if err == nil {
				if got, _ := e.Page.Title("dir/file.md"); got != tc.title {
					t.Errorf("the title is %q after that", got)
				}
			}
		})
	}
}

func TestSetTitleChanges(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte("---\ntitle: a\n---\n# H\n"))
	e, err := p.SetTitle("b", "x.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Changes) != 1 || e.Changes[0].OldID != p.Blocks()[0].ID || e.Changes[0].Type != "frontmatter" || e.Ops[0] != (page.Op{Op: "update_title", Blocks: 1}) {
		t.Errorf("changes %v ops %v", e.Changes, e.Ops)
	}
}

func on(set func(*page.OptionsPatch, *bool), v bool) page.OptionsPatch {
	var p page.OptionsPatch
	set(&p, &v)
	return p
}

func wide(p *page.OptionsPatch, v *bool)    { p.WideLayout = v }
func small(p *page.OptionsPatch, v *bool)   { p.SmallText = v }
func toc(p *page.OptionsPatch, v *bool)     { p.ShowToc = v }
func protect(p *page.OptionsPatch, v *bool) { p.ProtectEditing = v }

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, src string
		want      page.Options
		reason    string
	}{
		{name: "none", src: "x\n"},
		{name: "no mnote", src: "---\na: 1\n---\n"},
		{name: "empty mnote", src: "---\nmnote:\n---\n"},
		{name: "all", src: "---\nmnote:\n  wideLayout: true\n  smallText: TRUE\n  showToc: yes\n  protectEditing: on\n---\n", want: page.Options{WideLayout: true, SmallText: true, ShowToc: true, ProtectEditing: true}},
		{name: "flow, others beside", src: "---\nmnote: {x: [1], showToc: true, smallText: false, wideLayout: }\n---\n", want: page.Options{ShowToc: true}},
		{name: "alias and merge", src: "---\nd: &d {wideLayout: true, smallText: true}\nmnote:\n  <<: *d\n  smallText: false\n---\n", want: page.Options{WideLayout: true}},
		{name: "TOML table", src: "+++\n[mnote]\nshowToc = true\n+++\n", want: page.Options{ShowToc: true}},
		{name: "TOML dotted", src: "+++\nmnote.showToc = true\nmnote.x = 1\n+++\n", want: page.Options{ShowToc: true}},
		{name: "not a boolean", src: "---\nmnote:\n  wideLayout: maybe\n---\n", reason: "frontmatter_type"},
		{name: "not a mapping", src: "---\nmnote: [a]\n---\n", reason: "frontmatter_type"},
		{name: "twice", src: "---\nmnote:\n  showToc: true\n  showToc: false\n---\n", reason: "frontmatter_invalid"},
		{name: "TOML not a boolean", src: "+++\nmnote.showToc = 1\n+++\n", reason: "frontmatter_type"},
		{name: "TOML not a table", src: "+++\nmnote = 1\n+++\n", reason: "frontmatter_type"},
		{name: "invalid elsewhere, protected", src: "---\na: \"open\nmnote:\n  protectEditing: true\n---\n", want: page.Options{ProtectEditing: true}, reason: "frontmatter_invalid"},
		{name: "invalid elsewhere, protected in flow", src: "---\na: \"open\nmnote: {'protectEditing': yes}\n---\n", want: page.Options{ProtectEditing: true}, reason: "frontmatter_invalid"},
		{name: "invalid elsewhere, not protected", src: "---\na: \"open\nmnote:\n  protectEditing: false\n---\n", reason: "frontmatter_invalid"},
		{name: "invalid TOML, protected", src: "+++\na = \nmnote.protectEditing = true\n+++\n", want: page.Options{ProtectEditing: true}, reason: "frontmatter_invalid"},
		{name: "protected by a word that is none", src: "---\nmnote:\n  protectEditing: sure\n---\n", want: page.Options{ProtectEditing: true}, reason: "frontmatter_type"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := page.Parse([]byte(tc.src)).Options()
			if got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			if tc.reason == "" && err != nil {
				t.Error(err)
			}
			if tc.reason != "" {
				if code, reason := refusal(err); code != tools.CodeInvalidBlock || reason != tc.reason {
					t.Errorf("refused with %s %q, want %q", code, reason, tc.reason)
				}
			}
		})
	}
}

func TestSetOptions(t *testing.T) {
	t.Parallel()
	both := on(wide, true)
	small(&both, ptr(true))
	for _, tc := range []struct {
		name, src    string
		patch        page.OptionsPatch
		want, reason string
	}{
		{name: "no frontmatter", src: "x\n", patch: on(wide, true), want: "---\nmnote:\n  wideLayout: true\n---\n\nx\n"},
		{name: "two at once", src: "x\n", patch: both, want: "---\nmnote:\n  smallText: true\n  wideLayout: true\n---\n\nx\n"},
		{name: "false is what an absent one is", src: "x\n", patch: on(wide, false), want: "x\n"},
		{name: "nothing named", src: "x\n", want: "x\n"},
		{name: "added behind the other keys", src: "---\r\n# 注\r\na: 1 # c\r\n---\r\nx", patch: on(toc, true), want: "---\r\n# 注\r\na: 1 # c\r\nmnote:\r\n  showToc: true\r\n---\r\nx"},
		{name: "in the file's own indent", src: "---\na:\n    b: 1\n---\n", patch: on(toc, true), want: "---\na:\n    b: 1\nmnote:\n    showToc: true\n---\n"},
		{name: "value replaced, its comment stays", src: "---\nmnote:\n  # why\n  wideLayout:   false   # x\n  other: [1]\n---\n", patch: on(wide, true), want: "---\nmnote:\n  # why\n  wideLayout:   true   # x\n  other: [1]\n---\n"},
		{name: "key added, comments stay with theirs", src: "---\nmnote: # m\n   # why\n   wideLayout: true\nz: 1\n---\n", patch: on(toc, true), want: "---\nmnote: # m\n   showToc: true\n   # why\n   wideLayout: true\nz: 1\n---\n"},
		{name: "cleared", src: "---\nmnote:\n  protectEditing: yes\n---\n", patch: on(protect, false), want: "---\nmnote:\n  protectEditing: false\n---\n"},
		{name: "flow mapping", src: "---\nmnote: {wideLayout: true}  # c\n---\n", patch: on(small, true), want: "---\nmnote: {smallText: true, wideLayout: true}  # c\n---\n"},
		{name: "flow mapping, value", src: "---\nmnote: {\"wideLayout\": false, a: b}\n---\n", patch: on(wide, true), want: "---\nmnote: {\"wideLayout\": true, a: b}\n---\n"},
		{name: "empty flow mapping", src: "---\nmnote: {}\n---\n", patch: on(small, true), want: "---\nmnote: {smallText: true}\n---\n"},
		{name: "empty mnote", src: "---\nmnote: # c\nz: 1\n---\n", patch: on(small, true), want: "---\nmnote: # c\n  smallText: true\nz: 1\n---\n"},
		{name: "null mnote", src: "---\nmnote: ~\n---\n", patch: on(small, true), want: "---\nmnote: {smallText: true}\n---\n"},
		{name: "empty option", src: "---\nmnote:\n  wideLayout: # c\n---\n", patch: on(wide, true), want: "---\nmnote:\n  wideLayout: true # c\n---\n"},
		{name: "flow root", src: "---\n{a: 1}\n---\n", patch: on(wide, true), want: "---\n{mnote: {wideLayout: true}, a: 1}\n---\n"},
		{name: "indented root", src: "---\n  a: 1\n---\n", patch: on(wide, true), want: "---\n  a: 1\n  mnote:\n    wideLayout: true\n---\n"},
		{name: "merged value gets its own", src: "---\nd: &d {wideLayout: true}\nmnote:\n  <<: *d\n---\n", patch: on(wide, false), want: "---\nd: &d {wideLayout: true}\nmnote:\n  wideLayout: false\n  <<: *d\n---\n"},
		{name: "block scalar last", src: "---\na: |+\n  x\n\n---\n", patch: on(wide, true), want: "---\na: |+\n  x\n\nmnote:\n  wideLayout: true\n---\n"},
		{name: "line ends only YAML knows", src: "---\na: \"x\u2028y\u0085z\"\nmnote:\n  wideLayout: false\n---\n", patch: on(wide, true), want: "---\na: \"x\u2028y\u0085z\"\nmnote:\n  wideLayout: true\n---\n"},
		{name: "an alias for mnote", src: "---\nd: &d {wideLayout: true}\nmnote: *d\n---\n", patch: on(small, true), reason: "frontmatter_unsupported"},
		{name: "invalid YAML", src: "---\na: \"open\nkeep: yes\n---\nBody\n", patch: on(wide, true), reason: "frontmatter_invalid"},
		{name: "tab indent", src: "---\nmnote:\n\twideLayout: true\n---\n", patch: on(small, true), reason: "frontmatter_invalid"},
		{name: "longer than we read", src: "---\na: " + strings.Repeat("x", 300_000) + "\n---\n", patch: on(wide, true), reason: "frontmatter_invalid"},
		{name: "more TOML than we read", src: "+++\n" + strings.Repeat("# c\n", 20_000) + "+++\n", patch: on(wide, true), reason: "frontmatter_invalid"},
		{name: "TOML none", src: "+++\r\na = 1 # c\r\n+++\r\n", patch: on(wide, true), want: "+++\r\na = 1 # c\r\n[mnote]\r\nwideLayout = true\r\n+++\r\n"},
		{name: "TOML table", src: "+++\n[mnote] # m\nshowToc = false # t\n[z]\n+++\n", patch: on(toc, true), want: "+++\n[mnote] # m\nshowToc = true # t\n[z]\n+++\n"},
		{name: "TOML table, new key", src: "+++\n[ mnote ] # m\nx = 1\n[z]\n+++\n", patch: on(toc, true), want: "+++\n[ mnote ] # m\nshowToc = true\nx = 1\n[z]\n+++\n"},
		{name: "TOML dotted", src: "+++\nmnote.x = 1\n[z]\n+++\n", patch: on(toc, true), want: "+++\nmnote.showToc = true\nmnote.x = 1\n[z]\n+++\n"},
		{name: "TOML inline table", src: "+++\nmnote = {x = 1}\n+++\n", patch: on(toc, true), reason: "frontmatter_unsupported"},
		{name: "TOML array of tables", src: "+++\n[[mnote]]\nx = 1\n+++\n", patch: on(toc, true), reason: "frontmatter_type"},
		{name: "UTF-16", src: "\xff\xfea\x00", patch: on(toc, true), reason: "unsupported_format"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			e, err := p.SetOptions(tc.patch)
			checkEdit(t, p, e, err, tc.src, tc.want, tc.reason)
		})
	}
}

// Each form of a frontmatter, each option both ways: the value is read back and
// the other options, the title and the body are what they were.
func TestSetOptionsKeepsTheOthers(t *testing.T) {
	t.Parallel()
	const inner = "title: T\nmnote:\n  wideLayout: true\n  showToc: true\n"
	for _, set := range []func(*page.OptionsPatch, *bool){wide, small, toc, protect} {
		for _, v := range []bool{true, false} {
			for _, d := range dresses {
				p := page.Parse([]byte(d.put("---\n" + inner + "---\n# H\n\nx\n")))
				before, _ := p.Options()
				e, err := p.SetOptions(on(set, v))
				if err != nil {
					t.Fatal(err)
				}
				got, err := e.Page.Options()
				want := before
				for _, o := range []struct {
					p *bool
					v *bool
				}{{on(set, v).WideLayout, &want.WideLayout}, {on(set, v).SmallText, &want.SmallText}, {on(set, v).ShowToc, &want.ShowToc}, {on(set, v).ProtectEditing, &want.ProtectEditing}} {
					if o.p != nil {
						*o.v = *o.p
					}
				}
				title, _ := e.Page.Title("")
				if err != nil || got != want || title != "T" || string(e.Page.Body()) != string(p.Body()) {
					t.Errorf("%+v: got %+v, want %+v; title %q, %v", d, got, want, title, err)
				}
			}
		}
	}
}
