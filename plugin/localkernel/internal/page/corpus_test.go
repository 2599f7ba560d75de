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
