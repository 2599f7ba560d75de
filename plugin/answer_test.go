package plugin_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// A plan whose page was edited since is out of date: that is known when it is
// shown, it cannot be approved, and it is told apart from one that was used.
func TestOutdatedPlan(t *testing.T) {
	t.Parallel()
	page := 7
	var reads []tools.Call
	k := answering(func(c tools.Call) (tools.Envelope, error) {
		switch {
		case c.DryRun:
			return tools.Succeed(c, tools.EffectDryRun, "", map[string]any{"baseRevision": 7})
		case c.ToolName == "mnote.page.get":
			reads = append(reads, c)
			if page == 0 {
				return tools.Envelope{}, errors.New("away")
			}
			return tools.Succeed(c, tools.EffectRead, "", map[string]any{"revision": page})
		}
		return answer(c), nil
	})
	r := newRig(t, setup{kernel: k, session: func(c *plugin.SessionConfig) { c.Confirm = plugin.ConfirmWrites }})
	ask := func(content string) plugin.Plan {
		args, _ := json.Marshal(map[string]any{"content": content, "dryRun": false})
		id, _ := detail(r.call("mnote_page_save", string(args)))["planId"].(string)
		p, err := r.host.Plan(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p, q := ask("x"), ask("y")
	if r.host.Outdated(t.Context(), p) {
		t.Error("it is out of date at once")
	}
	if c := reads[0]; c.Document() != "page.md" || c.SessionID == "s_1" || c.TraceID == "" {
		t.Errorf("asked %+v", c)
	}
	page = 0
	if r.host.Outdated(t.Context(), p) {
		t.Error("a kernel that cannot be asked says that it is out of date")
	}
	if _, known := r.host.Judge(t.Context(), p); known {
		t.Error("a kernel that cannot be asked is known to say something")
	}
	page = 8
	if !r.host.Outdated(t.Context(), p) {
		t.Error("nobody sees that the page changed")
	}
	if _, err := r.host.Answer(t.Context(), p.ID, plugin.PlanAnswer{Yes: true, By: "console", Shown: p.Digest()}); codeOf(err) != "mnote_tool_conflict stale" {
		t.Errorf("approved: %v", err)
	}
	if p, _ = r.host.Plan(t.Context(), p.ID); !p.Void || !p.Used || p.Decision != plugin.PlanWaiting {
		t.Errorf("%+v", p)
	}
	if list, err := r.host.Plans(t.Context(), plugin.PlanFilter{}); err != nil || len(list) != 1 || list[0].ID != q.ID {
		t.Errorf("%v wait, %v", list, err)
	}
	if got, err := r.host.Answer(t.Context(), q.ID, plugin.PlanAnswer{By: "console", Shown: q.Digest()}); err != nil || got.Decision != plugin.PlanDeclined {
		t.Errorf("%+v, %v", got, err)
	}
	page = 7
	if _, err := r.host.Answer(t.Context(), q.ID, plugin.PlanAnswer{Yes: true, By: "console", Shown: "another digest"}); codeOf(err) != "mnote_tool_conflict changed" {
		t.Errorf("a yes to what was not shown: %v", err)
	}
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return code(tools.Envelope{Error: tools.AsError(err)})
}
