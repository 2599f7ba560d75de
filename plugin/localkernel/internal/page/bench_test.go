package page_test

import (
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// benchPage is a page of about 10 KB with most kinds of blocks.
func benchPage() []byte {
	var b strings.Builder
	b.WriteString("---\ntitle: 计划\ntags: [a, b]\n---\n")
	for b.Len() < 10_000 {
		for _, s := range samples {
			b.WriteString(s.src + "\n\n<!-- apart -->\n\n")
		}
	}
	return []byte(b.String()[:10_000] + "\n")
}

func BenchmarkParse10KB(b *testing.B) {
	src := benchPage()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if len(page.Parse(src).Blocks()) < 50 {
			b.Fatal("no blocks")
		}
	}
}

func BenchmarkReplace10KB(b *testing.B) {
	src := benchPage()
	id := page.Parse(src).Blocks()[40].ID
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := page.Parse(src).Replace(id, "new text"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSave10KB(b *testing.B) {
	src := benchPage()
	content := givenAll(page.Parse(src))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := page.Parse(src).Save(content, page.ModeReplace); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSetTitle(b *testing.B) {
	src := benchPage()
	for b.Loop() {
		if _, err := page.Parse(src).SetTitle("新", "x.md"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiff10KB(b *testing.B) {
	old := page.Parse(benchPage())
	e, err := old.Replace(old.Blocks()[40].ID, "new text")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if page.Diff(old, e.Page) == "" {
			b.Fatal("no difference")
		}
	}
}
