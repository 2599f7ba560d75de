package page_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// TestCorpus edits files that no one here wrote. MNOTE_CORPUS names folders
// (separated as PATH is); every .md and .markdown file below them is used once,
// by content, and every fourth a second time with other line ends, a BOM or
// without its final newline. Without it the pages are made here. Run it with -v
// for the figures:
//
//	MNOTE_CORPUS=/a:/b go test ./plugin/localkernel/internal/page -run 'TestCorpus$' -v -timeout 30m
//
// MNOTE_CORPUS_MIN, if set, is how many files there must be at least.
func TestCorpus(t *testing.T) {
	t.Parallel()
	c := corpus{t: t, rand: newRand(11), made: map[string]int{}, refused: map[string]int{}}
	c.files(func(name string, src []byte) {
		c.tally(page.Parse(src))
		if err := c.check(src); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.count%4 > 0 {
			return
		}
		d := dresses[c.count/4%len(dresses)]
		if err := c.check([]byte(d.put(strings.TrimPrefix(string(src), "\ufeff")))); err != nil {
			t.Errorf("%s as %+v: %v", name, d, err)
		}
		c.dressed++
	})
	t.Logf("%d files, %d bytes, %d blocks; CRLF %d, BOM %d, no final newline %d, frontmatter %d, opaque %d; %d of them once more in another dress",
		c.count, c.bytes, c.blocks, c.crlf, c.boms, c.noFinal, c.fronts, c.opaque, c.dressed)
	for _, op := range slices.Sorted(maps.Keys(c.made)) {
		t.Logf("%-28s made %7d   refused, no byte changed %6d", op, c.made[op], c.refused[op])
	}
	var least int
	if fmt.Sscan(os.Getenv("MNOTE_CORPUS_MIN"), &least); c.count < least {
		t.Errorf("%d files, want at least %d", c.count, least)
	}
}

type corpus struct {
	t             *testing.T
	rand          *rand.Rand
	count, bytes  int
	blocks        int
	crlf, boms    int
	noFinal       int
	fronts        int
	opaque        int
	dressed       int
	made, refused map[string]int
}

// files gives each file of the corpus once.
func (c *corpus) files(use func(name string, src []byte)) {
	roots := filepath.SplitList(os.Getenv("MNOTE_CORPUS"))
	if len(roots) == 0 {
		for i := range 300 {
			src := randomPage(c.rand).Bytes()
			if i%20 == 19 { // in another encoding
				src = append(src, "\n\xb1\xca\xbc\xc7\n"...)
			}
			use(fmt.Sprint("made page ", i), src)
		}
		return
	}
	seen := map[[32]byte]bool{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			ext := strings.ToLower(filepath.Ext(path))
			if err != nil || !d.Type().IsRegular() || ext != ".md" && ext != ".markdown" {
				return err
			}
			src, err := os.ReadFile(path)
			if sum := sha256.Sum256(src); err == nil && !seen[sum] {
				seen[sum] = true
				use(path, src)
			}
			return err
		})
		if err != nil {
			c.t.Error(err)
		}
	}
}

// check splits and joins one file and edits it in every way.
func (c *corpus) check(src []byte) error {
	kept := bytes.Clone(src)
	p := page.Parse(src)
	if err := wholeFile(p); err != nil {
		return err
	}
	steps := []func(*page.Page) error{c.sameInAnyLineEnd, c.eachAlone, c.windows}
	if utf8.Valid(src) {
		steps = append(steps, c.blockEdits, c.hostile, c.saves, c.heads)
	} else {
		steps = append(steps, c.alien)
	}
	for _, step := range steps {
		if err := step(p); err != nil {
			return err
		}
	}
	if !bytes.Equal(src, kept) {
		return fmt.Errorf("the page's own bytes changed")
	}
	return nil
}

func (c *corpus) tally(p *page.Page) {
	src := p.Bytes()
	c.count++
	c.bytes += len(src)
	c.blocks += len(p.Blocks())
	for _, count := range []struct {
		n  *int
		is bool
	}{
		{&c.crlf, bytes.Contains(src, []byte("\r\n"))}, {&c.boms, p.BOM()},
		{&c.noFinal, len(src) > 0 && !bytes.HasSuffix(src, []byte("\n"))},
		{&c.fronts, p.Frontmatter().Format != page.FormatNone},
		{&c.opaque, slices.Contains(types(p), "opaque")},
	} {
		if count.is {
			*count.n++
		}
	}
}

