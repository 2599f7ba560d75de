package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// hostCodes are those of kernel-api's table that the host says.
var hostCodes = []tools.Code{
	tools.CodeNotFound, tools.CodeRetired, tools.CodeDisabled, tools.CodeInvalidArgs, tools.CodeMissingContext,
	tools.CodePermissionDenied, tools.CodeResourceDenied, tools.CodeConflict, tools.CodeIdempotencyConflict,
	tools.CodePayloadTooLarge, tools.CodeTimeout, tools.CodeCancelled, tools.CodeConfirmationRequired,
	tools.CodeConfirmationDeclined, tools.CodeRateLimited, tools.CodeKernelUnavailable, tools.CodeContractViolation,
	tools.CodeInternal,
}

// refusal is one way to be refused by the host.
type refusal struct {
	want    string
	setup   setup
	name    string
	args    string
	meta    plugin.Meta
	prepare func(*rig)
	// reaches says that the kernel is asked all the same.
	reaches bool
}

const (
	save = `{"content": "x", "dryRun": false}`
	plan = `{"content": "x", "dryRun": true}`
)

func granting(g tools.Grant) func(*plugin.SessionConfig) {
	return func(c *plugin.SessionConfig) { c.Grant = &g }
}

func answering(f func(c tools.Call) (tools.Envelope, error)) *kernel {
	return &kernel{call: func(_ context.Context, c tools.Call) (tools.Envelope, error) { return f(c) }}
}

func failing(err error) *kernel {
	return answering(func(tools.Call) (tools.Envelope, error) { return tools.Envelope{}, err })
}

var refusals = map[string]refusal{
	"unknown tool":          {want: "mnote_tool_not_found", name: "mnote_page_fetch"},
	"planned tool":          {want: "mnote_tool_not_found", name: "mnote_soon_get"},
	"retired tool":          {want: "mnote_tool_retired", name: "mnote_old_get"},
	"retired family":        {want: "mnote_tool_retired", name: "mnote_evidence_search"},
	"pack switched off":     {want: "mnote_tool_disabled capability", name: "mnote_off_get"},
	"tool switched off":     {want: "mnote_tool_disabled tool", name: "mnote_lone_get"},
	"unknown argument":      {want: "mnote_tool_invalid_args", name: "mnote_page_get", args: `{"includeBoddy": true}`},
	"no JSON":               {want: "mnote_tool_invalid_args", name: "mnote_page_get", args: `{"includeBody": tru`},
	"a required one absent": {want: "mnote_tool_invalid_args", name: "mnote_page_save", args: `{"dryRun": true}`},
	"arguments too large": {want: "mnote_tool_payload_too_large", name: "mnote_page_save", args: `{"content": "` + strings.Repeat("x", 2000) + `"}`,
		setup: setup{host: func(c *plugin.Config) { c.Limits.ArgsBytes = 1000 }}},
	"a key of no form": {want: "mnote_tool_invalid_args", name: "mnote_page_save", args: `{"content": "x", "dryRun": false, "idempotencyKey": "a\nb"}`},
	"no page": {want: "mnote_tool_missing_context", name: "mnote_page_get",
		setup: setup{session: func(c *plugin.SessionConfig) { c.DocumentID = "" }}},
	"no workspace": {want: "mnote_tool_missing_context", name: "mnote_page_get",
		setup: setup{session: func(c *plugin.SessionConfig) { c.WorkspaceID = "" }}},
	"no root": {want: "mnote_tool_missing_context", name: "mnote_rag_query", args: `{"query": "q"}`,
		setup: setup{session: func(c *plugin.SessionConfig) { c.RootURI = "" }}},
	"another workspace is asked for": {want: "mnote_tool_permission_denied session_field", name: "mnote_page_get", args: `{"workspaceId": "ws_2"}`},
	"granted nothing": {want: "mnote_tool_permission_denied level", name: "mnote_page_get",
		setup: setup{session: granting(tools.Grant{})}},
	"may only read": {want: "mnote_tool_permission_denied level", name: "mnote_page_save", args: save,
		setup: setup{session: granting(tools.Grant{Level: tools.LevelRead})}},
	"shared, a plan": {want: "mnote_tool_permission_denied shared_read", name: "mnote_page_save", args: plan,
		setup: setup{session: granting(tools.Grant{Level: tools.LevelRead, Shared: true})}},
	"needs write permission": {want: "mnote_tool_permission_denied level", name: "mnote_rag_query", args: `{"query": "q"}`,
		setup: setup{session: granting(tools.Grant{Level: tools.LevelRead})}},
	"pack only reads": {want: "mnote_tool_permission_denied capability_read_only", name: "mnote_rag_write", args: `{"dryRun": false}`},
	"scope lacks": {want: "mnote_tool_permission_denied scope", name: "mnote_page_get",
		setup: setup{session: granting(tools.Grant{Level: tools.LevelRead, Scopes: []tools.Scope{"doc.read"}})}},
	"expired": {want: "mnote_tool_permission_denied expired", name: "mnote_page_get",
		setup: setup{session: granting(tools.Grant{Level: tools.LevelRead, ExpiresAt: new(time.Time)})}},
	"document outside": {want: "mnote_tool_permission_denied document", name: "mnote_page_get", args: `{"documentId": "other.md"}`,
		setup: setup{session: granting(tools.Grant{Level: tools.LevelRead, DocumentIDs: []string{"page.md"}})}},
	"resource not listed": {want: "mnote_tool_resource_denied resource", name: "mnote_map_fetch", args: `{"mindmapId": "m"}`,
		setup: setup{session: granting(tools.Grant{Level: tools.LevelRead})}},
	"path leaves the root": {want: "mnote_tool_resource_denied root", name: "mnote_page_get", args: `{"documentId": "../secret.md"}`},
	"too often": {want: "mnote_tool_rate_limited", name: "mnote_page_get", prepare: func(r *rig) { r.call("mnote_page_get", `{}`) },
		setup: setup{host: func(c *plugin.Config) { c.Limits.CallsPerSecond, c.Limits.Burst = 1, 1 }}, reaches: true},
	"a plan nobody made": {want: "mnote_tool_conflict unknown", name: "mnote_page_save", args: `{"content": "x", "dryRun": false, "planId": "plan_1"}`},
	"key used for other content": {want: "mnote_tool_idempotency_conflict other_content", name: "mnote_page_save",
		args:    `{"content": "other", "dryRun": false, "idempotencyKey": "k"}`,
		prepare: func(r *rig) { r.call("mnote_page_save", `{"content": "x", "dryRun": false, "idempotencyKey": "k"}`) }, reaches: true},
	"nobody can be asked": {want: "mnote_tool_confirmation_required", name: "mnote_page_save", args: save, reaches: true, // with the dry run
		setup: setup{session: func(c *plugin.SessionConfig) { c.Confirm = plugin.ConfirmWrites }}},
	"a person said no": {want: "mnote_tool_confirmation_declined", name: "mnote_page_save", args: save, meta: plugin.Meta{Confirm: always(plugin.No)},
		setup: setup{session: func(c *plugin.SessionConfig) { c.Confirm = plugin.ConfirmWrites }}},
	"no state folder": {want: "mnote_kernel_unavailable no_state", name: "mnote_page_save", args: save,
		setup: setup{host: func(c *plugin.Config) { c.StateDir = "" }}},
	"no kernel": {want: "mnote_kernel_unavailable no_kernel", name: "mnote_page_get",
		setup: setup{host: func(c *plugin.Config) { c.Kernel = nil }}},
	"started without a kernel": {want: "mnote_kernel_unavailable no_kernel", name: "mnote_page_get",
		setup: setup{session: func(c *plugin.SessionConfig) { c.RequireKernel = errors.New("set --workspace") }}},
	"kernel is away": {want: "mnote_kernel_unavailable refused", name: "mnote_page_get", reaches: true,
		setup: setup{kernel: failing(tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "没有", EN: "away"}).With("reason", "refused"))}},
	"kernel is late": {want: "mnote_tool_timeout", name: "mnote_page_get", reaches: true,
		setup: setup{kernel: failing(context.DeadlineExceeded)}},
	"kernel breaks the contract": {want: "mnote_kernel_contract_violation", name: "mnote_page_get", reaches: true,
		setup: setup{kernel: answering(func(c tools.Call) (tools.Envelope, error) { c.ToolCallID = "another"; return answer(c), nil })}},
	"result too large": {want: "mnote_tool_payload_too_large", name: "mnote_page_get", reaches: true,
		setup: setup{host: func(c *plugin.Config) { c.Limits.ResultBytes = 5 }}},
	"a fault that nobody coded": {want: "mnote_internal", name: "mnote_page_get", reaches: true,
		setup: setup{kernel: failing(errors.New("secret-token-in-a-url"))}},
	"a panic": {want: "mnote_internal", name: "mnote_page_get", reaches: true,
		setup: setup{kernel: answering(func(tools.Call) (tools.Envelope, error) { panic("secret-token-in-a-panic") })}},
}

