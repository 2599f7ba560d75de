package plugin_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

const (
	required = "mnote_tool_confirmation_required"
	declined = "mnote_tool_confirmation_declined"
)

// planning is a kernel whose tools take plans, if it gives them ids.
var planning = strings.ReplaceAll(manifest, `"content": {"type": "string"},`, `"content": {"type": "string"}, "planId": {"type": "string"},`)

// clock is a time that only tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.t.IsZero() {
		c.t = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	}
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// asking is a rig whose every write needs a yes that nobody can give in the
// call. Its kernel answers a dry run with what dry gives.
type asking struct {
	*rig
	t *testing.T
	// dry and write answer in the kernel's place; nil does it rightly.
	dry   func(c tools.Call) any
	write func(c tools.Call) (tools.Envelope, error)
	time  clock
}

func newAsking(t *testing.T, doc string) *asking {
	t.Helper()
	a := &asking{t: t, dry: func(tools.Call) any { return map[string]any{"dryRun": true, "diff": []any{}} }}
	a.rig = newRig(t, setup{
		manifest: doc,
		host:     func(c *plugin.Config) { c.Now = a.time.now },
		session:  func(c *plugin.SessionConfig) { c.Confirm = plugin.ConfirmWrites },
		kernel: answering(func(c tools.Call) (tools.Envelope, error) {
			if c.DryRun {
				return tools.Succeed(c, tools.EffectDryRun, "", a.dry(c))
			}
			if a.write != nil {
				return a.write(c)
			}
			return answer(c), nil
		}),
	})
	return a
}

// ask sends the write, which must wait for a person, and gives its plan's id.
func (a *asking) ask(args string) string {
	a.t.Helper()
	return a.waits(a.deliver(a.call("mnote_page_save", args)))
}

func (a *asking) waits(env tools.Envelope) string {
	a.t.Helper()
	id, _ := detail(env)["planId"].(string)
	if code(env) != required || id == "" {
		a.t.Fatalf("it does not wait: %s", env.JSON())
	}
	return id
}

func detail(env tools.Envelope) map[string]any {
	if env.Error == nil {
		return nil
	}
	return env.Error.Details
}

func (a *asking) decide(id string, decide func(context.Context, string, string) (plugin.Plan, error)) {
	a.t.Helper()
	if _, err := decide(context.Background(), id, "terminal"); err != nil {
		a.t.Fatal(err)
	}
}

// writes gives the arguments of the writes that reached the kernel.
func (a *asking) writes() (args []string) { return written(a.kernel) }

func written(k *kernel) (args []string) {
	for _, c := range k.got() {
		if !c.DryRun {
			args = append(args, string(c.Args))
		}
	}
	return args
}

// A write that needs a yes which nobody can give in the call is tried out, put
// to a person, and passes once with the same arguments.
func TestApprove(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		manifest string
		dry      map[string]any
		second   string // what the agent sends once it is approved; % is the plan's id
		sent     string
		tries    int // dry runs in all, one more for the write after the last
	}{
		"the host's plan":                    {manifest, map[string]any{"diff": []any{}}, save, `{"content":"x"}`, 3},
		"the host's plan, named":             {manifest, map[string]any{"diff": []any{}}, `{"content": "x", "dryRun": false, "planId": "%"}`, `{"content":"x"}`, 3},
		"the host's plan, at a revision":     {manifest, map[string]any{"baseRevision": 7}, save, `{"content":"x","expectedRevision":7}`, 2},
		"the kernel's plan":                  {planning, map[string]any{"planId": "kp_1"}, save, `{"content":"x","planId":"kp_1"}`, 2},
		"the kernel's plan, named":           {planning, map[string]any{"planId": "kp_1"}, `{"content": "x", "dryRun": false, "planId": "kp_1"}`, `{"content":"x","planId":"kp_1"}`, 2},
		"the kernel made none":               {planning, map[string]any{"diff": []any{}}, save, `{"content":"x"}`, 3},
		"the kernel's has no form":           {planning, map[string]any{"planId": "kp\x1b[2K 1"}, save, `{"content":"x"}`, 3},
		"the kernel names equal plans alike": {planning, map[string]any{"planId": "kp"}, save, `{"content":"x","planId":"kp"}`, 2},
		"the kernel made none, ours is sent": {planning, map[string]any{"diff": []any{}}, `{"content": "x", "dryRun": false, "planId": "%"}`, `{"content":"x"}`, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAsking(t, c.manifest)
			a.dry = func(tools.Call) any { return c.dry }
			id := a.ask(save)
			if calls := a.kernel.got(); len(calls) != 1 || !calls[0].DryRun || calls[0].ToolCallID == "" {
				t.Fatalf("not one dry run: %+v", calls)
			}
			a.decide(id, a.host.Approve)
			second := strings.ReplaceAll(c.second, "%", id)
			if env := a.deliver(a.call("mnote_page_save", second)); !env.OK || env.Audit.Effect != tools.EffectWrite {
				t.Fatalf("approved, and yet: %s", env.JSON())
			}
			if diff := cmp.Diff([]string{c.sent}, a.writes()); diff != "" {
				t.Error(diff)
			}
			if p, err := a.host.Plan(t.Context(), id); !p.Used || err != nil {
				t.Errorf("%+v, %v", p, err)
			}
			if c.dry["planId"] == "kp_1" {
				c.dry["planId"] = "kp_2" // a kernel makes another one each time
			}
			a.ask(save) // the yes does not serve twice
			if n := len(a.kernel.got()) - len(a.writes()); n != c.tries {
				t.Errorf("%d dry runs", n)
			}
		})
	}
}

