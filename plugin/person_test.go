package plugin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

const undoManifest = `{"ok": true, "capabilities": [{"id": "page", "title": "页", "enabled": false, "toolNames": ["mnote.command.undo", "mnote.page.get"]}],
 "tools": [
  {"name": "mnote.command.undo", "kind": "write", "capabilityId": "page", "inputSchema": {"type": "object", "required": ["commandId", "dryRun"],
   "properties": {"commandId": {"type": "string"}, "dryRun": {"type": "boolean"}, "idempotencyKey": {"type": "string"}}}},
  {"name": "mnote.page.get", "kind": "read", "capabilityId": "page"}]}`

// A person's own undo passes where its tool is off, and says to the kernel that it
// is one; an agent's does not, whatever it says of itself, and nothing else passes.
func TestPersonsUndoPasses(t *testing.T) {
	t.Parallel()
	var person []bool
	k := &kernel{
		manifest: func(context.Context, string) (capabilities.Manifest, error) {
			return capabilities.Read([]byte(undoManifest))
		},
		call: func(ctx context.Context, c tools.Call) (tools.Envelope, error) {
			person = append(person, plugin.ByPerson(ctx))
			return answer(c), nil
		},
	}
	r := newRig(t, setup{kernel: k, manifest: undoManifest})
	const undo = `{"commandId": "c", "dryRun": false}`
	for _, said := range []string{undo, `{"commandId": "c", "dryRun": false, "person": true}`, `{"commandId": "c", "dryRun": false, "agentId": "cli"}`} {
		if env := r.call("mnote_command_undo", said); code(env) != "mnote_tool_disabled capability" {
			t.Errorf("an agent's %s: %s", said, env.JSON())
		}
	}
	r.session = r.open(func(c *plugin.SessionConfig) { c.Person = true })
	if env := r.call("mnote_page_get", `{}`); code(env) != "mnote_tool_disabled capability" {
		t.Errorf("a person's read: %s", env.JSON())
	}
	if env := r.call("mnote_command_undo", undo); !env.OK {
		t.Errorf("a person's undo: %s", env.JSON())
	}
	if d := cmp.Diff([]bool{true}, person); d != "" {
		t.Error(d)
	}
}

// What was switched, by whom and for whom, is in the audit; and is no call.
func TestTurnsAreRecorded(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	r.session.Turned(t.Context(), "mnote-current-page", false, "", "console")
	r.session.Turned(t.Context(), "mnote.page.save", true, "bob", "cli")
	r.session.Turned(t.Context(), "", true, "", "http")
	var got []string
	for _, row := range r.rows(t) {
		got = append(got, strings.Join([]string{row.Tool, row.Document, row.Profile, row.Agent, row.Session, string(row.Effect)}, " "))
	}
	want := []string{
		"mnote.capability.disable mnote-current-page  console s_1 write",
		"mnote.capability.enable mnote.page.save bob cli s_1 write",
		"mnote.capability.reset   http s_1 write",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for row, err := range r.host.Audit(t.Context(), plugin.AuditFilter{Profile: "bob", Calls: true}) {
		t.Errorf("a call in profile bob: %v, %v", row, err)
	}
}
