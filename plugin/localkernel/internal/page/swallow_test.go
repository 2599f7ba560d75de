package page_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

// A refusal names the blocks that would really change, and says what works.
func TestRefusalNamesWhatChanges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, src string
		edit      func(p *page.Page, id func(string) string) (*page.Edit, error)
		blocks    []string // sources of details.blocks
		says      string   // of the English message; {x} is the id of block x
	}{
		{"a list in place of what stands behind a list", "a\n\n- x\n\n# H\n\nz\n", func(p *page.Page, id func(string) string) (*page.Edit, error) {
			return p.Replace(id("# H"), "- y")
		}, []string{"- x"}, "Update the list block {- x} with the whole list"},
		{"the heading between two lists", "a\n\n- x\n\n# H\n\n- y\n\nz\n", func(p *page.Page, id func(string) string) (*page.Edit, error) {
			return p.Delete(id("# H"))
		}, []string{"- x", "- y"}, "between the lists {- x} and {- y} any more, and they would become one list"},
		{"a list moved beside a list", "- x\n\na\n\n- y\n\nz\n", func(p *page.Page, id func(string) string) (*page.Edit, error) {
			return p.Move(id("- y"), page.Where{After: id("- x")})
		}, []string{"- x", "- y"}, "update {- x} with the items of both and delete {- y}"},
		{"an indented item", "- x\n\n# H\n\nz\n", func(p *page.Page, id func(string) string) (*page.Edit, error) {
			return p.Insert(page.Where{After: id("- x")}, "  - y")
		}, []string{"- x"}, "Update the list block {- x} with the whole list"},
		{"two lists of the content", "a\n", func(p *page.Page, _ func(string) string) (*page.Edit, error) {
			return p.Save([]page.Content{text("- x"), text("- y")}, page.ModeAppend)
		}, []string{}, "Write them as one list"},
		{"an unclosed fence", "a\n\nb\n\nc\n", func(p *page.Page, id func(string) string) (*page.Edit, error) {
			return p.Insert(page.Where{After: id("a")}, "text\n\n```\nx")
		}, []string{"b", "c"}, "swallow what stands behind it ({b}, {c})"},
		{"an unclosed fence within the content", "a\n", func(p *page.Page, _ func(string) string) (*page.Edit, error) {
			return p.Save([]page.Content{text("```\nx"), text("y")}, page.ModeAppend)
		}, []string{}, "a block of the content would swallow the content behind it"},
		{"behind an unclosed fence", "a\n\n```\nx\n", func(p *page.Page, _ func(string) string) (*page.Edit, error) {
			return p.Insert(page.Where{}, "y")
		}, []string{"```\nx"}, "Update the block {```\nx} with its whole content"},
		{"code behind a list", "a\n\n- x\n\nb\n", func(p *page.Page, id func(string) string) (*page.Edit, error) {
			return p.Insert(page.Where{After: id("- x")}, "    code")
		}, []string{"- x"}, "Update the block {- x} with its whole content"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			id := func(source string) string { return at(t, p, source) }
			e, err := tc.edit(p, id)
			checkEdit(t, p, e, err, tc.src, "", "would_change_blocks")
			want, says := []string{}, tc.says
			for _, source := range tc.blocks {
				want = append(want, id(source))
				says = strings.ReplaceAll(says, "{"+source+"}", id(source))
			}
			if diff := cmp.Diff(want, tools.AsError(err).Details["blocks"]); diff != "" {
				t.Errorf("details.blocks: %s", diff)
			}
			if got := tools.AsError(err).In(tools.EN).Message; !strings.Contains(got, says) {
				t.Errorf("says %q, want %q in it", got, says)
			}
			for _, source := range tc.blocks {
				if zh := tools.AsError(err).In(tools.ZH).Message; strings.Contains(says, id(source)) && !strings.Contains(zh, id(source)) {
					t.Errorf("in Chinese the block is not named: %q", zh)
				}
			}
		})
	}
}