// What an agent is told: which plan, what it would do, who must approve it and
// how; the answer is one row.
func TestWhatAnAgentIsTold(t *testing.T) {
	t.Parallel()
	a := newAsking(t, manifest)
	long := strings.Repeat("+很长的一行\n", 1000)
	a.dry = func(tools.Call) any {
		return map[string]any{"unifiedDiff": long, "diff": []any{map[string]any{"op": "append", "blocks": 1}}, "resultRevision": 8, "odd": "x"}
	}
	env := a.call("mnote_page_save", save)
	checkRefusal(t, env)
	id := a.waits(env)
	if !strings.Contains(env.Error.Message, "mnote-host approve "+id) || detail(env)["approve"] != "mnote-host approve "+id {
		t.Errorf("it does not say how: %s", env.JSON())
	}
	var told struct {
		ExpiresAt string
		Plan      struct {
			UnifiedDiff          string
			UnifiedDiffTruncated bool
			Diff                 json.RawMessage
			ResultRevision       int
			Odd                  string
		}
	}
	details, _ := json.Marshal(detail(env))
	if err := json.Unmarshal(details, &told); err != nil {
		t.Fatal(err)
	}
	p := told.Plan
	if !strings.HasPrefix(long, p.UnifiedDiff) || !strings.HasSuffix(p.UnifiedDiff, "\n") || len(p.UnifiedDiff) > 2000 || !p.UnifiedDiffTruncated {
		t.Errorf("the diff is cut to %d bytes: %q", len(p.UnifiedDiff), p.UnifiedDiff)
	}
	if string(p.Diff) != `[{"blocks":1,"op":"append"}]` || p.ResultRevision != 8 || p.Odd != "" || told.ExpiresAt != "2026-12-01T12:00:00Z" {
		t.Errorf("%s", details)
	}
	if rows := a.rows(t); len(rows) != 1 || string(rows[0].Code) != required || rows[0].DryRun || rows[0].Effect != tools.EffectNone {
		t.Errorf("%+v", rows)
	}
}

// What a person is shown: who asks for what, the whole diff, and the arguments
// where the diff does not say it all.
func TestWhatAPersonIsShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2<<20)
	for name, c := range map[string]struct {
		args string
		dry  any
		want string
	}{
		"a diff":          {save, map[string]any{"unifiedDiff": "+x\n", "planId": "k", "expiresAt": "then"}, `{"unifiedDiff":"+x\n"}`},
		"no diff":         {save, map[string]any{"diff": []any{1}}, `{"args":{"content":"x"},"diff":[1]}`},
		"a cut diff":      {save, map[string]any{"unifiedDiff": "+x\n", "unifiedDiffTruncated": true}, `{"args":{"content":"x"},"unifiedDiff":"+x\n","unifiedDiffTruncated":true}`},
		"the whole of it": {save, map[string]any{"unifiedDiff": "+x\n", "unifiedDiffTruncated": true, "wholeDiff": "+x\n-y\n"}, `{"unifiedDiff":"+x\n-y\n"}`},
		"too much of it":  {`{"content": "` + long + `", "dryRun": false}`, map[string]any{"resultRevision": 2}, `{"leftOut":["args"],"resultRevision":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAsking(t, manifest)
			a.dry = func(tools.Call) any { return c.dry }
			id := a.ask(c.args)
			p, err := a.host.Plan(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(p.Preview)); diff != "" {
				t.Error(diff)
			}
			if p.Tool != "mnote.page.save" || p.Document != "page.md" || p.Session != "s_1" || p.Actor != "u_1" || p.Agent != "mcp" || !strings.Contains(p.Question, "page.md") {
				t.Errorf("%+v", p)
			}
			list, err := a.host.Plans(t.Context(), plugin.PlanFilter{})
			if p.Preview = nil; err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]plugin.Plan{p}, list); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A no is told once, without asking the kernel, until the person says otherwise.
func TestDecline(t *testing.T) {
	t.Parallel()
	a := newAsking(t, manifest)
	id := a.ask(save)
	a.decide(id, a.host.Decline)
	before := len(a.kernel.got())
	for range 2 {
		env := a.call("mnote_page_save", save)
		checkRefusal(t, env)
		if code(env) != declined {
			t.Errorf("got %s", env.JSON())
		}
	}
	if n := len(a.kernel.got()); n != before {
		t.Errorf("%d calls reached the kernel", n-before)
	}
	// A face that could ask does not ask again what was declined.
	env := a.session.Call(t.Context(), "mnote_page_save", json.RawMessage(save), plugin.Meta{Confirm: always(plugin.Yes)})
	if code(env) != declined {
		t.Errorf("asked again: %s", env.JSON())
	}
	a.decide(id, a.host.Approve)
	if env := a.call("mnote_page_save", save); !env.OK {
		t.Errorf("the person thought better of it: %s", env.JSON())
	}
}

// A caller that sends it again before anyone has spoken gets the same plan while
// it promises the same.
func TestSentAgainBeforeAnyoneSpoke(t *testing.T) {
	t.Parallel()
	a := newAsking(t, manifest)
	revision := 7
	a.dry = func(tools.Call) any { return map[string]any{"resultRevision": revision} }
	first := a.ask(save)
	if again := a.ask(save); again != first {
		t.Errorf("plan %s, then %s", first, again)
	}
	revision++ // the page was edited: what a person would be shown is out of date
	if again := a.ask(save); again == first {
		t.Errorf("still the plan %s", again)
	}
	if _, err := a.host.Approve(t.Context(), first, "terminal"); err == nil {
		t.Error("a plan that gave way can be approved")
	}
}