// sameInAnyLineEnd: the blocks, their texts and ids are those of the file with
// other line ends.
func (c *corpus) sameInAnyLineEnd(p *page.Page) error {
	plain := strings.ReplaceAll(strings.ReplaceAll(string(p.Bytes()), "\r\n", "\n"), "\r", "\n")
	want := summaryOf(page.Parse([]byte(plain)))
	if got := summaryOf(page.Parse([]byte(strings.ReplaceAll(plain, "\n", "\r\n")))); !slices.Equal(got, want) {
		return fmt.Errorf("CRLF makes other blocks: %q", diffOf(got, want))
	}
	if got := summaryOf(p); !slices.Equal(got, want) {
		return fmt.Errorf("LF makes other blocks: %q", diffOf(got, want))
	}
	return nil
}

func diffOf(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return got[i] + " | " + want[i]
		}
	}
	return fmt.Sprint(len(got), " and ", len(want))
}

// eachAlone: each block parsed alone is that one block.
func (c *corpus) eachAlone(p *page.Page) error {
	for _, b := range p.Blocks() {
		if b.Type == page.TypeFrontmatter || b.Type == page.TypeOpaque {
			continue
		}
		alone := page.Parse([]byte("\n" + p.Source(b))).Blocks()
		if len(alone) != 1 || alone[0].Type != b.Type || alone[0].Level != b.Level {
			return fmt.Errorf("block %s %q alone is %d blocks", b.Type, p.Source(b), len(alone))
		}
	}
	return nil
}

// edited checks what came of an edit that touched the blocks [from, to).
func (c *corpus) edited(op string, p *page.Page, from, to int, e *page.Edit, err error) error {
	if err != nil {
		c.refused[op]++
		c.made[op] += 0
		if err := refusedFor(err, "would_change_blocks", "frontmatter_edit", "place_invalid"); err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
		return nil
	}
	c.made[op]++
	err = outsideKept(p, e.Page, from, to)
	if from == to {
		err = insertKept(p, e, from)
	}
	if err != nil {
		return fmt.Errorf("%s of block %d: %w\n%s", op, from, err, page.Diff(p, e.Page))
	}
	if err := wholeFile(e.Page); err != nil {
		return fmt.Errorf("%s of block %d: %w", op, from, err)
	}
	return nil
}

// sampleOf gives up to n places among the blocks, always the first and the last.
func (c *corpus) sampleOf(blocks, n int) []int {
	if blocks <= n {
		all := make([]int, blocks)
		for i := range all {
			all[i] = i
		}
		return all
	}
	places := []int{0, blocks - 1}
	for len(places) < n {
		places = append(places, c.rand.IntN(blocks))
	}
	return places
}

// blockEdits replaces, inserts, deletes and moves.
func (c *corpus) blockEdits(p *page.Page) error {
	blocks := p.Blocks()
	for _, i := range c.sampleOf(len(blocks), 6) {
		id := blocks[i].ID
		e, err := p.Replace(id, "Replaced by two\nlines of text.")
		if err := c.edited("replace", p, i, i+1, e, err); err != nil {
			return err
		}
		e, err = p.Insert(page.Where{After: id}, "Inserted 文字.")
		if err := c.edited("insert after", p, i+1, i+1, e, err); err != nil {
			return err
		}
		e, err = p.Insert(page.Where{Before: id}, "## Inserted\n\n- list")
		if err := c.edited("insert before", p, i, i, e, err); err != nil {
			return err
		}
		e, err = p.Delete(id)
		if err := c.edited("delete", p, i, i+1, e, err); err != nil {
			return err
		}
		if err := c.move(p, i, c.rand.IntN(len(blocks))); err != nil {
			return err
		}
	}
	return nil
}

// move takes block i behind block k; the blocks in between keep their bytes too.
func (c *corpus) move(p *page.Page, i, k int) error {
	e, err := p.Move(p.Blocks()[i].ID, page.Where{After: p.Blocks()[k].ID})
	if err := c.edited("move", p, min(i, k+1), max(i, k)+1, e, err); err != nil || e == nil {
		return err
	}
	want := ids(p)
	moved := want[i]
	want = slices.Delete(want, i, i+1)
	if k >= i {
		k--
	}
	want = slices.Insert(want, k+1, moved)
	if !slices.Equal(want, ids(e.Page)) {
		return fmt.Errorf("move of block %d behind %d gives the order %v", i, k, ids(e.Page))
	}
	return nil
}

// hostileTexts want to swallow what stands beside them.
var hostileTexts = []string{
	"```", "~~~\nx", "<!--", "<script>", "<div>", "---", "===", "- x", "1. x", "    code", "> q", "[^1]: f", "[a]: /b", "| a |\n|-|", "$$", "+++\n+++", "\\",
}

