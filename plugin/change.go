package plugin

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// Change is what a person is shown of a write before saying yes to it.
type Change struct {
	// Document is the page that the write would make or change, where the dry run
	// names it.
	Document string
	// Diff is the unified diff, Cut says that some of it is missing.
	Diff string
	Cut  bool
	// Added and Removed count the lines of the whole change; Counted says that they
	// are known.
	Added, Removed int
	Counted        bool
	// Ops, Warnings and Args are the kernel's words for the change, what it warns
	// of, and the arguments, which are there where the diff does not say it all.
	Ops, Warnings, Args json.RawMessage
	// LeftOut names what was too long to be kept.
	LeftOut []string
}

// ChangeOf reads a Plan's Preview; false where it is no longer kept.
func ChangeOf(preview json.RawMessage) (Change, bool) {
	var v struct {
		DocumentID           string
		UnifiedDiff          string
		UnifiedDiffTruncated bool
		DiffStat             *struct{ Added, Removed int }
		Diff, Warnings, Args json.RawMessage
		LeftOut              []string
	}
	if len(preview) == 0 || json.Unmarshal(preview, &v) != nil {
		return Change{}, false
	}
	c := Change{
		Document: v.DocumentID, Diff: v.UnifiedDiff, Cut: v.UnifiedDiffTruncated,
		Ops: v.Diff, Warnings: v.Warnings, Args: v.Args, LeftOut: v.LeftOut,
	}
	for _, name := range v.LeftOut {
		c.Cut = c.Cut || name == diffField
	}
	if string(v.Warnings) == "[]" || string(v.Warnings) == "null" {
		c.Warnings = nil
	}
	switch {
	case v.DiffStat != nil:
		c.Added, c.Removed, c.Counted = v.DiffStat.Added, v.DiffStat.Removed, true
	case !c.Cut && c.Diff != "":
		c.Added, c.Removed = countLines(c.Diff)
		c.Counted = true
	}
	return c, true
}

// countLines counts what a unified diff adds and removes. The two lines that
// name the files stand before the first hunk.
func countLines(diff string) (added, removed int) {
	hunks := !strings.HasPrefix(diff, "--- ")
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			hunks = true
		case hunks && line[0] == '+':
			added++
		case hunks && line[0] == '-':
			removed++
		}
	}
	return added, removed
}

// Hidden counts the lines of the change that a beginning of its diff does not
// show; known is false where the kernel counted nothing.
func (c Change) Hidden(shown string) (added, removed int, known bool) {
	a, r := countLines(shown)
	return max(c.Added-a, 0), max(c.Removed-r, 0), c.Counted
}

// HiddenText says what a beginning of the change's diff leaves out: nobody can
// judge a change by its beginning.
func (c Change) HiddenText(shown string) tools.Text {
	added, removed, known := c.Hidden(shown)
	if !known {
		return tools.Text{ZH: "差异没有全部显示，缺多少行不知道", EN: "the diff is NOT shown whole, and how much is missing is not known"}
	}
	return tools.Text{
		ZH: fmt.Sprintf("还有新增 %d 行、删除 %d 行没有显示", added, removed),
		EN: fmt.Sprintf("%s added and %s removed are NOT shown", lines(added), lines(removed)),
	}
}

// lines counts lines in English.
func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// brief is the change in about so many characters, for a question.
func (c Change) brief(most int) tools.Text {
	var b strings.Builder
	head := tools.Text{}
	if c.Counted {
		head = tools.Text{
			ZH: fmt.Sprintf("新增 %d 行，删除 %d 行：\n", c.Added, c.Removed),
			EN: fmt.Sprintf("%s added, %s removed:\n", lines(c.Added), lines(c.Removed)),
		}
	}
	rest := tools.Text{}
	switch {
	case c.Diff != "":
		shown := cutLines(c.Diff, 2*most)
		b.WriteString(strings.TrimRight(VisibleDiff(shown), "\n"))
		if c.Cut || len(shown) < len(c.Diff) {
			rest = c.restText(shown)
		}
	default:
		shown, cut := excerpt(Visible(string(c.Args)), most)
		b.WriteString(shown)
		if cut {
			rest = tools.Text{ZH: fmt.Sprintf("（共 %s，只显示开头）", size(len(c.Args))), EN: fmt.Sprintf(" (%s in all; this is the beginning)", size(len(c.Args)))}
		}
	}
	return tools.Text{ZH: head.ZH + b.String() + rest.ZH, EN: head.EN + b.String() + rest.EN}
}

// restText follows the beginning of a diff in a question.
func (c Change) restText(shown string) tools.Text {
	hidden := c.HiddenText(shown)
	return tools.Text{
		ZH: "\n……" + hidden.ZH + "。拿不准就不要同意；不作答就关掉这个询问，它会留在 mnote-host plans 里，用 mnote-host approve 看全部",
		EN: "\n… " + hidden.EN + ". When in doubt do not agree. Closed without an answer it waits in mnote-host plans, and mnote-host approve shows all of it",
	}
}
