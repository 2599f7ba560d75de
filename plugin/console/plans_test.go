package console_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/console"
	"github.com/mnote-dev/mnote-host/tools"
)

func aPlan(t *testing.T, id string, preview any, change func(*plugin.Plan)) plugin.Plan {
	p := plugin.Plan{
		ID: id, Tool: "mnote.page.save", Session: "s_one", Workspace: "ws_1", Document: "a.md", Actor: "owner", Agent: "hermes",
		Question: "Save " + id + "?", Asked: noon.Add(-time.Hour), Expires: noon.Add(23 * time.Hour),
	}
	if preview != nil {
		p.Preview = object(t, preview)
	}
	if change != nil {
		change(&p)
	}
	return p
}

func somePlans(t *testing.T) []plugin.Plan {
	return []plugin.Plan{
		aPlan(t, "plan_old", nil, func(p *plugin.Plan) { p.Expires = noon }),
		aPlan(t, "plan_one", map[string]any{"unifiedDiff": "--- before\n+++ after\n+hello\u202e\n"}, nil),
		aPlan(t, "plan_two", map[string]any{"unifiedDiff": "+x\n", "unifiedDiffTruncated": true, "args": map[string]any{"content": "all <b>of</b> it"}, "warnings": []string{"not wired"}, "leftOut": []string{"diff"}}, nil),
		aPlan(t, "plan_three", map[string]any{"diff": []any{map[string]any{"op": "append"}}}, nil),
		aPlan(t, "plan_yes", map[string]any{"unifiedDiff": "+yes\n"}, func(p *plugin.Plan) { p.Decision = plugin.PlanApproved }),
		aPlan(t, "plan_no", nil, func(p *plugin.Plan) { p.Decision = plugin.PlanDeclined }),
		aPlan(t, "plan_used", map[string]any{"unifiedDiff": "+used\n"}, func(p *plugin.Plan) { p.Decision, p.Used = plugin.PlanApproved, true }),
	}
}

// part is the section of one plan.
func part(t *testing.T, page, id string) string {
	t.Helper()
	_, after, ok := strings.Cut(page, `id="plan-`+id+`"`)
	if !ok {
		t.Fatalf("no %s on the page: %s", id, page)
	}
	section, _, _ := strings.Cut(after, "</article>")
	return section
}

// What waits for a yes is shown with all that it would do; what is not shown is
// named.
func TestPlans(t *testing.T) {
	t.Parallel()
	packs := []console.Category{{Packs: []console.Pack{aPack("p", "包", tools.Tool{Name: "mnote.page.save", Title: "保存正文"})}}}
	s := newSite(t, &fake{packs: packs, plans: somePlans(t)}).signIn()
	_, page := s.get("/plans")
	if !ordered(page, "plan-plan_three", "plan-plan_two", "plan-plan_one", "已有回答或已过期") {
		t.Errorf("not newest first:\n%s", page)
	}
	wants(t, page, `class="count">3</span>`)
	wants(t, part(t, page, "plan_one"), ">保存正文 · a.md<", "s_one", "owner · hermes", "2026-06-07 11:00:00", "2026-06-08 11:00:00",
		`<span class="add">+hello&lt;U+202E&gt;`, `value="yes"`, `value="no"`)
	wants(t, part(t, page, "plan_two"), "+x", "all \\u003cb\\u003eof", "not wired", "diff", "全部内容见参数", "太长，没有列出")
	wants(t, part(t, page, "plan_three"), "&#34;op&#34;: &#34;append&#34;")
	wants(t, part(t, page, "plan_yes"), "已批准，尚未写入", "+yes", `value="no"`)
	wants(t, part(t, page, "plan_no"), "已拒绝", "改动已不再保存", `value="yes"`)
	for id, state := range map[string]string{"plan_used": "已写入或已作废", "plan_old": "已过期"} {
		over := part(t, page, id)
		wants(t, over, state)
		lacks(t, over, "<form", "+used")
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	f := &fake{plans: somePlans(t)}
	s := newSite(t, f).signIn()
	_, page := s.post("/plans/plan_one", url.Values{"answer": {"yes"}})
	wants(t, page, "已批准")
	_, page = s.post("/plans/plan_two", url.Values{"answer": {"no"}})
	wants(t, page, "已拒绝：这次写入不会发生")
	_, page = s.post("/plans/plan_three", url.Values{"answer": {"maybe"}})
	wants(t, page, "mnote_tool_invalid_args")
	_, page = s.post("/plans/plan_three", nil)
	wants(t, page, "mnote_tool_invalid_args")
	_, page = s.post("/plans/none", url.Values{"answer": {"yes"}})
	wants(t, page, "没有这个计划 (mnote_tool_conflict)")
	if got, want := f.changes(), []string{"plan plan_one 1 by console", "plan plan_two 2 by console"}; !slices.Equal(got, want) {
		t.Errorf("did %v, want %v", got, want)
	}
}