func (c *corpus) hostile(p *page.Page) error {
	blocks := p.Blocks()
	for _, i := range c.sampleOf(len(blocks), 3) {
		content := hostileTexts[c.rand.IntN(len(hostileTexts))]
		e, err := p.Replace(blocks[i].ID, content)
		if err := c.edited("replace, hostile", p, i, i+1, e, err); err != nil {
			return err
		}
		e, err = p.Insert(page.Where{Before: blocks[i].ID}, content)
		if err := c.edited("insert, hostile", p, i, i, e, err); err != nil {
			return err
		}
	}
	return nil
}

// saves gives back what was read, and that with one block altered.
func (c *corpus) saves(p *page.Page) error {
	if slices.Contains(types(p), "opaque") && len(p.Blocks()) == 1 && len(p.Bytes()) > page.MaxSize {
		return nil
	}
	content := givenAll(p)
	e, err := p.Save(content, page.ModeReplace)
	if err != nil || !bytes.Equal(e.Page.Bytes(), p.Bytes()) {
		return fmt.Errorf("saving what was read: %v", err)
	}
	c.made["save, nothing new"]++
	if n := len(content); n > 0 {
		i := c.rand.IntN(n)
		if content[i].Type != page.TypeFrontmatter {
			content[i] = page.Content{ID: content[i].ID, Text: ptr("Saved anew.")}
			e, err := p.Save(content, page.ModeReplace)
			if err := c.edited("save, one block new", p, i, i+1, e, err); err != nil {
				return err
			}
		}
	}
	e, err = p.Save([]page.Content{text("Appended.")}, page.ModeAppend)
	return c.edited("save, append", p, len(content), len(content), e, err)
}

// heads edits title and options: the body stays, or the edit is refused.
func (c *corpus) heads(p *page.Page) error {
	e, err := p.SetTitle("新的标题: #1", "file.md")
	if err := c.headed("set title", p, e, err); err != nil {
		return err
	}
	if err == nil {
		if title, _ := e.Page.Title("file.md"); title != "新的标题: #1" {
			return fmt.Errorf("the title is %q", title)
		}
	}
	e, err = p.SetOptions(on(toc, true))
	if err := c.headed("set options", p, e, err); err != nil || e == nil {
		return err
	}
	if o, err := e.Page.Options(); err != nil || !o.ShowToc {
		return fmt.Errorf("the options are %+v, %v", o, err)
	}
	return nil
}

// headed: one block changed, the frontmatter or a heading, or one is new.
func (c *corpus) headed(op string, p *page.Page, e *page.Edit, err error) error {
	if err != nil {
		c.refused[op]++
		return refusedFor(err, "frontmatter_invalid", "frontmatter_unsupported", "unsupported_format")
	}
	c.made[op]++
	was, is := ids(p), ids(e.Page)
	if len(is) == len(was)+1 {
		was = append([]string{""}, was...)
	}
	changed := 0
	for i := range is {
		if is[i] != was[i] {
			changed++
		}
	}
	if len(is) != len(was) || changed > 1 {
		return fmt.Errorf("%s: %d blocks changed", op, changed)
	}
	return wholeFile(e.Page)
}

// alien: a file that is not UTF-8 is read, and every edit of it refused.
func (c *corpus) alien(p *page.Page) error {
	id := p.Blocks()[0].ID
	for op, try := range map[string]func() (*page.Edit, error){
		"replace": func() (*page.Edit, error) { return p.Replace(id, "x") },
		"insert":  func() (*page.Edit, error) { return p.Insert(page.Where{After: id}, "x") },
		"delete":  func() (*page.Edit, error) { return p.Delete(id) },
		"move":    func() (*page.Edit, error) { return p.Move(id, page.Where{Before: id}) },
		"save":    func() (*page.Edit, error) { return p.Save(givenAll(p), page.ModeReplace) },
		"append":  func() (*page.Edit, error) { return p.Save([]page.Content{text("x")}, page.ModeAppend) },
		"title":   func() (*page.Edit, error) { return p.SetTitle("x", "file.md") },
		"options": func() (*page.Edit, error) { return p.SetOptions(on(toc, true)) },
	} {
		_, err := try()
		if err := refusedFor(err, "encoding", "unsupported_format"); err != nil {
			return fmt.Errorf("%s of a file that is not UTF-8: %w", op, err)
		}
		c.refused["not UTF-8"]++
	}
	c.made["not UTF-8"] += 0
	return nil
}

// windows: all windows of the body are the body.
func (c *corpus) windows(p *page.Page) error {
	var body strings.Builder
	for cursor := ""; ; {
		w, err := p.Window(cursor, 2000, page.FormBody)
		if err != nil {
			return err
		}
		body.WriteString(w.Body)
		if cursor = w.Next; cursor == "" {
			break
		}
	}
	if body.String() != string(p.Body()) {
		return fmt.Errorf("the windows of the body are not the body")
	}
	return nil
}
