package page_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// TestSequences makes random edits one after the other, over pages with CRLF,
// BOM, CJK, invalid YAML, unclosed fences, and takes them back. MNOTE_SEQUENCES
// is how many sequences; the whole proof is
//
//	MNOTE_SEQUENCES=10000 go test ./plugin/localkernel/internal/page -run 'TestSequences$' -v -timeout 30m
func TestSequences(t *testing.T) {
	t.Parallel()
	n := 400
	fmt.Sscan(os.Getenv("MNOTE_SEQUENCES"), &n)
	made, refused := 0, 0
	for i := range n {
		r := newRand(uint64(1000 + i))
		s := sequence{rand: r, page: randomPage(r)}
		if err := s.run(2 + r.IntN(9)); err != nil {
			t.Fatalf("sequence %d: %v", i, err)
		}
		made, refused = made+s.made, refused+s.refused
	}
	t.Logf("%d sequences: %d edits made and taken back byte by byte, %d refused", n, made, refused)
	if made < n {
		t.Errorf("%d edits in %d sequences: the test edits too little", made, n)
	}
}

type sequence struct {
	rand          *rand.Rand
	page          *page.Page
	log           []string
	made, refused int
}

// run makes edits and checks each; then it applies their diffs backwards, down
// to the first bytes.
func (s *sequence) run(edits int) error {
	images := [][]byte{bytes.Clone(s.page.Bytes())}
	pages := []*page.Page{s.page}
	for range edits {
		if err := s.step(); err != nil {
			return fmt.Errorf("%w\nafter %s\non %q", err, strings.Join(s.log, "; "), images[0])
		}
		images = append(images, bytes.Clone(s.page.Bytes()))
		pages = append(pages, s.page)
	}
	for i := len(pages) - 1; i > 0; i-- {
		if !bytes.Equal(pages[i].Bytes(), images[i]) {
			return fmt.Errorf("a later edit changed the bytes of page %d", i)
		}
		back, err := patch(string(images[i]), page.Diff(pages[i], pages[i-1]))
		if err != nil || back != string(images[i-1]) {
			return fmt.Errorf("the diff of edit %d does not lead back: %v", i, err)
		}
	}
	return nil
}

func (s *sequence) step() error {
	e, err := s.edit()
	if err != nil {
		s.refused++
		if code, why := refusal(err); code == "" {
			return fmt.Errorf("%s: %s", s.log[len(s.log)-1], why)
		}
		return nil
	}
	s.made++
	old := s.page
	s.page = e.Page
	if err := wholeFile(e.Page); err != nil {
		return err
	}
	if err := accounted(old, e); err != nil {
		return err
	}
	return dressKept(old, e.Page)
}

// accounted: the new ids are the old ones less those that changed, and the
// changes' new ones.
func accounted(old *page.Page, e *page.Edit) error {
	want := map[string]int{}
	for _, b := range old.Blocks() {
		want[b.ID]++
	}
	for _, c := range e.Changes {
		want[c.OldID]--
		want[c.NewID]++
	}
	delete(want, "")
	for _, b := range e.Page.Blocks() {
		want[b.ID]--
	}
	for id, n := range want {
		if n != 0 {
			return fmt.Errorf("the changes %v do not tell what became of %s", e.Changes, id)
		}
	}
	return nil
}

// dressKept: BOM, kind of line end and final newline are what they were.
func dressKept(old, now *page.Page) error {
	if len(old.Blocks()) == 0 || len(now.Blocks()) == 0 {
		return nil
	}
	was, is := old.Bytes(), now.Bytes()
	last := func(b []byte) bool { return b[len(b)-1] == '\n' || b[len(b)-1] == '\r' }
	pure := !bytes.Contains(bytes.ReplaceAll(was, []byte("\r\n"), nil), []byte("\n")) && bytes.Contains(was, []byte("\r\n"))
	switch {
	case old.BOM() != now.BOM():
		return fmt.Errorf("the BOM went or came")
	case last(was) != last(is):
		return fmt.Errorf("the final newline went or came: %q to %q", was, is)
	case pure && bytes.Contains(bytes.ReplaceAll(is, []byte("\r\n"), nil), []byte("\n")):
		return fmt.Errorf("an LF in a CRLF page: %q", is)
	}
	return nil
}

