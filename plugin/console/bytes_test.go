package console

import (
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"
)

// A name is this machine's by itself, not by what it begins or ends with.
func TestLoopback(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:7331": true, "127.0.0.1": true, "127.0.0.1:7331": true, "127.1.2.3:1": true, "[::1]": true, "[::1]:7331": true,
		"": false, ":7331": false, "localhost.evil.example": false, "127.0.0.1.evil.example:7331": false, "0.0.0.0:7331": false, "192.168.1.2": false,
		"evil.example:7331": false, "localhost@evil.example": false, "[::]:7331": false, "2130706433": false, "localhost:7331:1": false,
	} {
		if got := loopback(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}

// Whatever a diff holds, the page gets lines of text that hide nothing.
func FuzzDiffLines(f *testing.F) {
	f.Add("--- before\n+++ after\n@@ -1 +1 @@\n-a\r\n+b\u202e\xff\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, _ := diffLines(text)
		for _, l := range lines {
			if strings.ContainsAny(l.Text, "\n\r\x1b\u202e") || !utf8.ValidString(l.Text) {
				t.Errorf("%q has the line %q", text, l.Text)
			}
		}
		if want := strings.Count(text, "\n"); len(text) <= maxDiff && (len(lines) < want || len(lines) > want+1) {
			t.Errorf("%q gives %d lines", text, len(lines))
		}
	})
}

// Whatever a person's address says, there is a filter, and its own address leads
// back to it.
func FuzzFilter(f *testing.F) {
	f.Add("session=a&document=b.md&tool=c&outcome=write&since=7d&where=all&after=12")
	f.Add("after=-9223372036854775808&since=%00")
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest("GET", "/records", nil)
		r.URL.RawQuery = query
		want := filterOf(r)
		if want.After < 0 {
			want.After = 0 // the beginning
		}
		r = httptest.NewRequest("GET", string(want.address(func(*filter) {})), nil)
		if got := filterOf(r); got != want {
			t.Errorf("%q: %+v leads to %+v", query, want, got)
		}
	})
}
