package page_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// seeds are pages in every dress.
func seeds() []string {
	var all []string
	r := newRand(21)
	for i := range 60 {
		all = append(all, dresses[i%len(dresses)].put(randomSource(r)))
	}
	for _, s := range openEnded {
		all = append(all, "a\n\n"+s)
	}
	return append(all, fronts...)
}

// FuzzSplit: blocks and gaps are the file, line ends change no id, and asking
// changes no byte.
func FuzzSplit(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		kept := bytes.Clone(src)
		p := page.Parse(src)
		if err := wholeFile(p); err != nil {
			t.Fatal(err)
		}
		plain := bytes.ReplaceAll(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		was := summaryOf(page.Parse(plain))
		if is := summaryOf(page.Parse(bytes.ReplaceAll(plain, []byte("\n"), []byte("\r\n")))); !slices.Equal(was, is) {
			t.Fatalf("CRLF makes other blocks: %q", diffOf(is, was))
		}
		p.Outline(10)
		p.Summary(100)
		if !bytes.Equal(src, kept) {
			t.Fatal("the page's own bytes changed")
		}
	})
}

// FuzzSplice: an edit touches the bytes it names, or none.
func FuzzSplice(f *testing.F) {
	for i, s := range seeds() {
		f.Add([]byte(s), hostileTexts[i%len(hostileTexts)], uint8(i), uint8(i*7))
	}
	f.Fuzz(func(t *testing.T, src []byte, content string, op, at uint8) {
		p := page.Parse(src)
		blocks := p.Blocks()
		if len(blocks) == 0 {
			return
		}
		i := int(at) % len(blocks)
		from, to := i, i+1
		var e *page.Edit
		var err error
		switch id := blocks[i].ID; op % 5 {
		case 0:
			e, err = p.Replace(id, content)
		case 1:
			e, err = p.Delete(id)
		case 2:
			from, to = i, i
			e, err = p.Insert(page.Where{Before: id}, content)
		case 3:
			from, to = i+1, i+1
			e, err = p.Insert(page.Where{After: id}, content)
		case 4:
			k := int(op/5) % len(blocks)
			from, to = min(i, k+1), max(i, k)+1
			e, err = p.Move(id, page.Where{After: blocks[k].ID})
		}
		if err != nil {
			if code, why := refusal(err); code == "" {
				t.Fatal(why)
			}
			return
		}
		err = outsideKept(p, e.Page, from, to)
		if from == to {
			err = insertKept(p, e, from)
		}
		if err != nil {
			t.Fatalf("%v: %q became %q", err, src, e.Page.Bytes())
		}
		if err := wholeFile(e.Page); err != nil {
			t.Fatal(err)
		}
		if err := accounted(p, e); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzFrontmatter: a title or an option is written and read back, the body
// stays, and every byte outside one place of the frontmatter.
func FuzzFrontmatter(f *testing.F) {
	for _, s := range fronts {
		for _, title := range titles {
			f.Add(s[4:], title, true, uint8(1))
		}
	}
	for _, s := range []string{"mnote: {a: 1}\n", "mnote:\n", "a: &x 1\nb: *x\n", "title: |\n  x\n", "? a\n: b\n", "{a: 1}\n", "mnote: # c\n  # d\n  showToc: no\n", "title: 'a'\r\n# c\r\n"} {
		f.Add(s, "new", false, uint8(3))
		f.Add(s, "new", true, uint8(2))
	}
	f.Fuzz(func(t *testing.T, inner, title string, value bool, op uint8) {
		fence := "---\n"
		if op&1 == 1 && op&64 != 0 {
			fence = "+++\n"
		}
		p := page.Parse([]byte(fence + inner + "\n" + fence + "# H\n\nbody\n"))
		e, err := p.SetTitle(title, "x.md")
		if err == nil {
			if got, _ := e.Page.Title("x.md"); got != strings.TrimSpace(title) {
				t.Fatalf("title %q was written, %q read from %q", title, got, e.Page.Bytes())
			}
			oneEdit(t, p, e)
		} else if code, why := refusal(err); code == "" {
			t.Fatal(why)
		}
		set := []func(*page.OptionsPatch, *bool){wide, small, toc, protect}[op>>1&3]
		before, _ := p.Options()
		e, err = p.SetOptions(on(set, value))
		if err != nil {
			if code, why := refusal(err); code == "" {
				t.Fatal(why)
			}
			return
		}
		after, err := e.Page.Options()
		if err != nil {
			t.Fatalf("%v in %q", err, e.Page.Bytes())
		}
		if want := withOption(before, on(set, value)); after != want {
			t.Fatalf("options %+v, want %+v in %q", after, want, e.Page.Bytes())
		}
		if !bytes.Equal(p.Body(), e.Page.Body()) {
			t.Fatalf("the body changed to %q", e.Page.Body())
		}
		oneEdit(t, p, e)
	})
}

func withOption(o page.Options, patch page.OptionsPatch) page.Options {
	for _, x := range []struct{ to, from *bool }{{&o.WideLayout, patch.WideLayout}, {&o.SmallText, patch.SmallText}, {&o.ShowToc, patch.ShowToc}, {&o.ProtectEditing, patch.ProtectEditing}} {
		if x.from != nil {
			*x.to = *x.from
		}
	}
	return o
}

// oneEdit: old and new bytes differ in one place, and little is lost there.
func oneEdit(t *testing.T, p *page.Page, e *page.Edit) {
	t.Helper()
	was, is := p.Bytes(), e.Page.Bytes()
	head := 0
	for head < len(was) && head < len(is) && was[head] == is[head] {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(is)-head && was[len(was)-1-tail] == is[len(is)-1-tail] {
		tail++
	}
	gone := string(was[head : len(was)-tail])
	if strings.Contains(strings.ReplaceAll(gone, "\t", " "), " #") && !strings.ContainsAny(gone, "\"'|>H") {
		t.Fatalf("a comment may be gone: %q of %q", gone, was)
	}
}

// FuzzHeadingPath: no target breaks it, and each heading is found by its id and,
// where no other has it, by its path.
func FuzzHeadingPath(f *testing.F) {
	f.Add([]byte(manySections), "B/Tasks")
	f.Add([]byte("# 📝｜ <span style=\"color:#888\">Notes:</span>\n\n## /x/\n\n### [a](b)\n"), "Notes:/ /x/")
	f.Add([]byte("#\n\n##\n\n# a/\n\n## /\n"), "//")
	f.Fuzz(func(t *testing.T, src []byte, target string) {
		p := page.Parse(src)
		if s, err := p.Under(target); err != nil {
			if code, why := refusal(err); code == "" {
				t.Fatal(why)
			}
		} else if s.First != s.Index+1 || s.Last < s.First || s.Last > len(p.Blocks()) || p.Blocks()[s.Index].ID != s.Heading.ID {
			t.Fatalf("section %+v", s)
		}
		list, _ := p.Outline(1000)
		for _, h := range list {
			if s, err := p.Under(h.ID); err != nil || s.Heading != h {
				t.Fatalf("id %s: %v", h.ID, err)
			}
			s, err := p.Under(h.Path)
			if !utf8.ValidString(h.Path) {
				continue // a path comes as JSON, where such bytes are all one replacement character
			}
			if err == nil && s.Heading.ID != h.ID && !strings.Contains(h.Path, "…") && !strings.HasPrefix(h.Path, "#") && !ambiguous(list, h) {
				t.Fatalf("path %q leads to %q", h.Path, s.Heading.Path)
			}
		}
	})
}

// ambiguous reports whether another heading may rightly answer to h's path: one
// with the same text or path, as texts may hold slashes of their own.
func ambiguous(list []page.Heading, h page.Heading) bool {
	return slices.ContainsFunc(list, func(o page.Heading) bool {
		return o.ID != h.ID && (o.Text == h.Path || strings.HasSuffix("/"+o.Path, "/"+h.Path) || strings.HasSuffix("/"+h.Path, "/"+o.Path))
	})
}

// FuzzCursor: any string is a cursor or a clear refusal.
func FuzzCursor(f *testing.F) {
	long := page.Parse([]byte(strings.Repeat("words 字\n\n", 200)))
	for _, form := range []page.Form{page.FormBlocks, page.FormBody} {
		w, err := long.Window("", 300, form)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(w.Next, []byte("a\n\nb\n"), 1)
		f.Add(w.Next, long.Bytes(), 300)
	}
	f.Fuzz(func(t *testing.T, cursor string, src []byte, n int) {
		for _, p := range []*page.Page{page.Parse(src), long} {
			if _, err := p.Window(cursor, n, page.FormBlocks); err != nil {
				if err := refusedFor(err, "cursor_invalid", "cursor_stale"); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(src) > 4000 {
			return
		}
		p := page.Parse(src)
		covered(t, p, readAll(t, p, min(n, 2000), page.FormBlocks))
		var body strings.Builder
		for _, w := range readAll(t, p, min(n, 2000), page.FormBody) {
			body.WriteString(w.Body)
		}
		if body.String() != string(p.Body()) {
			t.Fatal("the windows are not the body")
		}
	})
}

// FuzzSave: what was read can be saved and changes nothing; with other content
// the frontmatter stays and the result is that content.
func FuzzSave(f *testing.F) {
	for i, s := range seeds() {
		f.Add([]byte(s), samples[i%len(samples)].src, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, src []byte, content string, add bool) {
		p := page.Parse(src)
		e, err := p.Save(givenAll(p), page.ModeReplace)
		if !utf8.Valid(src) {
			if err := refusedFor(err, "encoding", "unsupported_format"); err != nil {
				t.Fatal(err)
			}
			return
		}
		if err != nil || !bytes.Equal(e.Page.Bytes(), src) {
			t.Fatalf("saving what was read of %q: %v", src, err)
		}
		mode, kept := page.ModeReplace, p.Blocks()
		if add {
			mode = page.ModeAppend
		} else if len(kept) > 0 && kept[0].Type == page.TypeFrontmatter {
			kept = kept[:1]
		} else {
			kept = nil
		}
		e, err = p.Save([]page.Content{text(content)}, mode)
		if err != nil {
			if code, why := refusal(err); code == "" {
				t.Fatal(why)
			}
			return
		}
		if err := wholeFile(e.Page); err != nil {
			t.Fatal(err)
		}
		now := outline(e.Page)
		if n := len(kept); add && n > 0 && len(now) == n && insertKept(p, e, n) == nil {
			kept = kept[:n-1] // the last block is a list that grew
		}
		if len(now) < len(kept) || !slices.Equal(now[:len(kept)], outline(p)[:len(kept)]) {
			t.Fatalf("%q with %q became %q", outline(p), content, now)
		}
	})
}