// Each refusal is an ordinary envelope with its code, a text in the session's
// language and no effect; nothing reaches the kernel, and the audit has it.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.setup)
			if c.prepare != nil {
				c.prepare(r)
			}
			before := len(sent(r.kernel, c.want))
			env := r.session.Call(context.Background(), c.name, json.RawMessage(c.args), c.meta)
			if diff := cmp.Diff(c.want, code(env)); diff != "" {
				t.Fatalf("%s\n%s", diff, env.JSON())
			}
			checkRefusal(t, env)
			if n := len(sent(r.kernel, c.want)) - before; !c.reaches && n != 0 {
				t.Errorf("%d calls reached the kernel", n)
			}
		})
	}
}

// sent gives what reached the kernel; who is asked was shown a dry run.
func sent(k *kernel, code string) []string {
	if code == declined {
		return written(k)
	}
	var all []string
	for _, c := range k.got() {
		all = append(all, string(c.Args))
	}
	return all
}

func checkRefusal(t *testing.T, env tools.Envelope) {
	t.Helper()
	if env.OK || env.Result != nil || env.Audit.Effect != tools.EffectNone || env.Audit.CommandID != nil {
		t.Errorf("not a refusal: %s", env.JSON())
	}
	if env.ToolCallID == "" || env.TraceID == "" || env.ToolName == "" {
		t.Errorf("ids are missing: %s", env.JSON())
	}
	if env.Error.Message == "" {
		t.Errorf("no message: %s", env.JSON())
	}
	if strings.Contains(string(env.JSON()), "secret-token") {
		t.Errorf("a cause leaks: %s", env.JSON())
	}
}

// Every code that the host says has a case above or, where a caller has to go,
// in TestCancel.
func TestEveryHostCodeHasACase(t *testing.T) {
	t.Parallel()
	said := map[tools.Code]bool{tools.CodeCancelled: true}
	for _, c := range refusals {
		first, _, _ := strings.Cut(c.want, " ")
		said[tools.Code(first)] = true
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(hostCodes)), slices.Sorted(maps.Keys(said))); diff != "" {
		t.Error(diff)
	}
}
