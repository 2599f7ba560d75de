package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

// chars is what a piece takes in a reply, less its fixed part.
func chars(w page.Window) int {
	n := utf8.RuneCountInString(w.Body)
	for _, p := range w.Pieces {
		n += utf8.RuneCountInString(p.Text)
		if p.Source != nil {
			n += utf8.RuneCountInString(*p.Source)
		}
		for _, item := range p.Items {
			n += utf8.RuneCountInString(item.Text)
		}
	}
	return n
}

// readAll reads a page window by window and checks what holds for each.
func readAll(t *testing.T, p *page.Page, maxChars int, form page.Form) []page.Window {
	t.Helper()
	var all []page.Window
	for cursor := ""; ; {
		w, err := p.Window(cursor, maxChars, form)
		if err != nil {
			t.Fatalf("window %d: %v", len(all), err)
		}
		limit := max(maxChars, page.MinWindow)
		if maxChars <= 0 {
			limit = page.DefaultWindow
		}
		if n := chars(w); n > limit {
			t.Fatalf("window %d holds %d characters, more than %d", len(all), n, limit)
		}
		if w.Bytes != len(p.Bytes()) || w.Blocks != len(p.Blocks()) {
			t.Fatalf("window %d says %d bytes, %d blocks", len(all), w.Bytes, w.Blocks)
		}
		all = append(all, w)
		if w.Next == "" {
			return all
		}
		if w.Next == cursor || len(all) > len(p.Bytes())+1 {
			t.Fatalf("window %d does not move on", len(all))
		}
		cursor = w.Next
	}
}

// covered checks that the windows are the whole page, in order, and cut where
// they may be.
func covered(t *testing.T, p *page.Page, windows []page.Window) {
	t.Helper()
	k, blocks := 0, p.Blocks()
	within := 0
	for _, w := range windows {
		for _, piece := range w.Pieces {
			b := blocks[k]
			from := max(b.Start, within)
			if piece.Block.ID != b.ID || piece.Start != from || piece.End <= from || piece.End > b.End {
				t.Fatalf("piece [%d,%d) of %s, want from %d of %s", piece.Start, piece.End, piece.Block.ID, from, b.ID)
			}
			if piece.Whole && (piece.Start != b.Start || piece.End != b.End || piece.Text != p.Text(b)) {
				t.Fatalf("a part of %s is called whole", b.ID)
			}
			if utf8.Valid(p.Bytes()) && !utf8.ValidString(piece.Text) {
				t.Fatalf("a character was cut: %q", piece.Text)
			}
			within = piece.End
			if piece.End == b.End {
				k++
			}
		}
	}
	if k != len(blocks) {
		t.Fatalf("the windows end at block %d of %d", k, len(blocks))
	}
}

func TestWindowsAreThePage(t *testing.T) {
	t.Parallel()
	r := newRand(4)
	for range 300 {
		p := randomPage(r)
		for _, n := range []int{1, 256, 300, 1000, 0} {
			covered(t, p, readAll(t, p, n, page.FormBlocks))
			var body strings.Builder
			for _, w := range readAll(t, p, n, page.FormBody) {
				body.WriteString(w.Body)
			}
			if body.String() != string(p.Body()) {
				t.Fatalf("the body of %q came as %q", p.Bytes(), body.String())
			}
		}
	}
}

func TestWindowCutsBetweenBlocks(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte(strings.Repeat(strings.Repeat("word ", 20)+"\n\n", 50)))
	for i, w := range readAll(t, p, 400, page.FormBlocks) {
		for _, piece := range w.Pieces {
			if !piece.Whole {
				t.Errorf("window %d cuts a block that fits", i)
			}
		}
	}
	for i, w := range readAll(t, p, 400, page.FormBody) {
		if !strings.HasPrefix(w.Body, "word") || w.Next != "" && !strings.HasSuffix(w.Body, "\n\n") {
			t.Errorf("body window %d is cut inside a block: %q", i, w.Body)
		}
	}
}