// edit makes one random edit.
func (s *sequence) edit() (*page.Edit, error) {
	p, r := s.page, s.rand
	content := s.content()
	id, other := s.anyID(), s.anyID()
	edits := []struct {
		name string
		make func() (*page.Edit, error)
	}{
		{"replace " + id, func() (*page.Edit, error) { return p.Replace(id, content) }},
		{"insert at " + id, func() (*page.Edit, error) { return p.Insert(s.where(id), content) }},
		{"insert at " + other, func() (*page.Edit, error) { return p.Insert(s.where(other), content) }},
		{"delete " + id, func() (*page.Edit, error) { return p.Delete(id) }},
		{"move " + id + " to " + other, func() (*page.Edit, error) { return p.Move(id, s.where(other)) }},
		{"save", func() (*page.Edit, error) { return p.Save(s.shuffled(content), page.ModeReplace) }},
		{"append", func() (*page.Edit, error) { return p.Save([]page.Content{text(content)}, page.ModeAppend) }},
		{"title", func() (*page.Edit, error) { return p.SetTitle(titles[r.IntN(len(titles))], "file.md") }},
		{"options", func() (*page.Edit, error) { return p.SetOptions(s.patch()) }},
	}
	chosen := edits[r.IntN(len(edits))]
	s.log = append(s.log, fmt.Sprintf("%s %q", chosen.name, content))
	return chosen.make()
}

var titles = []string{"新标题", "C #", "a: b", "'x'", "- x", "true", "x # y", "\"", "😀", "#", "[a]: b", "---"}

func (s *sequence) content() string {
	if s.rand.IntN(6) == 0 {
		return hostileTexts[s.rand.IntN(len(hostileTexts))]
	}
	src := samples[s.rand.IntN(len(samples))].src
	if s.rand.IntN(4) == 0 {
		src += "\n\n" + samples[s.rand.IntN(len(samples))].src
	}
	if s.rand.IntN(4) == 0 {
		src = "\r\n" + strings.ReplaceAll(src, "\n", "\r\n") + "\r\n"
	}
	return src
}

func (s *sequence) anyID() string {
	blocks := s.page.Blocks()
	if len(blocks) == 0 || s.rand.IntN(20) == 0 {
		return "b_none"
	}
	return blocks[s.rand.IntN(len(blocks))].ID
}

func (s *sequence) where(id string) page.Where {
	switch s.rand.IntN(4) {
	case 0:
		return page.Where{At: page.EdgeStart}
	case 1:
		return page.Where{After: id}
	case 2:
		return page.Where{Before: id}
	}
	headings, _ := s.page.Outline(50)
	if len(headings) == 0 {
		return page.Where{}
	}
	return page.Where{Under: headings[s.rand.IntN(len(headings))].Path, At: page.EdgeStart}
}

// shuffled is the page as it was given, with one block new, gone or elsewhere.
func (s *sequence) shuffled(content string) []page.Content {
	all := givenAll(s.page)
	if len(all) == 0 {
		return []page.Content{text(content)}
	}
	i := s.rand.IntN(len(all))
	switch s.rand.IntN(4) {
	case 0:
		all[i] = text(content)
	case 1:
		all = slices.Delete(all, i, i+1)
	case 2:
		all[0], all[i] = all[i], all[0]
	}
	return all
}

func (s *sequence) patch() page.OptionsPatch {
	sets := []func(*page.OptionsPatch, *bool){wide, small, toc, protect}
	patch := on(sets[s.rand.IntN(4)], s.rand.IntN(2) == 0)
	sets[s.rand.IntN(4)](&patch, ptr(s.rand.IntN(2) == 0))
	return patch
}
