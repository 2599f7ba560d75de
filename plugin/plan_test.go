package plugin_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// newPlanning is a rig of the owner's, who is asked about nothing, over a kernel
// that knows no plans.
func newPlanning(t *testing.T) *asking {
	t.Helper()
	a := newAsking(t, manifest)
	a.session = a.open(nil)
	return a
}

// plan makes a dry run of the save and gives its plan's id.
func (a *asking) plan() string {
	a.t.Helper()
	return a.planOf(a.call("mnote_page_save", plan))
}

func (a *asking) planOf(env tools.Envelope) string {
	a.t.Helper()
	var result struct{ PlanID, ExpiresAt string }
	if err := json.Unmarshal(env.Result, &result); err != nil || result.PlanID == "" {
		a.t.Fatalf("no plan: %s", env.JSON())
	}
	if result.ExpiresAt != a.time.now().Add(24*time.Hour).Format(time.RFC3339) {
		a.t.Errorf("it expires at %s", result.ExpiresAt)
	}
	return result.PlanID
}

func planned(id string) string {
	return `{"content": "x", "dryRun": false, "planId": "` + id + `"}`
}

// Toward a kernel whose tools know no plans the host keeps them: the dry run has
// an id, the write that names it passes once, and the kernel never sees it.
func TestHostPlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dry   string
		write string // % is the plan's id
		sent  string
		tries int // dry runs at the kernel, the first one included
	}{
		"a revision that the kernel holds": {`{"baseRevision": 7}`, `{"content": "x", "dryRun": false, "planId": "%"}`, `{"content":"x","expectedRevision":7}`, 1},
		"previousRevision":                 {`{"previousRevision": 9007199254740993}`, `{"content": "x", "dryRun": false, "planId": "%"}`, `{"content":"x","expectedRevision":9007199254740993}`, 1},
		"no revision":                      {`{"diff": [{"op": "append", "blocks": 1}]}`, `{"content": "x", "dryRun": false, "planId": "%"}`, `{"content":"x"}`, 2},
		"a revision of an odd form":        {`{"baseRevision": "r7"}`, `{"content": "x", "dryRun": false, "planId": "%"}`, `{"content":"x"}`, 2},
		"the kernel's own word for it":     {`{"planId": "kp", "diff": []}`, `{"content": "x", "dryRun": false, "planId": "%"}`, `{"content":"x"}`, 2},
		"sent without it":                  {`{"baseRevision": 7}`, save, `{"content":"x"}`, 1},
		"under a key":                      {`{"baseRevision": 7}`, `{"content": "x", "dryRun": false, "planId": "%", "idempotencyKey": "k"}`, `{"content":"x","expectedRevision":7}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newPlanning(t)
			a.dry = func(tools.Call) any { return json.RawMessage(c.dry) }
			id := a.plan()
			env := a.deliver(a.call("mnote_page_save", strings.ReplaceAll(c.write, "%", id)))
			if !env.OK {
				t.Fatalf("%s", env.JSON())
			}
			if diff := cmp.Diff([]string{c.sent}, a.writes()); diff != "" {
				t.Error(diff)
			}
			if n := len(a.kernel.got()) - 1; n != c.tries {
				t.Errorf("%d dry runs", n)
			}
		})
	}
}

// The result of a dry run keeps what the kernel said, digit for digit.
func TestPlanLeavesTheResult(t *testing.T) {
	t.Parallel()
	a := newPlanning(t)
	a.dry = func(tools.Call) any {
		return json.RawMessage(`{"diff": [{"b": 1, "a": "<&>"}], "revision": 12345678901234567890.10}`)
	}
	env := a.call("mnote_page_save", plan)
	got := strings.Replace(string(env.Result), a.planOf(env), "ID", 1)
	if diff := cmp.Diff(`{"diff":[{"b":1,"a":"<&>"}],"expiresAt":"2026-12-01T12:00:00Z","planId":"ID","revision":12345678901234567890.10}`, got); diff != "" {
		t.Error(diff)
	}
}

// A write that names a plan does what that promised, or nothing.
func TestPlanRefused(t *testing.T) {
	t.Parallel()
	for want, call := range map[string]func(a *asking, id string) tools.Envelope{
		"unknown": func(a *asking, id string) tools.Envelope { return a.call("mnote_page_save", planned(id+"x")) },
		"altered": func(a *asking, id string) tools.Envelope {
			return a.call("mnote_page_save", strings.Replace(planned(id), "x", "y", 1))
		},
		"altered, another document": func(a *asking, id string) tools.Envelope {
			return a.call("mnote_page_save", strings.Replace(planned(id), `"dryRun"`, `"documentId": "b.md", "dryRun"`, 1))
		},
		"altered, another tool": func(a *asking, id string) tools.Envelope { return a.call("mnote_note_create", planned(id)) },
		"other_session": func(a *asking, id string) tools.Envelope {
			return a.open(func(c *plugin.SessionConfig) { c.SessionID = "s_2" }).
				Call(context.Background(), "mnote_page_save", json.RawMessage(planned(id)), plugin.Meta{})
		},
		"expired": func(a *asking, id string) tools.Envelope {
			a.time.pass(24 * time.Hour)
			return a.call("mnote_page_save", planned(id))
		},
		"used": func(a *asking, id string) tools.Envelope {
			a.deliver(a.call("mnote_page_save", planned(id)))
			a.kernel.mu.Lock()
			a.kernel.calls = nil
			a.kernel.mu.Unlock()
			return a.call("mnote_page_save", planned(id))
		},
		"stale": func(a *asking, id string) tools.Envelope {
			a.dry = func(tools.Call) any { return map[string]any{"diff": "another"} }
			return a.call("mnote_page_save", planned(id))
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			a := newPlanning(t)
			env := call(a, a.plan())
			checkRefusal(t, env)
			reason, _, _ := strings.Cut(want, ",")
			if code(env) != "mnote_tool_conflict "+reason {
				t.Errorf("got %s", env.JSON())
			}
			if w := a.writes(); w != nil {
				t.Errorf("written: %v", w)
			}
		})
	}
}

// A plan whose dry run is refused by now is refused in the kernel's words.
func TestPlanThatTheKernelRefusesByNow(t *testing.T) {
	t.Parallel()
	a := newPlanning(t)
	id := a.plan()
	a.kernel.call = func(_ context.Context, c tools.Call) (tools.Envelope, error) {
		return tools.Refuse(c, tools.Errorf(tools.CodePageProtected, tools.Text{ZH: "受保护", EN: "protected"})), nil
	}
	if got := code(a.call("mnote_page_save", planned(id))); got != "mnote_tool_page_protected" || a.writes() != nil {
		t.Errorf("got %q", got)
	}
}

// The retry of a planned write whose answer was lost goes out as the write did,
// whether or not it names the plan again, and however late; the stored answer of
// one that has it is given without looking at the plan.
func TestRetryOfAPlannedWrite(t *testing.T) {
	t.Parallel()
	const keyed = `{"content": "x", "dryRun": false, "idempotencyKey": "k"`
	for name, retry := range map[string]string{
		"with the plan": keyed + `, "planId": "%"}`,
		"without it":    keyed + `}`,
		"without a key": `{"content": "x", "dryRun": false, "planId": "%"}`,
		"bare":          save,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newPlanning(t)
			a.dry = func(tools.Call) any { return map[string]any{"baseRevision": 7} }
			id := a.plan()
			a.write = func(tools.Call) (tools.Envelope, error) { return tools.Envelope{}, context.DeadlineExceeded }
			if got := code(a.call("mnote_page_save", keyed+`, "planId": "`+id+`"}`)); got != "mnote_tool_timeout" {
				t.Fatalf("got %q", got)
			}
			a.write = nil
			a.time.pass(25 * time.Hour)
			retry := strings.ReplaceAll(retry, "%", id)
			if env := a.deliver(a.call("mnote_page_save", retry)); !env.OK || env.Audit.Replayed {
				t.Fatalf("%s", env.JSON())
			}
			if sent := a.writes(); len(sent) != 2 || sent[0] != sent[1] {
				t.Errorf("sent %v", sent)
			}
			if env := a.call("mnote_page_save", keyed+`, "planId": "`+id+`"}`); !env.OK || !env.Audit.Replayed {
				t.Errorf("%s", env.JSON())
			}
		})
	}
}

// A plan is given back by a write of which nothing was sent.
func TestPlanGivenBack(t *testing.T) {
	t.Parallel()
	a := newPlanning(t)
	id := a.plan()
	a.write = func(tools.Call) (tools.Envelope, error) {
		return tools.Envelope{}, tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "没有", EN: "away"}).With("reason", "refused")
	}
	if got := code(a.call("mnote_page_save", planned(id))); got != "mnote_kernel_unavailable refused" {
		t.Fatalf("got %q", got)
	}
	a.write = nil
	if env := a.call("mnote_page_save", planned(id)); !env.OK {
		t.Errorf("%s", env.JSON())
	}
}

// With no place to keep plans a dry run stands all the same, and names none.
func TestDryRunWithoutState(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{host: func(c *plugin.Config) { c.StateDir = "" }})
	env := r.call("mnote_page_save", plan)
	if !env.OK || strings.Contains(string(env.Result), "planId") {
		t.Errorf("%s", env.JSON())
	}
}

// A kernel that keeps plans judges them itself: they pass through, and nothing
// of them is kept here.
func TestKernelPlanPassesThrough(t *testing.T) {
	t.Parallel()
	a := newAsking(t, planning)
	a.session = a.open(nil)
	a.dry = func(tools.Call) any { return json.RawMessage(`{"planId":"kp_1","expiresAt":"then"}`) }
	env := a.call("mnote_page_save", plan)
	if diff := cmp.Diff(`{"planId":"kp_1","expiresAt":"then"}`, string(env.Result)); diff != "" {
		t.Error(diff)
	}
	for _, id := range []string{"kp_1", "whatever"} {
		if env := a.deliver(a.call("mnote_page_save", planned(id))); !env.OK {
			t.Errorf("%s", env.JSON())
		}
	}
	if diff := cmp.Diff([]string{`{"content":"x","planId":"kp_1"}`, `{"content":"x","planId":"whatever"}`}, a.writes()); diff != "" {
		t.Error(diff)
	}
}
