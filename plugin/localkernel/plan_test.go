package localkernel

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// planned makes a dry run and gives the arguments that name its plan.
func (b *bench) planned(tool, document string, args map[string]any, change ...func(map[string]any)) (answer, map[string]any) {
	b.tb.Helper()
	a := b.ok(tool, document, args, append(change, dryRun)...)
	withPlan := map[string]any{"planId": a.result["planId"]}
	for name, value := range args {
		withPlan[name] = value
	}
	return a, withPlan
}

// TestPlans: a write that names a plan gives exactly the promised bytes.
func TestPlans(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "# H\n\none\n"})
	blocks := b.ok("mnote.page.get", "a.md", nil).strings("blocks", "id")
	tests := []struct {
		tool, document string
		args           map[string]any
	}{
		{"mnote.page.save", "a.md", appended("x")},
		{"mnote.page.save", "a.md", map[string]any{"content": paragraphs("# H", "one"), "mode": "replace"}},
		{"mnote.page.update_title", "a.md", map[string]any{"title": "T"}},
		{"mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"showToc": true}}},
		{"mnote.block.update", "a.md", map[string]any{"blockId": blocks[1], "content": "changed"}},
		{"mnote.doc.create", "", map[string]any{"title": "会议", "content": "text"}},
		{"mnote.doc.restore", "a.md", map[string]any{"revision": 1}},
	}
	for _, tt := range tests {
		before := b.text("a.md")
		dry, args := b.planned(tt.tool, tt.document, tt.args)
		if dry.Audit.Effect != tools.EffectDryRun || dry.Audit.CommandID != nil || dry.result["dryRun"] != true {
			t.Errorf("%s: %s", tt.tool, dry.raw)
		}
		b.holds("a.md", before)
		wet := b.ok(tt.tool, tt.document, args)
		if wet.result["contentHash"] != dry.result["resultHash"] || wet.revision() != number(dry.result["resultRevision"]) || wet.result["unifiedDiff"] != dry.result["unifiedDiff"] {
			t.Errorf("%s: promised %s\ngot %s", tt.tool, dry.raw, wet.raw)
		}
		b.refused(tools.CodeConflict, "used", tt.tool, tt.document, args)
	}
	if got := vault.HashOf([]byte(b.text("会议.md"))); got != b.ok("mnote.page.get", "会议.md", nil).result["contentHash"] {
		t.Errorf("会议.md holds %q", b.text("会议.md"))
	}
}

func TestPlanRefusals(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	b := begin(t, map[string]string{"a.md": "x\n", "b.md": "x\n"}, func(o *Options) { o.Now = func() time.Time { return now } })
	args := appended("y")
	_, plan := b.planned("mnote.page.save", "a.md", args)
	altered := map[string]any{"content": paragraphs("z"), "mode": "append", "planId": plan["planId"]}
	b.refused(tools.CodeConflict, "altered", "mnote.page.save", "a.md", altered)
	b.refused(tools.CodeConflict, "altered", "mnote.page.save", "b.md", plan)
	b.refused(tools.CodeConflict, "altered", "mnote.page.update_title", "a.md", map[string]any{"title": "t", "planId": plan["planId"]})
	b.refused(tools.CodeConflict, "unknown", "mnote.page.save", "a.md", plan, with("sessionId", "session_2"))
	b.refused(tools.CodeConflict, "unknown", "mnote.page.save", "a.md", plan, with("actorId", "user_2"))
	b.refused(tools.CodeConflict, "unknown", "mnote.page.save", "a.md", map[string]any{"content": paragraphs("y"), "mode": "append", "planId": "plan_none"})
	now = now.Add(24 * time.Hour)
	b.refused(tools.CodeConflict, "expired", "mnote.page.save", "a.md", plan)

	_, plan = b.planned("mnote.page.save", "a.md", args)
	b.put("a.md", "a person's edit\n")
	r := b.refused(tools.CodeConflict, "stale", "mnote.page.save", "a.md", plan)
	if number(r.Error.Details["currentRevision"]) != 2 {
		t.Errorf("%s", r.raw)
	}
	b.holds("a.md", "a person's edit\n")
	b.put("a.md", "x\n") // the same bytes again, three revisions on
	b.refused(tools.CodeConflict, "stale", "mnote.page.save", "a.md", plan)
	b.holds("a.md", "x\n")
}

