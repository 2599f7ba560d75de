package console_test

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/console"
	"github.com/mnote-dev/mnote-host/tools"
)

// hostile are what an agent, a kernel or a file name may put where a page shows
// a text.
var hostile = []string{
	`"><script>alert(1)</script>`, `' onmouseover='alert(1)`, `" autofocus onfocus="alert(1)`, `javascript:alert(1)`, `//evil.example/x`,
	`</code></pre></summary><img src=x onerror=alert(1)>`, `<!--`, `]]>`, `&lt;b&gt;&#34;`, "a\x00b\u202ec\rd", "\xff\xfe", "`${1}`", `\"><x>`, `{{.}} %s %!`,
}

// spoil puts the text at the end of every string that it reaches, in place.
func spoil(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.String() != "" {
			v.SetString(v.String() + text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Type.PkgPath() != "time" {
				spoil(v.Field(i), text)
			}
		}
	}
}

var (
	tagsOf      = regexp.MustCompile(`(?s)<[^>]*>`)
	valuesOf    = regexp.MustCompile(`(?s)="[^"]*"`)
	addressesOf = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)
)

// skeleton is a page's tags and attributes, in order, without a value.
func skeleton(page string) string {
	return strings.Join(tagsOf.FindAllString(valuesOf.ReplaceAllString(page, `=""`), -1), "\n")
}

// spoilt are records whose every text ends in one of ours. What the page
// decides by (a status, a kind, an outcome) stays.
func spoilt(t *testing.T, text string) *fake {
	f := &fake{packs: aLibrary(), rows: someRows(), plans: somePlans(t), diffs: map[string]string{"c": "-a" + text + "\n+b" + text + "\n"}}
	for i := range f.packs {
		c := &f.packs[i]
		c.Name, c.Title = c.Name+text, c.Title+text
		for j := range c.Packs {
			p := &c.Packs[j]
			kind := p.UIKind
			spoil(reflect.ValueOf(&p.Pack).Elem(), text)
			p.UIKind = kind
			for k := range p.Tools {
				tool := &p.Tools[k]
				tool.Name, tool.Title = tool.Name+tools.Name(text), tool.Title+text
				spoil(reflect.ValueOf(tool.Scopes), text)
			}
		}
	}
	for i := range f.rows {
		workspace, effect := f.rows[i].Workspace, f.rows[i].Effect
		spoil(reflect.ValueOf(&f.rows[i]).Elem(), text)
		f.rows[i].Workspace, f.rows[i].Effect = workspace, effect
	}
	for i := range f.plans {
		p := &f.plans[i]
		preview := object(t, map[string]any{"unifiedDiff": "+x" + text + "\n", "unifiedDiffTruncated": true, "args": map[string]any{"a" + text: text}, "warnings": []string{"w" + text}, "leftOut": []string{"l" + text}})
		spoil(reflect.ValueOf(p).Elem(), text)
		p.Preview = preview
	}
	undo := map[string]any{"unifiedDiff": "-x" + text + "\n"}
	f.undo = func(string) tools.Envelope {
		return tools.Envelope{Error: tools.Errorf(tools.CodeConflict, tools.Text{ZH: "%s", EN: "%s"}, "m"+text).With("threeWay", map[string]any{"undo": undo, "since": undo})}
	}
	return f
}

// hostilePages gives every page of a site whose records hold the text.
func hostilePages(t *testing.T, text string) map[string]string {
	s := newSite(t, spoilt(t, text), func(c *console.Config) { c.Root, c.Profile = c.Root+text, c.Profile+text }).signIn()
	pages := map[string]string{}
	for _, path := range []string{
		"/", "/?lang=en", "/records", "/plans", "/records/diff?command=c", "/records/diff?command=" + url.QueryEscape("none"+text),
		"/records?" + url.Values{"session": {"s" + text}, "document": {"d" + text}, "tool": {"t" + text}, "outcome": {"o" + text}, "since": {"i" + text}, "after": {"4"}}.Encode(),
	} {
		kept, _, _ := strings.Cut(path, "=")
		_, pages[kept] = s.get(path)
	}
	_, pages["undo"] = s.post("/records/undo", url.Values{"command": {"c" + text}, "at": {"x" + text}})
	_, pages["pack"] = s.post("/packs/p", url.Values{"on": {"true"}, "at": {text}})
	_, pages["tool"] = s.post("/tools/"+url.PathEscape("t"+text), url.Values{"on": {"true"}, "at": {text}})
	return pages
}

// Whatever a text holds that comes from an agent, a kernel or a file, every page
// keeps the tags and attributes that it has with a harmless one, and nothing
// on it leads to another place.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	harmless := hostilePages(t, "x")
	for i, text := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for name, page := range hostilePages(t, text) {
				if got, want := skeleton(page), skeleton(harmless[name]); got != want {
					t.Errorf("%s is another page with %q:\n%s\nand was\n%s", name, text, got, want)
				}
				for _, m := range addressesOf.FindAllStringSubmatch(page, -1) {
					if !strings.HasPrefix(m[1], "/") || strings.HasPrefix(m[1], "//") {
						if m[1] != "#main" {
							t.Errorf("%s leads to %s with %q", name, m[1], text)
						}
					}
				}
			}
		})
	}
}
