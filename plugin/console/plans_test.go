package console_test

import (
	"net/url"
	"regexp"
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

var shownOf = regexp.MustCompile(`name="shown" value="([^"]+)"`)

// answerTo is the form of a plan on the page, with an answer.
func answerTo(t *testing.T, page, id, answer string) url.Values {
	t.Helper()
	found := shownOf.FindStringSubmatch(part(t, page, id))
	if found == nil {
		t.Fatalf("%s cannot be answered: %s", id, part(t, page, id))
	}
	return url.Values{"answer": {answer}, "shown": {found[1]}}
}

// What waits for a yes is shown with all that it would do; what is not shown is
// named.
func TestPlans(t *testing.T) {
	t.Parallel()
	packs := []console.Category{{Packs: []console.Pack{aPack("p", "包", tools.Tool{Name: "mnote.page.save", Title: "保存正文"})}}}
	s := newSite(t, &fake{packs: packs, plans: somePlans(t)}).signIn()
	_, page := s.get("/plans")
	if !ordered(page, `id="plan-plan_one"`, `id="plan-plan_two"`, `id="plan-plan_three"`, "已有回答或已过期") {
		t.Errorf("not oldest first:\n%s", page)
	}
	wants(t, page, `class="count">3</span>`)
	wants(t, part(t, page, "plan_one"), ">保存正文 · a.md<", "s_one", "owner · hermes", "2026-06-07 11:00:00 UTC+00:00", "2026-06-08 11:00:00 UTC+00:00",
		`<span class="add">+hello&lt;U+202E&gt;`, `value="yes"`, `value="no"`)
	wants(t, part(t, page, "plan_two"), "+x", "all \\u003cb\\u003eof", "not wired", "diff", "不能整个判断", "被删掉的不在里面", "太长，没有列出")
	wants(t, part(t, page, "plan_three"), "&#34;op&#34;: &#34;append&#34;")
	wants(t, part(t, page, "plan_yes"), "已批准，尚未写入", "+yes", `value="no"`)
	wants(t, part(t, page, "plan_no"), "已拒绝", "改动已不再保存", `value="yes"`)
	for id, state := range map[string]string{"plan_used": "已用：写入了", "plan_old": "已过期"} {
		over := part(t, page, id)
		wants(t, over, state)
		lacks(t, over, "<form", "+used")
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	f := &fake{plans: somePlans(t)}
	s := newSite(t, f).signIn()
	_, before := s.get("/plans")
	_, page := s.post("/plans/plan_one", answerTo(t, before, "plan_one", "yes"))
	wants(t, page, "已批准：mnote.page.save · a.md", "收回同意")
	_, page = s.post("/plans/plan_two", answerTo(t, before, "plan_two", "no"))
	wants(t, page, "已拒绝：mnote.page.save · a.md", "还是批准")
	_, page = s.post("/plans/plan_three", answerTo(t, before, "plan_three", "maybe"))
	wants(t, page, "mnote_tool_invalid_args")
	_, page = s.post("/plans/plan_three", nil)
	wants(t, page, "mnote_tool_invalid_args")
	_, page = s.post("/plans/plan_three", url.Values{"answer": {"yes"}})
	wants(t, page, "mnote_tool_invalid_args")
	_, page = s.post("/plans/none", url.Values{"answer": {"yes"}, "shown": {"x"}})
	wants(t, page, "没有这个计划 (mnote_tool_conflict)")
	if got, want := f.changes(), []string{"plan plan_one 1 by console", "plan plan_two 2 by console"}; !slices.Equal(got, want) {
		t.Errorf("did %v, want %v", got, want)
	}
}

// A yes is to what the page showed: where the plan would do another thing by now,
// it is refused, and the page shows that.
func TestDecideWhatWasShown(t *testing.T) {
	t.Parallel()
	f := &fake{plans: somePlans(t)}
	s := newSite(t, f).signIn()
	_, before := s.get("/plans")
	f.mu.Lock()
	f.plans[1].Preview = object(t, map[string]any{"unifiedDiff": "-everything\n"})
	f.mu.Unlock()
	_, page := s.post("/plans/plan_one", answerTo(t, before, "plan_one", "yes"))
	wants(t, page, "改动变了 (mnote_tool_conflict)", "-everything")
	if got := f.changes(); len(got) != 0 {
		t.Errorf("did %v", got)
	}
}

// What can never be written says so, and has no button: the page was edited
// since, or the session that asked has ended.
func TestPlansThatAreOver(t *testing.T) {
	t.Parallel()
	f := &fake{revision: 8, plans: []plugin.Plan{
		aPlan(t, "plan_stale", map[string]any{"unifiedDiff": "+x\n"}, func(p *plugin.Plan) { p.Revision = 7 }),
		aPlan(t, "plan_now", map[string]any{"unifiedDiff": "+x\n"}, func(p *plugin.Plan) { p.Revision = 8 }),
		aPlan(t, "plan_void", nil, func(p *plugin.Plan) { p.Used, p.Void, p.Decision = true, true, plugin.PlanApproved }),
		aPlan(t, "plan_ended", nil, func(p *plugin.Plan) { p.Ended = true }),
		aPlan(t, "plan_ended_yes", nil, func(p *plugin.Plan) { p.Ended, p.Decision = true, plugin.PlanApproved }),
	}}
	s := newSite(t, f).signIn()
	_, page := s.get("/plans?lang=en")
	for id, state := range map[string]string{
		"plan_stale": "the page changed since; the agent must ask again", "plan_void": "out of date",
		"plan_ended": "session has ended", "plan_ended_yes": "session has ended",
	} {
		over := part(t, page, id)
		wants(t, over, state)
		lacks(t, over, "<form")
	}
	wants(t, part(t, page, "plan_now"), `value="yes"`)
	wants(t, page, "A new start of the agent needs a new yes")
}

// A diff that is cut counts what it does not show, in the language of the page;
// one that hides text behind blanks shows them.
func TestPlanShowsAllOrSaysHowMuchNot(t *testing.T) {
	t.Parallel()
	hides := "+fix a typo" + strings.Repeat(" ", 300) + "HIDDEN: send everything\n"
	f := &fake{plans: []plugin.Plan{
		aPlan(t, "plan_cut", map[string]any{"unifiedDiff": "--- before\n+++ after\n@@ -1,9 +1 @@\n-one\n+x\n", "unifiedDiffTruncated": true,
			"diffStat": map[string]any{"added": 1, "removed": 61}, "args": map[string]any{"content": "x"}}, nil),
		aPlan(t, "plan_hides", map[string]any{"unifiedDiff": hides}, nil),
		aPlan(t, "plan_new", map[string]any{"unifiedDiff": "+x\n", "documentId": "notes/新页.md"}, func(p *plugin.Plan) { p.Document, p.Tool = "", "mnote.doc.create" }),
		aPlan(t, "plan_dropped", map[string]any{"leftOut": []string{"unifiedDiff"}, "diffStat": map[string]any{"added": 5, "removed": 0}}, nil),
	}}
	s := newSite(t, f).signIn()
	_, page := s.get("/plans?lang=en")
	wants(t, part(t, page, "plan_cut"), "0 lines added and 60 lines removed are NOT shown", "cannot be judged whole", "what goes away is not among them")
	lacks(t, page, "the whole<")
	wants(t, part(t, page, "plan_hides"), "+fix a typo&lt;space×300&gt;HIDDEN")
	lacks(t, part(t, page, "plan_hides"), "NOT shown")
	wants(t, part(t, page, "plan_new"), ">mnote_doc_create · notes/新页.md<", `aria-label="approve: mnote_doc_create · notes/新页.md · plan_new"`)
	wants(t, part(t, page, "plan_dropped"), "5 lines added and 0 lines removed are NOT shown")
	_, page = s.get("/plans?lang=zh")
	wants(t, part(t, page, "plan_cut"), "还有新增 0 行、删除 60 行没有显示")
}
