package page_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// chunks are top-level entries of a frontmatter, with the comments and blank
// lines that people put there. None is the title or mnote.
var chunks = []string{
	"tags: [keep, 42, {m: p}] # tags\n",
	"# 注释 😀\n标签: 中文 # 尾\n",
	"aliases:\n- 'a # b'\n- \"c: d\"   # e\n\n- &anchor {x: y}\n",
	"ref: *anchor\n",
	"nested:\n    deep: # why\n        - 0x10\n        - ~\n    # end\n",
	"text: |\n  title: not me\n\n  # nor me\n",
	"folded: >-\n  a\n   b\n",
	"keep: |+\n  x\n\n\n",
	"date: 2024-01-01 12:30:00\n",
	"\"quoted key\": yes\n",
	"multi: one\n  two\n  three\n",
	"flow: {title: inner,\n  mnote: {showToc: false}}\n",
	"empty:\n",
	"\n# alone\n\n",
	"tagged: !!str 42\n",
	"long: \"line one\n  line two # no comment\"\n",
}

// entries are forms of one entry: what stands before its value and behind it.
type form struct{ before, value, behind string }

var titleForms = []form{
	{"title: ", "old", "\n"}, {"title:   ", "old title", "  # c\n"}, {"title: ", "'it''s'", " # c\n"}, {"title: ", "\"a \\\" # b\"", "\n"},
	{"'title' : ", "旧 😀", " # 注\n"}, {"title: ", ">\n  a\n  b", "\n"}, {"title: ", "|-\n  # a\n", "\n"}, {"title: ", "a\n  b", "\n# c\n"},
	{"title: ", "~", "\n"}, {"title: ", "2024", " # n\n"},
}

var optionForms = []form{
	{"mnote:\n  showToc: ", "false", " # c\n  other: 1\n"}, {"mnote: # m\n    # n\n    x: [a]\n    'showToc':   ", "no", "\n"},
	{"mnote: {a: 1, showToc: ", "false", ", b: 2} # c\n"}, {"mnote: {\n  showToc: ", "off", " }\n"},
}

// TestFrontmatterEditsTouchOnlyTheValue puts an entry among others in random
// order and dress: after the edit everything but its value is there, byte for
// byte.
func TestFrontmatterEditsTouchOnlyTheValue(t *testing.T) {
	t.Parallel()
	r := newRand(31)
	for i := range 1500 {
		d := dresses[r.IntN(len(dresses))]
		before, behind := surroundings(r)
		title := titles[r.IntN(len(titles))]
		entry := titleForms[r.IntN(len(titleForms))]
		edit := func(p *page.Page) (*page.Edit, error) { return p.SetTitle(title, "x.md") }
		read := func(p *page.Page) string { got, _ := p.Title("x.md"); return got }
		want := title
		if i%2 == 0 {
			entry = optionForms[r.IntN(len(optionForms))]
			edit = func(p *page.Page) (*page.Edit, error) { return p.SetOptions(on(toc, true)) }
			read = func(p *page.Page) string {
				o, err := p.Options()
				return map[bool]string{true: "on", false: "off"}[o.ShowToc && err == nil]
			}
			want = "on"
		}
		head, tail := "---\n"+before+entry.before, entry.behind+behind+"---\n## H\n\nx\n"
		p := page.Parse([]byte(d.put(head + entry.value + tail)))
		e, err := edit(p)
		if err != nil {
			t.Fatalf("%q: %v", p.Bytes(), err)
		}
		got := string(e.Page.Bytes())
		if !strings.HasPrefix(got, strings.TrimSuffix(strings.TrimSuffix(d.put(head+"x"), "x"+d.eol), "x")) || !strings.HasSuffix(got, strings.TrimPrefix(d.put("\n"+tail), bomOf(d)+d.eol)) {
			t.Fatalf("%q became %q", p.Bytes(), got)
		}
		if read(e.Page) != want {
			t.Fatalf("%q: read back %q, want %q", got, read(e.Page), want)
		}
	}
}

func bomOf(d dress) string {
	if d.bom {
		return "\ufeff"
	}
	return ""
}

// surroundings picks entries; the one that refers to an anchor comes only
// behind the one that has it.
func surroundings(r *rand.Rand) (before, behind string) {
	parts := [2]string{}
	anchored := false
	for k := range parts {
		for _, i := range r.Perm(len(chunks))[:r.IntN(6)] {
			if strings.Contains(chunks[i], "*anchor") && !anchored || strings.Contains(parts[0]+parts[1], chunks[i]) {
				continue
			}
			anchored = anchored || strings.Contains(chunks[i], "&anchor")
			parts[k] += chunks[i]
		}
	}
	return parts[0], parts[1]
}

// A new entry goes in without moving any other.
func TestFrontmatterAdditionsKeepTheOthers(t *testing.T) {
	t.Parallel()
	r := newRand(32)
	for range 800 {
		d := dresses[r.IntN(len(dresses))]
		before, behind := surroundings(r)
		p := page.Parse([]byte(d.put("---\n" + before + behind + "---\nx\n")))
		for _, edit := range []func(*page.Page) (*page.Edit, error){
			func(p *page.Page) (*page.Edit, error) { return p.SetTitle("a: new # one", "x.md") },
			func(p *page.Page) (*page.Edit, error) { return p.SetOptions(on(protect, true)) },
		} {
			e, err := edit(p)
			if err != nil {
				t.Fatalf("%q: %v", p.Bytes(), err)
			}
			if added := len(e.Page.Bytes()) - len(p.Bytes()); added <= 0 || added > 60 || !grown(string(p.Bytes()), string(e.Page.Bytes())) {
				t.Fatalf("%q became %q", p.Bytes(), e.Page.Bytes())
			}
			p = e.Page
		}
		o, err := p.Options()
		if title, _ := p.Title("x.md"); title != "a: new # one" || !o.ProtectEditing || err != nil {
			t.Fatalf("%q: title %q, options %+v, %v", p.Bytes(), title, o, err)
		}
	}
}

// grown reports whether now is old with one run of bytes put in.
func grown(old, now string) bool {
	n := 0
	for n < len(old) && old[n] == now[n] {
		n++
	}
	return strings.HasSuffix(now, old[n:])
}
