package console

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	markupString = regexp.MustCompile("(?s)\\.put\\((`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\")|when\\([^`\"]*(`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\")\\)")
	quoted       = regexp.MustCompile(`(?s)="[^"]*"`)
	tag          = regexp.MustCompile(`(?s)<[^>]*>`)
	leads        = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
)

// TestMarkupPlaces reads every piece of markup in the source: a place to fill is
// in an element's text or between an attribute's quotes, never in a script, a
// style or an attribute that is a program; what is no attribute value stands
// outside of tags, but for the words that when gives; and nothing but a
// constant becomes markup.
func TestMarkupPlaces(t *testing.T) {
	t.Parallel()
	source := ourSource(t)
	found := markupString.FindAllStringSubmatch(source, -1)
	if len(found) < 50 {
		t.Fatalf("only %d pieces of markup found", len(found))
	}
	bare := regexp.MustCompile(`<(?:li|div|article|option|button|input|span|a) [^<>]*[a-z"]%s[^<>]*>`)
	for _, m := range found {
		piece := strings.Trim(m[1]+m[2], "`")
		if n := strings.Count(piece, `"`); strings.HasPrefix(m[0], ".put(`") && n%2 != 0 {
			t.Errorf("a value is open at the end of %s", piece)
		}
		if regexp.MustCompile(`(?i)<script>|<style| on[a-z]+=|style=|javascript:`).MatchString(piece) {
			t.Errorf("%s is a program", piece)
		}
		for _, lead := range leads.FindAllStringSubmatch(piece, -1) {
			if lead[1] != "%s" && (strings.Contains(lead[1], "%") || !strings.HasPrefix(lead[1], "/") && lead[1] != "#main") {
				t.Errorf("%s leads to %s", piece, lead[1])
			}
		}
		for _, tag := range tag.FindAllString(quoted.ReplaceAllString(piece, `=""`), -1) {
			if strings.Contains(tag, "%s") && !bare.MatchString(tag) {
				t.Errorf("%s has a place in the tag %s", piece, tag)
			}
		}
	}
	if strings.Contains(source, "markup(") {
		t.Error("something is made markup")
	}
}

func TestPut(t *testing.T) {
	t.Parallel()
	var p pen
	p.put(`<a href="%s" title="%s"%s>%s %s %s</a>`, address("/a?b=c&d"), `"'<`, when(true, " hidden"), "<b>&amp;\x00", 3, true)
	if got, want := p.out.String(), `<a href="/a?b=c&amp;d" title="&#34;&#39;&lt;" hidden>&lt;b&gt;&amp;amp;`+"\ufffd"+` 3 true</a>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for a, want := range map[address]address{
		"/": "/", "/a?b=//c": "/a?b=//c", "": "#", "//evil.example": "#", `/\evil.example`: "#", "https://evil.example": "#",
		"javascript:alert(1)": "#", "data:text/html,x": "#", " /a": "#",
		under("/packs/", "a/../b?c#d"): "/packs/a%2F..%2Fb%3Fc%23d", under("/packs/", `"><x>`): "/packs/%22%3E%3Cx%3E",
	} {
		if got := a.local(); got != want {
			t.Errorf("%q leads to %q, want %q", a, got, want)
		}
	}
}

// Whatever a value holds, it is one text: no tag begins in it, no attribute ends
// in it, and a browser reads back what was put.
func FuzzPut(f *testing.F) {
	f.Add(`"><script>alert(1)</script>`)
	f.Add("' onmouseover=alert(1) &lt;&#x3c;\x00\xff")
	f.Fuzz(func(t *testing.T, value string) {
		var p pen
		p.put(`<p title="%s">%s</p>`, value, value)
		page := p.out.String()
		inside, ok := strings.CutPrefix(page, `<p title="`)
		title, rest, cut := strings.Cut(inside, `">`)
		text, end, closed := strings.Cut(rest, "<")
		if !ok || !cut || !closed || end != "/p>" || title != text || strings.ContainsAny(text, `"'<>`+"\x00") {
			t.Fatalf("%q becomes %q", value, page)
		}
		if want := strings.ReplaceAll(value, "\x00", "\ufffd"); utf8.ValidString(value) && html.UnescapeString(text) != want {
			t.Errorf("%q is read back as %q", value, html.UnescapeString(text))
		}
	})
}