// TestPlanReplay: a plan's write that is sent again with its key is one write.
func TestPlanReplay(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	_, plan := b.planned("mnote.page.save", "a.md", appended("y"))
	key := with("idempotencyKey", "k")
	b.ok("mnote.page.save", "a.md", plan, key)
	if again := b.ok("mnote.page.save", "a.md", plan, key); !again.Audit.Replayed {
		t.Errorf("%s", again.raw)
	}
	b.holds("a.md", "x\n\ny\n")
}

// rounds is how often the tests that try many things at random try: the long
// runs that are told of are -rounds 5000 and more.
var rounds = flag.Int("rounds", 150, "how many plans and how many sequences of edits are tried")

// TestPlansHold: many plans over many pages, some of them edited by a person in
// between: what was promised is what is there, or nothing is.
func TestPlansHold(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	texts := []string{"# H\n\none\n\ntwo\n", "\ufeffx\r\n\r\ny", "---\nt: 1\n---\n- a\n- b\n", "```\nopen\n", "", "|a|\n|-|\n|1|\n"}
	for i := range *rounds {
		id := fmt.Sprintf("p%d.md", i)
		text := strings.Repeat(texts[i%len(texts)], 1+i%3)
		b.put(id, text)
		dry := b.call("mnote.page.save", id, appended(fmt.Sprintf("note %d", i)), dryRun)
		if !dry.OK {
			b.holds(id, text)
			continue
		}
		args := appended(fmt.Sprintf("note %d", i))
		args["planId"] = dry.result["planId"]
		if i%4 == 0 {
			b.put(id, text+"edited\n")
			b.refused(tools.CodeConflict, "stale", "mnote.page.save", id, args)
			b.holds(id, text+"edited\n")
			continue
		}
		b.ok("mnote.page.save", id, args)
		if got := vault.HashOf([]byte(b.text(id))); got != dry.result["resultHash"] {
			t.Errorf("%s: promised %v, got %s", id, dry.result["resultHash"], got)
		}
	}
}

// TestWholeDiff: who is to judge a plan can have all of its diff, where an
// agent's answer is cut: deletions stand in nothing else.
func TestWholeDiff(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line that goes away and is not short at all, so that the diff is cut\n\n", 300) + "IBAN: the last one\n"
	b := begin(t, map[string]string{"a.md": long})
	args := map[string]any{"content": paragraphs("nothing of it"), "mode": "replace"}
	whole := func(env map[string]any) { env["wholeDiff"] = true }
	if a := b.ok("mnote.page.save", "a.md", args, dryRun); a.result["wholeDiff"] != nil || a.result["unifiedDiffTruncated"] != true {
		t.Errorf("an agent is given %s", a.raw)
	}
	a := b.ok("mnote.page.save", "a.md", args, dryRun, whole)
	if text, _ := a.result["wholeDiff"].(string); !strings.Contains(text, "-IBAN: the last one") || strings.Count(text, "\n-") < 600 {
		t.Errorf("the whole is %d bytes and lacks what goes away", len(text))
	}
	if a := b.ok("mnote.page.save", "a.md", appended("x"), dryRun, whole); a.result["wholeDiff"] != nil {
		t.Errorf("a short diff is there twice: %s", a.raw)
	}
	b.refused(tools.CodeInvalidArgs, "", "mnote.page.save", "a.md", map[string]any{"content": []any{}, "mode": "append", "wholeDiff": true}, dryRun)
}
