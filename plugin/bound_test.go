package plugin_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// What goes out has every field of seed 7-6, filled in by the host.
func TestForwardedCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{session: func(c *plugin.SessionConfig) {
		c.Refs = []tools.Ref{{Kind: "folder", ID: "f"}}
		c.Selection = json.RawMessage(`{"blockId":"b"}`)
		c.ObjectIdentity = "page:page.md"
	}})
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	r.session.Call(context.Background(), "mnote_page_save",
		json.RawMessage(`{"content": "x", "dryRun": true, "expectedRevision": 9007199254740993, "actorId": "u_1", "sessionId": "mine"}`),
		plugin.Meta{RunID: "run_m", ToolCallID: "call_m", TraceParent: parent})
	doc := "page.md"
	want := tools.Call{
		ToolName: "mnote.page.save", WorkspaceID: "ws_1", DocumentID: &doc, ActorID: "u_1", SessionID: "s_1", RunID: "run_m",
		ToolCallID: "call_m", TraceID: "0af7651916cd43dd8448eb211c80319c", DryRun: true, Scopes: []tools.Scope{"page.write"},
		Args:    json.RawMessage(`{"content":"x","expectedRevision":9007199254740993}`),
		Profile: "default", AgentID: "mcp", Refs: []tools.Ref{{Kind: "folder", ID: "f"}}, Selection: json.RawMessage(`{"blockId":"b"}`),
		ObjectIdentity: "page:page.md", Kind: tools.KindWrite, TraceParent: parent, Lang: tools.EN,
	}
	got := r.kernel.got()[0]
	if got.IdempotencyKey == "" {
		t.Error("no key")
	}
	got.IdempotencyKey = ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A read carries a key too, and a tool that has a place for the root gets it.
func TestForwardedRead(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	r.call("mnote_map_fetch", `{"mindmapId": "m.mindmap.json", "rootUri": "/home/u/notes/"}`)
	r.call("mnote_free_look", ``)
	got := r.kernel.got()
	if diff := cmp.Diff(`{"mindmapId":"m.mindmap.json","rootUri":"file:///home/u/notes"}`, string(got[0].Args)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(`{}`, string(got[1].Args)); diff != "" {
		t.Error(diff)
	}
	if got[0].IdempotencyKey == "" || got[0].IdempotencyKey == got[1].IdempotencyKey {
		t.Errorf("keys %q, %q", got[0].IdempotencyKey, got[1].IdempotencyKey)
	}
	if got[1].Scopes == nil {
		t.Error("the scope list must be one, not null")
	}
}

// The document: what the caller names, else the turn's focus, else the
// session's; a focus outside the grant is none.
func TestDocument(t *testing.T) {
	t.Parallel()
	narrow := granting(tools.Grant{Level: tools.LevelRead, DocumentIDs: []string{"a.md"}})
	for name, c := range map[string]struct {
		session func(*plugin.SessionConfig)
		args    string
		meta    plugin.Meta
		tool    string
		want    string // "refused …" or the document that went out
	}{
		"named":              {nil, `{"documentId": "n.md"}`, plugin.Meta{DocumentID: "f.md"}, "mnote_page_get", "n.md"},
		"focus":              {nil, `{}`, plugin.Meta{DocumentID: "f.md"}, "mnote_page_get", "f.md"},
		"session":            {nil, `{}`, plugin.Meta{}, "mnote_page_get", "page.md"},
		"focus outside":      {narrow, `{}`, plugin.Meta{DocumentID: "f.md"}, "mnote_page_get", "refused mnote_tool_missing_context"},
		"not needed":         {narrow, `{}`, plugin.Meta{}, "mnote_free_look", ""},
		"named outside":      {narrow, `{"documentId": "n.md"}`, plugin.Meta{}, "mnote_page_get", "refused mnote_tool_permission_denied document"},
		"named inside":       {narrow, `{"documentId": "a.md"}`, plugin.Meta{}, "mnote_page_get", "a.md"},
		"focus inside":       {narrow, `{}`, plugin.Meta{DocumentID: "a.md"}, "mnote_page_get", "a.md"},
		"named, not needed":  {nil, `{"mindmapId": "m", "documentId": "n.md"}`, plugin.Meta{}, "mnote_map_fetch", "n.md"},
		"outside, by letter": {narrow, `{"documentId": "A.md"}`, plugin.Meta{}, "mnote_page_get", "refused mnote_tool_permission_denied document"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, setup{session: c.session})
			env := r.session.Call(context.Background(), c.tool, json.RawMessage(c.args), c.meta)
			got := "refused " + code(env)
			if env.OK {
				got = r.kernel.got()[0].Document()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The page that the person has moved on to goes to the kernel beside the turn's
// own, as far as the grant reaches.
func TestPendingFocus(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{session: granting(tools.Grant{Level: tools.LevelRead, DocumentIDs: []string{"a.md", "b.md"}})})
	for _, id := range []string{"b.md", "secret.md", ""} {
		r.session.Call(context.Background(), "mnote_page_get", json.RawMessage(`{}`), plugin.Meta{DocumentID: "a.md", PendingFocus: id})
	}
	var sent []string
	for _, c := range r.kernel.got() {
		sent = append(sent, c.Document()+" "+c.PendingFocus)
	}
	if diff := cmp.Diff([]string{"a.md b.md", "a.md ", "a.md "}, sent); diff != "" {
		t.Error(diff)
	}
}

// Outside the grant the answer is the same whether a thing exists or not: the
// kernel is not asked, and the words do not differ (case B21, the host's part).
func TestB21OutsideTheGrantNothingIsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{session: granting(tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{"page.md"}, ResourceIDs: []string{"m1"}})})
	// The secret page was written by a session that may, and its answer is stored.
	owner := r.open(nil)
	const args = `{"content": "canary", "dryRun": false, "documentId": "canary.md", "idempotencyKey": "k"}`
	if env := owner.Call(context.Background(), "mnote_page_save", json.RawMessage(args), plugin.Meta{}); !env.OK {
		t.Fatalf("%s", env.JSON())
	}
	for _, pair := range [][2]string{
		{`mnote_page_save ` + args, `mnote_page_save ` + strings.ReplaceAll(args, "canary", "absent")},
		{`mnote_page_get {"documentId": "canary.md"}`, `mnote_page_get {"documentId": "absent.md"}`},
		{`mnote_map_fetch {"mindmapId": "canary"}`, `mnote_map_fetch {"mindmapId": "absent"}`},
	} {
		var said [2]string
		for i, call := range pair {
			name, args, _ := strings.Cut(call, " ")
			env := r.call(name, args)
			said[i] = code(env) + " " + env.Error.Message
			if strings.Contains(said[i], "canary") {
				t.Errorf("the refusal names it: %s", said[i])
			}
		}
		if said[0] != said[1] {
			t.Errorf("%q differs from %q", said[0], said[1])
		}
	}
	if n := len(r.kernel.got()); n != 1 {
		t.Errorf("%d calls reached the kernel", n)
	}
}