func TestWindowCutsLongBlocks(t *testing.T) {
	t.Parallel()
	row := "| " + strings.Repeat("单元", 20) + " | \\| b |\r\n"
	table := "| a | b |\r\n|---|---|\r\n" + strings.Repeat(row, 100)
	for _, tc := range []struct {
		name, src string
		ok        func(part, rest string) bool // how a part may end
	}{
		{"table between rows", table, func(part, rest string) bool { return strings.HasSuffix(part, "|\n") && strings.HasPrefix(rest, "|") }},
		{"code between lines", "```\n" + strings.Repeat("some code\n", 300) + "```\n", func(part, _ string) bool { return strings.HasSuffix(part, "\n") }},
		{"one line of Chinese", strings.Repeat("会议纪要", 2000), func(part, _ string) bool { return utf8.ValidString(part) }},
		{"emoji", strings.Repeat("👩‍💻", 2000), func(part, _ string) bool { return utf8.ValidString(part) }},
		{"a table row longer than a window", "a|b\n-|-\n" + strings.Repeat("字", 3000) + "|" + strings.Repeat("字", 3000), func(part, _ string) bool { return utf8.ValidString(part) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			windows := readAll(t, p, 500, page.FormBlocks)
			covered(t, p, windows)
			if len(windows) < 4 {
				t.Errorf("%d windows only", len(windows))
			}
			for i, w := range windows[:len(windows)-1] {
				part, rest := w.Pieces[len(w.Pieces)-1], windows[i+1].Pieces[0]
				if part.Whole || part.Source != nil || !tc.ok(part.Text, rest.Text) {
					t.Errorf("window %d ends %q before %q", i, part.Text, rest.Text)
				}
			}
		})
	}
}

func TestLongListGoesWithoutItsItems(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte(strings.Repeat("- x\n", 100) + "\nwords\n"))
	for _, n := range []int{500, 1000, 20000} {
		windows := readAll(t, p, n, page.FormBlocks)
		covered(t, p, windows)
		list := windows[0].Pieces[0]
		if n == 20000 && (!list.Whole || len(list.Items) != 100) || n == 1000 && (!list.Whole || list.Items != nil) || n == 500 && list.Whole {
			t.Errorf("max %d: whole %v with %d items", n, list.Whole, len(list.Items))
		}
	}
}

func TestCursors(t *testing.T) {
	t.Parallel()
	src := strings.Repeat("words of a page 字\n\n", 200)
	p := page.Parse([]byte(src))
	w, err := p.Window("", 500, page.FormBlocks)
	if err != nil || w.Next == "" {
		t.Fatal(w.Next, err)
	}
	if _, err := page.Parse([]byte(src)).Window(w.Next, 500, page.FormBlocks); err != nil {
		t.Errorf("another parse of the same bytes refuses the cursor: %v", err)
	}
	_, err = page.Parse([]byte(src+"x")).Window(w.Next, 500, page.FormBlocks)
	if code, reason := refusal(err); code != tools.CodeConflict || reason != "cursor_stale" {
		t.Errorf("cursor of other bytes: %v", err)
	}
	raw, _ := base64.RawURLEncoding.DecodeString(w.Next)
	damaged := func(i int) string {
		b := append([]byte(nil), raw...)
		b[i] ^= 1
		return base64.RawURLEncoding.EncodeToString(b)
	}
	for name, cursor := range map[string]string{
		"words": "next", "blank": " ", "cut": w.Next[:len(w.Next)-2], "longer": w.Next + "AA", "version": damaged(0),
		"form": damaged(1), "hash": damaged(4), "offset": damaged(11), "check": damaged(len(raw) - 1), "padding": w.Next + "=",
	} {
		_, err := p.Window(cursor, 500, page.FormBlocks)
		if code, reason := refusal(err); code != tools.CodeInvalidArgs || reason != "cursor_invalid" {
			t.Errorf("cursor %s: %v", name, err)
		}
	}
	// Whoever makes cursors himself may not get half a character either.
	for at, ok := range map[int]bool{0: true, 16: true, 17: false, 18: false, 19: true, len(src) - 1: true, len(src): false, 1 << 40: false} {
		_, err := p.Window(forged(src, at), 500, page.FormBlocks)
		if (err == nil) != ok || err != nil && refusedFor(err, "cursor_invalid") != nil {
			t.Errorf("a forged cursor at %d: %v", at, err)
		}
	}
	if _, err := p.Window(w.Next, 500, page.FormBody); refusedFor(err, "cursor_invalid") != nil {
		t.Errorf("a cursor of blocks for the body: %v", err)
	}
}

// forged makes a cursor as the package does.
func forged(src string, at int) string {
	hash := sha256.Sum256([]byte(src))
	b := binary.AppendUvarint(append([]byte{1, 'k'}, hash[:8]...), uint64(at))
	check := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(append(b, check[:4]...))
}
