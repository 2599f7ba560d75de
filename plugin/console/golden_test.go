package console_test

import (
	"flag"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/console"
	"github.com/mnote-dev/mnote-host/tools"
)

var update = flag.Bool("update", false, "rewrite the pages in testdata")

// chance is what differs from one run to the next: the marks of forms, notes
// and files.
var chance = regexp.MustCompile(`(name="form" value="|id="note-|\?v=)[^"]+`)

// withoutChance leaves out what says nothing: chance, and lines without a word.
func withoutChance(page string) string {
	var lines []string
	for line := range strings.Lines(chance.ReplaceAllString(page, "${1}…")) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestPages holds every page against the one that was looked at last, so that a
// change is a visible diff.
func TestPages(t *testing.T) {
	t.Parallel()
	titled := []console.Category{{Packs: []console.Pack{aPack("p", "包", tools.Tool{Name: "mnote.page.save", Title: "保存正文"})}}}
	both := tools.Errorf(tools.CodeConflict, tools.Text{ZH: "之后又被修改", EN: "changed since"}).
		With("threeWay", map[string]any{"undo": map[string]any{"unifiedDiff": "-new\n+old\n"}, "since": map[string]any{"unifiedDiff": "+later\n"}})
	diffs := map[string]string{"c": "--- before\n+++ after\n@@ -1 +1 @@\n-old\r\n+new \u202egnp <b>\n same\n", "same": ""}
	for name, c := range map[string]struct {
		fake *fake
		path string
		form url.Values
	}{
		"packs-zh":     {&fake{packs: aLibrary()}, "/?lang=zh", nil},
		"packs-en":     {&fake{packs: aLibrary(), plans: somePlans(t)}, "/?lang=en", nil},
		"packs-lost":   {&fake{packs: lostSwitches()}, "/?lang=en", nil},
		"packs-none":   {&fake{}, "/", nil},
		"packs-fault":  {&fake{fault: tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "没有状态文件夹", EN: "no state folder"})}, "/", nil},
		"packs-done":   {&fake{packs: titled}, "/packs/p", url.Values{"on": {"false"}}},
		"records-zh":   {&fake{packs: titled, rows: someRows()}, "/records?lang=zh", nil},
		"records-en":   {&fake{rows: someRows()}, "/records?lang=en&outcome=write&since=24h&where=all&session=s_one&document=a.md", nil},
		"records-odd":  {&fake{rows: someRows()}, "/records?session=s%26one&tool=x%22y%2Bz", nil},
		"records-old":  {&fake{rows: someRows()}, "/records?after=4", nil},
		"records-none": {&fake{}, "/records", nil},
		"records-both": {&fake{undo: func(string) tools.Envelope { return tools.Envelope{Error: both} }}, "/records/undo", url.Values{"command": {"c"}}},
		"plans-zh":     {&fake{packs: titled, plans: somePlans(t)}, "/plans?lang=zh", nil},
		"plans-en":     {&fake{plans: somePlans(t)}, "/plans?lang=en", nil},
		"plans-none":   {&fake{}, "/plans", nil},
		"diff":         {&fake{diffs: diffs}, "/records/diff?command=c", nil},
		"diff-same":    {&fake{diffs: diffs}, "/records/diff?command=same", nil},
		"diff-unknown": {&fake{diffs: diffs}, "/records/diff?command=none", nil},
		"nothing":      {&fake{}, "/nowhere", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, c.fake).signIn()
			var page string
			if c.form == nil {
				_, page = s.get(c.path)
			} else {
				_, page = s.post(c.path, c.form)
			}
			sameAsKept(t, name, page)
		})
	}
	s := newSite(t, &fake{})
	_, page := s.get("/")
	sameAsKept(t, "signin", page)
	status, page := s.get(s.console.Link(""))
	if status != http.StatusOK {
		t.Errorf("the link answers %d", status)
	}
	sameAsKept(t, "open", page)
}

// sameAsKept compares a page with the one in testdata.
func sameAsKept(t *testing.T, name, page string) {
	t.Helper()
	file := filepath.Join("testdata", "pages", name+".html")
	page = withoutChance(page)
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page, "%!") {
		t.Errorf("a place of the page is not filled: %s", page)
	}
	if diff := cmp.Diff(strings.Split(string(kept), "\n"), strings.Split(page, "\n")); diff != "" {
		t.Errorf("%s is another page (-kept +now), -update keeps it:\n%s", name, diff)
	}
}