// Ids that an adapter sends are taken over only where they look like ids, and
// those made here are unique across sessions.
func TestIDs(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{host: func(c *plugin.Config) { c.NewID = nil }, session: func(c *plugin.SessionConfig) { c.SessionID, c.RunID = "", "" }})
	other := r.open(func(c *plugin.SessionConfig) { c.SessionID, c.RunID = "", "" })
	seen := map[string]bool{}
	for _, s := range []*plugin.Session{r.session, other, r.session} {
		env := s.Call(context.Background(), "mnote_page_get", nil, plugin.Meta{ToolCallID: "line\nbreak", SessionID: strings.Repeat("x", 200)})
		for _, id := range []string{env.ToolCallID, env.TraceID} {
			if seen[id] || strings.Contains(id, "\n") {
				t.Errorf("id %q", id)
			}
			seen[id] = true
		}
	}
	calls := r.kernel.got()
	if a, b, c := calls[0].SessionID, calls[1].SessionID, calls[2].SessionID; a == "" || len(a) > 100 || a == b || a != c {
		t.Errorf("session ids %q, %q, %q", a, b, c)
	}
}

// A trace id that nobody gave is made, and the header goes with it.
func TestTrace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ given, trace string }{
		"given":           {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "0af7651916cd43dd8448eb211c80319c"},
		"a later version": {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what", "0af7651916cd43dd8448eb211c80319c"},
		"none":            {"", "trace_"},
		"all zeros":       {"00-00000000000000000000000000000000-b7ad6b7169203331-01", "trace_"},
		"version ff":      {"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "trace_"},
		"with a line end": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nX: y", "trace_"},
		"capitals":        {"00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01", "trace_"},
	} {
		r := newRig(t, setup{})
		env := r.session.Call(context.Background(), "mnote_page_get", nil, plugin.Meta{TraceParent: c.given})
		sent := r.kernel.got()[0]
		if !strings.HasPrefix(env.TraceID, c.trace) || env.TraceID != sent.TraceID {
			t.Errorf("%s: trace %q, sent %q", name, env.TraceID, sent.TraceID)
		}
		if made := c.trace == "trace_"; made == (sent.TraceParent == c.given) || len(sent.TraceParent) < 55 {
			t.Errorf("%s: header %q", name, sent.TraceParent)
		}
	}
}

// What was read otherwise than sent is told in the answer, and the language of
// a refusal is the session's.
func TestRepairsAndLanguage(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	if env := r.call("mnote_page_get", `{"includeBody": "false"}`); !env.OK || len(env.Repairs) != 1 {
		t.Errorf("%s", env.JSON())
	}
	zh := r.open(func(c *plugin.SessionConfig) { c.Lang = "" })
	env := zh.Call(context.Background(), "mnote_nothing", nil, plugin.Meta{})
	if !strings.Contains(env.Error.Message, "没有") || zh.Lang() != tools.ZH {
		t.Errorf("%s", env.JSON())
	}
}

// A tool is found by wire name, dotted name and alias; an endless name is not
// said back.
func TestNames(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	for _, name := range []string{"mnote_page_get", "mnote.page.get", "page_get"} {
		if env := r.call(name, `{}`); !env.OK || env.ToolName != "mnote.page.get" {
			t.Errorf("%s: %s", name, env.JSON())
		}
	}
	if env := r.call(strings.Repeat("é", 5000), `{}`); len(env.JSON()) > 2000 || code(env) != "mnote_tool_not_found" {
		t.Errorf("%d bytes: %.300s", len(env.JSON()), env.JSON())
	}
}
