package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

const violation = "mnote_kernel_contract_violation"

// What a kernel may answer and what it may not, by what was asked of it.
func TestVerify(t *testing.T) {
	t.Parallel()
	const (
		get   = `mnote_page_get {}`
		write = `mnote_page_save {"content": "x", "dryRun": false}`
		dry   = `mnote_page_save {"content": "x", "dryRun": true}`
	)
	empty := ""
	for name, c := range map[string]struct {
		call string
		env  func(e *tools.Envelope)
		want string
		// effect and command are what comes out of a success.
		effect  tools.Effect
		command bool
	}{
		"read":                      {get, func(*tools.Envelope) {}, "", "read", false},
		"write":                     {write, func(*tools.Envelope) {}, "", "write", true},
		"plan":                      {dry, func(*tools.Envelope) {}, "", "dry_run", false},
		"another tool's name":       {get, func(e *tools.Envelope) { e.ToolName = "mnote.page.save" }, violation, "", false},
		"no name":                   {get, func(e *tools.Envelope) { e.ToolName = "" }, violation, "", false},
		"another call's id":         {write, func(e *tools.Envelope) { e.ToolCallID = "call_x" }, violation, "", false},
		"no id":                     {get, func(e *tools.Envelope) { e.ToolCallID = "" }, violation, "", false},
		"trace left out":            {get, func(e *tools.Envelope) { e.TraceID = "" }, "", "read", false},
		"ok with an error":          {get, func(e *tools.Envelope) { e.Error = &tools.Error{Code: tools.CodeConflict} }, violation, "", false},
		"a list for a result":       {get, func(e *tools.Envelope) { e.Result = json.RawMessage(` [1]`) }, violation, "", false},
		"no result":                 {get, func(e *tools.Envelope) { e.Result = nil }, "", "read", false},
		"no audit":                  {get, func(e *tools.Envelope) { e.Audit = tools.Audit{} }, "", "read", false},
		"a read with a command":     {get, func(e *tools.Envelope) { id := "c"; e.Audit.CommandID = &id }, "", "read", false},
		"a read that wrote":         {get, func(e *tools.Envelope) { e.Audit.Effect = tools.EffectWrite }, violation, "", false},
		"a plan that wrote":         {dry, func(e *tools.Envelope) { e.Audit.Effect = tools.EffectWrite }, violation, "", false},
		"a plan without a word":     {dry, func(e *tools.Envelope) { e.Audit.Effect = "" }, "", "dry_run", false},
		"a write only planned":      {write, func(e *tools.Envelope) { e.Audit.Effect = tools.EffectDryRun }, violation, "", false},
		"a write without a command": {write, func(e *tools.Envelope) { e.Audit.CommandID = nil }, violation, "", false},
		"a write, empty command":    {write, func(e *tools.Envelope) { e.Audit.CommandID = &empty }, violation, "", false},
		"a write, no audit":         {write, func(e *tools.Envelope) { e.Audit = tools.Audit{} }, violation, "", false},
		"a write of nothing": {write, func(e *tools.Envelope) {
			e.Audit = tools.Audit{Effect: tools.EffectNone}
		}, "", "none", false},
		"refused, no error":  {get, func(e *tools.Envelope) { e.OK = false }, violation, "", false},
		"refused, odd code":  {get, func(e *tools.Envelope) { e.OK, e.Error = false, &tools.Error{Code: "Bad Thing\n"} }, violation, "", false},
		"refused in silence": {get, func(e *tools.Envelope) { e.OK, e.Error = false, &tools.Error{Code: tools.CodeConflict} }, "mnote_tool_conflict", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, setup{kernel: answering(func(call tools.Call) (tools.Envelope, error) {
				env := answer(call)
				c.env(&env)
				return env, nil
			})})
			tool, args, _ := strings.Cut(c.call, " ")
			env := r.call(tool, args)
			if diff := cmp.Diff(c.want, code(env)); diff != "" {
				t.Fatalf("%s\n%s", diff, env.JSON())
			}
			if !env.OK {
				checkRefusal(t, env)
				if unknown := env.Error.Details["outcome"] == "unknown"; unknown != (c.want == violation && c.call == write) {
					t.Errorf("outcome: %s", env.JSON())
				}
				return
			}
			if env.Audit.Effect != c.effect || (env.Audit.CommandID != nil) != c.command || env.Audit.WorkspaceID != "ws_1" ||
				env.Audit.DocumentID == nil || env.TraceID == "" || env.Result == nil {
				t.Errorf("%s", env.JSON())
			}
		})
	}
}

// A refusal whose code leaves the outcome open is as uncertain from a kernel's
// mouth as from our own.
func TestUncertainRefusal(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{kernel: answering(func(c tools.Call) (tools.Envelope, error) {
		return tools.Refuse(c, tools.Errorf(tools.CodeTimeout, tools.Text{ZH: "超时", EN: "upstream timed out"})), nil
	})})
	if env := r.call("mnote_page_save", save); env.Error.Details["outcome"] != "unknown" || env.Error.Details["idempotencyKey"] == nil {
		t.Errorf("%s", env.JSON())
	}
	if env := r.call("mnote_page_get", `{}`); env.Error.Details["outcome"] != nil {
		t.Errorf("%s", env.JSON())
	}
}

// Fields that nobody here knows are passed on, on one line; inside the error
// they are dropped.
func TestForeignFields(t *testing.T) {
	t.Parallel()
	ok := true
	r := newRig(t, setup{kernel: answering(func(c tools.Call) (tools.Envelope, error) {
		env := answer(c)
		doc := `{"ok": true, "toolName": "` + string(c.ToolName) + `", "toolCallId": "` + c.ToolCallID + `", "traceId": "", "result": {"a":
 1}, "audit": {"effect": "read", "shard": {"n":
 7}}, "future": {
 "x": "é"}, "error": null}`
		if !ok {
			doc = `{"ok": false, "toolName": "", "result": {"title": "canary"}, "error": {"code": "mnote_tool_conflict", "message": "m", "title": "canary"}, "future":
 1}`
		}
		return env, json.Unmarshal([]byte(doc), &env)
	})})
	env := r.call("mnote_page_get", `{}`)
	line := env.JSON()
	if !env.OK || bytes.ContainsRune(line, '\n') || !bytes.Contains(line, []byte(`"future":{"x":"é"}`)) || !bytes.Contains(line, []byte(`"shard":{"n":7}`)) {
		t.Errorf("%s", line)
	}
	ok = false
	line = r.call("mnote_page_get", `{}`).JSON()
	if bytes.ContainsRune(line, '\n') || bytes.Contains(line, []byte("canary")) || !bytes.Contains(line, []byte(`"future":1`)) {
		t.Errorf("%s", line)
	}
}

// A kernel knows its tools by their dotted names; a model can call only the wire
// name, so that is what a message says.
func TestMessagesNameToolsOnTheWire(t *testing.T) {
	t.Parallel()
	said := tools.Errorf(tools.CodeDocumentNotFound, tools.Text{EN: "no such document; mnote.page.get or mnote.no.such shows it, not notes.md"})
	k := &kernel{call: func(_ context.Context, c tools.Call) (tools.Envelope, error) { return tools.Refuse(c, said), nil }}
	r := newRig(t, setup{kernel: k})
	env := r.call("mnote_page_get", `{}`)
	if want := "no such document; mnote_page_get or mnote.no.such shows it, not notes.md"; env.Error == nil || env.Error.Message != want {
		t.Errorf("answered %s", env.JSON())
	}
}
