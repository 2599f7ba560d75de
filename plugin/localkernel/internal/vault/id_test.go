package vault

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// TestParseID: case B18, the lexical half. Nothing here touches a file.
func TestParseID(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, reason string }{
		{"x.md", ""},
		{"财务/季度.md", ""},
		{"a/b c/🗒️ d.md", ""},
		{"50% off.md", ""},
		{"100%.md", ""},
		{"%41.md", ""},
		{"con text.md", ""},
		{"…/x.md", ""},
		{"..x.md", ""},
		{"", "empty"},
		{"a//b.md", "empty"},
		{"a/", "empty"},
		{"../x.md", "parent"},
		{"a/../../x.md", "parent"},
		{"a/..", "parent"},
		{"./x.md", "dot"},
		{"/etc/hosts", "absolute"},
		{"//srv/s/x.md", "unc"},
		{`\\srv\s\x.md`, "unc"},
		{`\\?\C:\x.md`, "unc"},
		{`C:\x.md`, "drive"},
		{"C:x.md", "drive"},
		{"c:/x.md", "drive"},
		{`a\..\x.md`, "backslash"},
		{"%2e%2e/x.md", "percent"},
		{"%2E%2E%2Fx.md", "percent"},
		{"a%5cx.md", "percent"},
		{"%252e%252e/x.md", "percent"},
		{"x.md%00.txt", "percent"},
		{"x.md\x00.txt", "nul"},
		{"a\nb.md", "control"},
		{"a\x7fb.md", "control"},
		{"NUL", "reserved"},
		{"nul.md", "reserved"},
		{"a/CON .md", "reserved"},
		{"com1.tar.md", "reserved"},
		{"LPT¹.md", "reserved"},
		{"file:///etc/hosts", "uri"},
		{"FILE:x.md", "uri"},
		{"mnote://page/x.md", "uri"},
		{"https://example.org/x.md", "uri"},
		{"a\xff.md", "encoding"},
		{strings.Repeat("字", 100) + ".md", "too_long"},
		{strings.Repeat("a/", 600) + "x.md", "too_long"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			id, err := ParseID(tt.path)
			if tt.reason == "" {
				if err != nil || string(id) != norm.NFC.String(tt.path) {
					t.Fatalf("ParseID = %q, %v; want the path itself", id, err)
				}
				return
			}
			var denied *Denied
			if !errors.As(err, &denied) || denied.Reason != tt.reason {
				t.Errorf("ParseID = %q, %v; want denied: %s", id, err, tt.reason)
			}
		})
	}
}

func TestParseIDComposes(t *testing.T) {
	t.Parallel()
	id, err := ParseID("cafe\u0301.md")
	if err != nil || id != "caf\u00e9.md" {
		t.Errorf("ParseID = %q, %v; want the composed form", id, err)
	}
}

// FuzzParseID: an id that is accepted stays below the root whoever joins it.
func FuzzParseID(f *testing.F) {
	for _, s := range []string{"a/b.md", "../x", "a/./b", "%2e%2e/", `C:\x`, "CON", "é", "a\x00b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseID(s)
		if err != nil {
			return
		}
		again, err := ParseID(string(id))
		if err != nil || again != id {
			t.Fatalf("%q was accepted as %q, which is read as %q, %v", s, id, again, err)
		}
		for segment := range strings.SplitSeq(string(id), "/") {
			if segment == "" || segment == "." || segment == ".." || strings.ContainsAny(segment, "\\\x00") {
				t.Fatalf("%q was accepted with the segment %q", s, segment)
			}
		}
	})
}

// TestNameFor: case B09. Titles that differ give names that differ or can be
// told apart by a number, and every name is a path that ParseID takes.
func TestNameFor(t *testing.T) {
	t.Parallel()
	tests := []struct{ title, name string }{
		{"会议纪要一", "会议纪要一.md"},
		{"会议纪要二", "会议纪要二.md"},
		{"🗒️", "🗒️.md"},
		{"CON", "_CON.md"},
		{"nul.txt", "_nul.txt.md"},
		{"a/b", "a-b.md"},
		{`a\b:c*d?e"f<g>h|i`, "a-b-c-d-e-f-g-h-i.md"},
		{"..", "untitled.md"},
		{".hidden", "hidden.md"},
		{"  spaced \t out  ", "spaced out.md"},
		{"line\nbreak", "line break.md"},
		{"50%2e", "50-2e.md"},
		{"\u202egnp.exe", "gnp.exe.md"},
		{"a\x00b", "ab.md"},
		{"", "untitled.md"},
	}
	for _, tt := range tests {
		got := NameFor(tt.title)
		if got != tt.name {
			t.Errorf("NameFor(%q) = %q, want %q", tt.title, got, tt.name)
		}
		if _, err := ParseID(got); err != nil {
			t.Errorf("NameFor(%q) = %q: %v", tt.title, got, err)
		}
	}
	if got := Numbered("纪要.md", 2); got != "纪要 2.md" {
		t.Errorf("Numbered = %q", got)
	}
}

func FuzzNameFor(f *testing.F) {
	for _, s := range []string{"会议", strings.Repeat("字", 300), "CON", "..", "a/b", "👩‍💻"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, title string) {
		name := NameFor(title)
		id, err := ParseID(name)
		if err != nil || strings.Contains(string(id), "/") || strings.HasPrefix(name, ".") {
			t.Fatalf("NameFor(%q) = %q: %v", title, name, err)
		}
		if len(name) > maxSegment-20 {
			t.Fatalf("NameFor(%q) is %d bytes long", title, len(name))
		}
	})
}
