package page_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

const manySections = "# A\n\n## Tasks\n\na1\n\n# B\n\n## Tasks\n\nb1\n\n### Done\n\n# a/b\n\n# 计划 **重要**\n\n# Café\n\n# Tabs\tand  blanks\n\n" +
	"# [Link](http://x) to `code` &amp; more\n\n# [[Page|Shown]]\n\n## 🗒️ Notes\n\n# Tasks now\n"

func TestUnder(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte(manySections))
	for _, tc := range []struct{ target, want, reason string }{
		{target: "B/Tasks", want: "B/Tasks"},
		{target: "B / Tasks", want: "B/Tasks"},
		{target: "/B/Tasks", want: "B/Tasks"},
		{target: " Done ", want: "B/Tasks/Done"},
		{target: "Tasks/Done", want: "B/Tasks/Done"},
		{target: "B/Tasks/Done", want: "B/Tasks/Done"},
		{target: "a/b", want: "a/b"},
		{target: "# A", want: "A"},
		{target: "### Done", want: "B/Tasks/Done"},
		{target: "## A", reason: "target_not_found"},
		{target: "计划 **重要**", want: "计划 **重要**"},
		{target: "计划 重要", want: "计划 **重要**"},
		{target: "Cafe\u0301", want: "Café"},
		{target: "Tabs and blanks", want: "Tabs and blanks"},
		{target: "Link to code & more", want: "[Link](http://x) to `code` &amp; more"},
		{target: "Shown", want: "[[Page|Shown]]"},
		{target: "🗒 Notes", want: "[[Page|Shown]]/🗒️ Notes"},
		{target: "Shown/🗒 Notes", want: "[[Page|Shown]]/🗒️ Notes"},
		{target: "Tasks now", want: "Tasks now"},
		{target: "Tasks", reason: "ambiguous_target"},
		{target: "tasks", reason: "target_not_found"},
		{target: "A/Done", reason: "target_not_found"},
		{target: "/Done", reason: "target_not_found"},
		{target: "", reason: "target_not_found"},
		{target: "/", reason: "target_not_found"},
		{target: "#", reason: "target_not_found"},
		{target: "b_gone", reason: "target_not_found"},
	} {
		s, err := p.Under(tc.target)
		if tc.reason != "" {
			if code, reason := refusal(err); code != tools.CodeInvalidArgs || reason != tc.reason {
				t.Errorf("Under(%q): %s %q, want %q", tc.target, code, reason, tc.reason)
			}
			continue
		}
		if err != nil || s.Heading.Path != tc.want {
			t.Errorf("Under(%q) = %q, %v; want %q", tc.target, s.Heading.Path, err, tc.want)
		}
	}
}

func TestEachHeadingIsFoundByItsPathAndID(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte(manySections + "\n\n# A\n"))
	list, total := p.Outline(100)
	if total != len(list) || total != 14 {
		t.Fatalf("%d of %d headings", len(list), total)
	}
	for _, h := range list {
		s, err := p.Under(h.ID)
		if err != nil || s.Heading != h {
			t.Errorf("by id %s: %+v, %v", h.ID, s.Heading, err)
		}
		if h.Path == "A" {
			continue // twice
		}
		if s, err := p.Under("/" + h.Path); err != nil || s.Heading != h {
			t.Errorf("by path %q: %+v, %v", h.Path, s.Heading, err)
		}
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	paths := func(src, target string) []string {
		_, err := page.Parse([]byte(src)).Under(target)
		var out []string
		for _, c := range tools.AsError(err).Details["candidates"].([]map[string]any) {
			if c["blockId"] == "" {
				t.Errorf("%q: a candidate without id", target)
			}
			out = append(out, c["path"].(string))
		}
		return out
	}
	for _, tc := range []struct {
		name, src, target string
		want              []string
	}{
		{"ambiguous", "# A\n\n## T\n\n# B\n\n## T\n", "T", []string{"A/T", "B/T"}},
		{"one above the other", "# T\n\n## T\n", "T", []string{"/T", "T/T"}},
		{"near ones first", "# A\n\n# Open tasks\n", "Tasks", []string{"Open tasks", "A"}},
		{"no heading at all", "x\n", "T", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := paths(tc.src, tc.target)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			for _, path := range got {
				if s, err := page.Parse([]byte(tc.src)).Under(path); err != nil || s.Heading.Path != strings.TrimPrefix(path, "/") {
					t.Errorf("the candidate %q leads to %q, %v", path, s.Heading.Path, err)
				}
			}
		})
	}
	if got := paths(strings.Repeat("# x\n\n## y\n\n", 500), "z"); len(got) != 20 {
		t.Errorf("%d candidates, want 20", len(got))
	}
}

func TestOutline(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("长", 500)
	p := page.Parse([]byte("# " + long + "\n\n### deep\n\n## up\n"))
	got, total := p.Outline(2)
	if total != 3 || len(got) != 2 {
		t.Fatalf("%d of %d", len(got), total)
	}
	short := strings.Repeat("长", page.MaxHeading-1) + "…"
	if got[0].Text != short || got[1].Path != short+"/deep" || got[1].Level != 3 {
		t.Errorf("got %+v", got)
	}
	if s, err := p.Under(long + "/up"); err != nil || s.Heading.Text != "up" {
		t.Errorf("the whole text is not found: %v", err)
	}
	if got, total := page.Parse(nil).Outline(5); got != nil || total != 0 {
		t.Errorf("an empty page has the outline %v", got)
	}
}
