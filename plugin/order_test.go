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

// A call that is wrong in every step is refused by the first; as each fault is
// mended the next step has its say, and the kernel is reached only at the end.
func TestStepsInOrder(t *testing.T) {
	t.Parallel()
	past := time.Unix(0, 0)
	grant := tools.Grant{Level: tools.LevelRead, ExpiresAt: &past}
	k := &kernel{}
	r := newRig(t, setup{kernel: k, host: func(c *plugin.Config) { c.Limits.Burst, c.Limits.CallsPerSecond = 1, 1; c.Limits.ArgsBytes = 300 }})
	var (
		doc     = strings.Replace(manifest, `"name": "mnote.page.save"`, `"enabled": false, "name": "mnote.page.save"`, 1)
		off     = newRig(t, setup{kernel: &kernel{}, manifest: doc, session: granting(grant)})
		session = off.session
		name    = "mnote_page_gone"
		args    = `{"content": 7.5, "workspaceId": "ws_2", "long": "` + strings.Repeat("x", 300) + `"}`
		confirm = plugin.No
	)
	reopen := func(f func(*plugin.SessionConfig)) func() { return func() { session = r.open(f) } }
	for _, step := range []struct {
		want string
		mend func()
	}{
		{"mnote_tool_not_found", func() { name = "mnote_page_save" }},
		{"mnote_tool_disabled tool", reopen(func(c *plugin.SessionConfig) { c.Grant = &grant; c.Confirm = plugin.ConfirmWrites })},
		{"mnote_tool_payload_too_large", func() { args = `{"content": {"a": 1}, "workspaceId": "ws_2"}` }},
		{"mnote_tool_invalid_args", func() { args = `{"content": "x", "dryRun": false, "workspaceId": "ws_2"}` }},
		{"mnote_tool_permission_denied session_field", func() { args = `{"content": "x", "dryRun": false, "idempotencyKey": "k"}` }},
		{"mnote_tool_permission_denied expired", func() { grant.ExpiresAt = nil }},
		{"mnote_tool_permission_denied level", func() { grant.Level = tools.LevelWrite }},
		{"mnote_tool_confirmation_declined", func() { confirm = plugin.Yes }},
		{"mnote_tool_rate_limited", reopen(func(c *plugin.SessionConfig) { c.Grant = &grant; c.Confirm = plugin.ConfirmWrites })},
		{"", func() {}},
	} {
		if w := written(k); w != nil {
			t.Fatalf("before %q the kernel wrote %v", step.want, w)
		}
		env := session.Call(context.Background(), name, json.RawMessage(args), plugin.Meta{Confirm: always(confirm)})
		if diff := cmp.Diff(step.want, code(env)); diff != "" {
			t.Fatalf("%s\n%s", diff, env.JSON())
		}
		step.mend()
	}
	if w := written(k); len(w) != 1 {
		t.Errorf("the kernel wrote %v", w)
	}
}

// A stored answer is given only to who may make the call now.
func TestReplayAfterTheGuards(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	const args = `{"content": "x", "dryRun": false, "idempotencyKey": "k"}`
	first := r.deliver(r.call("mnote_page_save", args))
	again := r.call("mnote_page_save", args)
	if !again.OK || !again.Audit.Replayed || *again.Audit.CommandID != *first.Audit.CommandID {
		t.Fatalf("no replay: %s", again.JSON())
	}
	if again.ToolCallID == first.ToolCallID || again.TraceID == first.TraceID {
		t.Errorf("a replay carries this call's ids: %s", again.JSON())
	}
	r.session = r.open(granting(tools.Grant{Level: tools.LevelRead}))
	if got := code(r.call("mnote_page_save", args)); got != "mnote_tool_permission_denied level" {
		t.Errorf("got %q", got)
	}
	if n := len(r.kernel.got()); n != 1 {
		t.Errorf("the kernel ran %d writes", n)
	}
}

// Dry runs and reads take no claim: the same key runs them again.
func TestOnlyWritesAreReplayed(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	for range 2 {
		if env := r.call("mnote_page_save", `{"content": "x", "dryRun": true, "idempotencyKey": "k"}`); !env.OK || env.Audit.Replayed {
			t.Fatalf("%s", env.JSON())
		}
		if env := r.call("mnote_page_get", `{}`); !env.OK || env.Audit.Replayed {
			t.Fatalf("%s", env.JSON())
		}
	}
	if env := r.call("mnote_page_save", `{"content": "x", "dryRun": false, "idempotencyKey": "k"}`); !env.OK || env.Audit.Replayed {
		t.Fatalf("a plan used up its write's key: %s", env.JSON())
	}
	if n := len(r.kernel.got()); n != 5 {
		t.Errorf("the kernel was reached %d times", n)
	}
}
