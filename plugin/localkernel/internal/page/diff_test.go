package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// patch applies a unified diff, strictly: each context line and each removed
// line must be there, at the line the hunk names.
func patch(src, diff string) (string, error) {
	if diff == "" {
		return src, nil
	}
	lines := strings.SplitAfter(diff, "\n")
	if lines[0] != "--- before\n" || lines[1] != "+++ after\n" {
		return "", fmt.Errorf("heads %q", lines[:2])
	}
	old := strings.SplitAfter(src, "\n")
	var out strings.Builder
	at, toLine := 0, 0
	for i := 2; i < len(lines) && lines[i] != ""; i++ {
		line := lines[i]
		text := line[1:]
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\ No newline`) {
			text = strings.TrimSuffix(text, "\n")
		}
		switch line[0] {
		case '@':
			var from, fromN, to, toN int
			if err := header(line, &from, &fromN, &to, &toN); err != nil {
				return "", err
			}
			for at < from-1 || fromN == 0 && at < from {
				out.WriteString(old[at])
				at, toLine = at+1, toLine+1
			}
			if toN > 0 && toLine != to-1 || toN == 0 && toLine != to {
				return "", fmt.Errorf("%q at line %d of the result", line, toLine)
			}
		case ' ', '-':
			if at >= len(old) || old[at] != text {
				return "", fmt.Errorf("line %d is %q, the diff says %q", at, old[at:], text)
			}
			at++
			if line[0] == ' ' {
				out.WriteString(text)
				toLine++
			}
		case '+':
			out.WriteString(text)
			toLine++
		case '\\':
		default:
			return "", fmt.Errorf("line %q", line)
		}
	}
	for ; at < len(old); at++ {
		out.WriteString(old[at])
	}
	return out.String(), nil
}

func header(line string, from, fromN, to, toN *int) error {
	*fromN, *toN = 1, 1
	a, b, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "@@ -"), " @@\n"), " +")
	if !ok {
		return fmt.Errorf("hunk %q", line)
	}
	for _, part := range []struct {
		text  string
		at, n *int
	}{{a, from, fromN}, {b, to, toN}} {
		if _, err := fmt.Sscanf(part.text, "%d,%d", part.at, part.n); err == nil {
			continue
		}
		if _, err := fmt.Sscanf(part.text, "%d", part.at); err != nil {
			return fmt.Errorf("hunk %q: %w", line, err)
		}
	}
	return nil
}

func TestDiffIsExact(t *testing.T) {
	t.Parallel()
	r := newRand(5)
	for i := range 3000 {
		old, now := randomPage(r), randomPage(r)
		if i%2 == 0 { // a small change in a long page
			src := strings.Repeat(string(old.Bytes()), 5)
			old = page.Parse([]byte(src))
			now = page.Parse([]byte(src[:len(src)/2] + "new\n" + src[len(src)/2:]))
		}
		got, err := patch(string(old.Bytes()), page.Diff(old, now))
		if err != nil {
			t.Fatalf("%q to %q: %v\n%s", old.Bytes(), now.Bytes(), err, page.Diff(old, now))
		}
		if diff := cmp.Diff(string(now.Bytes()), got); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestDiffForms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, old, new, want string }{
		{"equal", "a\n", "a\n", ""},
		{"from nothing", "", "a\n", "--- before\n+++ after\n@@ -0,0 +1 @@\n+a\n"},
		{"to nothing", "a\nb\n", "", "--- before\n+++ after\n@@ -1,2 +0,0 @@\n-a\n-b\n"},
		{"final newline lost", "a\n", "a", "--- before\n+++ after\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"},
		{"context", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", "--- before\n+++ after\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{"CRLF", "a\r\nb\r\n", "a\r\nc\r\n", "--- before\n+++ after\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, page.Diff(page.Parse([]byte(tc.old)), page.Parse([]byte(tc.new)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBoundedDiff(t *testing.T) {
	t.Parallel()
	old, now := page.Parse(nil), page.Parse([]byte(strings.Repeat("words 字\n", 1000)))
	whole := page.Diff(old, now)
	for _, n := range []int{0, 1, 50, 1000, len(whole) - 1, len(whole), len(whole) + 1} {
		got, truncated := page.BoundedDiff(old, now, n)
		if truncated != (n < len(whole)) || len(got) > n || !strings.HasPrefix(whole, got) {
			t.Errorf("bound %d: %d bytes, truncated %v", n, len(got), truncated)
		}
		if truncated && n >= 50 && !strings.HasSuffix(got, "\n") {
			t.Errorf("bound %d: cut inside a line", n)
		}
	}
	got, truncated := page.BoundedDiff(old, page.Parse([]byte(strings.Repeat("字", 1000))), 100)
	if !truncated || strings.ToValidUTF8(got, "") != got {
		t.Errorf("a long line is cut to %q, truncated %v", got, truncated)
	}
}
