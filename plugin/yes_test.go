package plugin_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// A yes is bound to session, tool, document and arguments, and to a day.
func TestYesServesNothingElse(t *testing.T) {
	t.Parallel()
	const other = `{"content": "y", "dryRun": false}`
	for name, call := range map[string]func(a *asking) tools.Envelope{
		"other arguments": func(a *asking) tools.Envelope { return a.call("mnote_page_save", other) },
		"another document": func(a *asking) tools.Envelope {
			return a.call("mnote_page_save", `{"content": "x", "dryRun": false, "documentId": "b.md"}`)
		},
		"another tool": func(a *asking) tools.Envelope { return a.call("mnote_note_create", save) },
		"another session": func(a *asking) tools.Envelope {
			return a.open(func(c *plugin.SessionConfig) { c.Confirm, c.SessionID = plugin.ConfirmWrites, "s_2" }).
				Call(context.Background(), "mnote_page_save", json.RawMessage(save), plugin.Meta{})
		},
		"a day later": func(a *asking) tools.Envelope {
			a.time.pass(24 * time.Hour)
			return a.call("mnote_page_save", save)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAsking(t, manifest)
			id := a.ask(save)
			a.decide(id, a.host.Approve)
			if next := a.waits(call(a)); next == id {
				t.Errorf("the yes is shown again: %s", next)
			}
			if w := a.writes(); w != nil {
				t.Errorf("written: %v", w)
			}
		})
	}
}

// What comes of the yes follows what came of the write.
func TestYesAndTheWritesEnd(t *testing.T) {
	t.Parallel()
	refusing := func(code tools.Code) func(tools.Call) (tools.Envelope, error) {
		return func(c tools.Call) (tools.Envelope, error) {
			return tools.Refuse(c, tools.Errorf(code, tools.Text{ZH: "否", EN: "no"})), nil
		}
	}
	for name, c := range map[string]struct {
		write func(c tools.Call) (tools.Envelope, error)
		first string
		// again is what the same write gets then; "" passes.
		again string
	}{
		"nothing was sent": {func(tools.Call) (tools.Envelope, error) {
			return tools.Envelope{}, tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "没有", EN: "away"}).With("reason", "refused")
		}, "mnote_kernel_unavailable refused", ""},
		"the kernel refused it":      {refusing(tools.CodePageProtected), "mnote_tool_page_protected", ""},
		"it can not happen any more": {refusing(tools.CodeConflict), "mnote_tool_conflict", required},
		"the answer is lost":         {func(tools.Call) (tools.Envelope, error) { return tools.Envelope{}, context.DeadlineExceeded }, "mnote_tool_timeout", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAsking(t, planning)
			n := 0
			a.dry = func(tools.Call) any { n++; return map[string]any{"planId": "kp_" + string(rune('0'+n))} }
			id := a.ask(save)
			a.decide(id, a.host.Approve)
			a.write = c.write
			if got := code(a.deliver(a.call("mnote_page_save", save))); got != c.first {
				t.Fatalf("got %q", got)
			}
			a.write = nil
			env := a.call("mnote_page_save", save)
			if diff := cmp.Diff(c.again, code(env)); diff != "" {
				t.Errorf("%s\n%s", diff, env.JSON())
			}
			sent := a.writes()
			if c.again == "" && (len(sent) != 2 || sent[0] != sent[1]) {
				t.Errorf("sent %v", sent)
			}
			if calls := a.kernel.got(); c.first == "mnote_tool_timeout" && calls[1].IdempotencyKey != calls[2].IdempotencyKey {
				t.Error("the retry has a key of its own")
			}
		})
	}
}

// A write whose dry run is refused asks nobody: the refusal is the answer.
func TestRefusedDryRunAsksNobody(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*tools.Error{
		"mnote_tool_conflict":              tools.Errorf(tools.CodeConflict, tools.Text{ZH: "变了", EN: "changed"}),
		"mnote_kernel_unavailable refused": tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "没有", EN: "away"}).With("reason", "refused"),
	} {
		k := answering(func(c tools.Call) (tools.Envelope, error) { return tools.Refuse(c, e), nil })
		r := newRig(t, setup{kernel: k, session: func(c *plugin.SessionConfig) { c.Confirm = plugin.ConfirmWrites }})
		if diff := cmp.Diff(want, code(r.call("mnote_page_save", save))); diff != "" {
			t.Error(diff)
		}
		if list, err := r.host.Plans(t.Context(), plugin.PlanFilter{Over: true}); list != nil || err != nil {
			t.Errorf("%v, %v", list, err)
		}
	}
}

// Many equal calls at once and one yes: one write.
func TestOneYesOneWrite(t *testing.T) {
	t.Parallel()
	a := newAsking(t, planning)
	a.decide(a.ask(save), a.host.Approve)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			env := a.call("mnote_page_save", save)
			if got := code(env); got != "" && got != required && got != "mnote_tool_conflict used" {
				t.Errorf("got %s", env.JSON())
			}
		})
	}
	wg.Wait()
	if w := a.writes(); len(w) != 1 {
		t.Errorf("%d writes", len(w))
	}
}

// The yes of another process counts; a face that can ask is then not asked.
func TestYesFromAnotherProcess(t *testing.T) {
	t.Parallel()
	a := newAsking(t, manifest)
	id := a.ask(save)
	person := plugin.New(plugin.Config{StateDir: a.dir, Now: a.time.now})
	defer person.Close(t.Context())
	p, err := person.Approve(t.Context(), id, "console")
	if err != nil || p.Decision != plugin.PlanApproved || p.By != "console" {
		t.Fatalf("%+v, %v", p, err)
	}
	env := a.session.Call(t.Context(), "mnote_page_save", json.RawMessage(save), plugin.Meta{
		Confirm: confirmer(func(context.Context, plugin.Question) plugin.Answer {
			t.Error("asked again")
			return plugin.No
		}),
	})
	if !env.OK {
		t.Errorf("%s", env.JSON())
	}
}

// A tool's confirmWhen asks in a session that asks for nothing else, and its yes
// works the same way.
func TestConfirmWhenIsApproved(t *testing.T) {
	t.Parallel()
	const danger = `{"content": "x", "dryRun": false, "danger": true}`
	r := newRig(t, setup{})
	id, _ := detail(r.call("mnote_page_save", danger))["planId"].(string)
	if _, err := r.host.Approve(t.Context(), id, "terminal"); err != nil {
		t.Fatal(err)
	}
	if env := r.call("mnote_page_save", danger); !env.OK {
		t.Errorf("%s", env.JSON())
	}
}
