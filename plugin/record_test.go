package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// lines collects a log; many calls write to it.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) all(t *testing.T) (all []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.b.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all = append(all, m)
	}
	return all
}

// Every call, refusals included, is one row and one line, under one trace id;
// neither holds content.
func TestRecords(t *testing.T) {
	t.Parallel()
	log := &lines{}
	r := newRig(t, setup{host: logTo(log)})
	var traces []string
	want := map[string]string{}
	for _, call := range []string{
		`mnote_page_save {"content": "canary", "dryRun": false, "idempotencyKey": "key-canary"}`,
		`mnote_page_save {"content": "canary", "dryRun": false, "idempotencyKey": "key-canary"}`,
		`mnote_page_save {"content": "canary", "dryRun": true}`,
		`mnote_page_get {"includeBody": false}`,
		`mnote_page_get {"canary": "canary"}`,
		`mnote_page_get {"workspaceId": "canary"}`,
		`mnote_no_tool {"content": "canary"}`,
		`mnote_off_get {}`,
	} {
		name, args, _ := strings.Cut(call, " ")
		env := r.call(name, args)
		said := ""
		if env.Error != nil {
			said = string(env.Error.Code)
		}
		traces = append(traces, env.TraceID)
		want[env.TraceID] = env.ToolCallID + " " + string(env.Audit.Effect) + " " + said
	}
	r.close(t) // reads are written in batches
	rows := newRig(t, setup{dir: r.dir}).rows(t)
	got, byTrace := map[string]string{}, map[string]plugin.AuditRow{}
	for _, row := range rows {
		byTrace[row.TraceID] = row
		got[row.TraceID] = row.ToolCallID + " " + string(row.Effect) + " " + string(row.Code)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(rows) != len(want) {
		t.Errorf("%d rows: %s", len(rows), diff)
	}
	logged := map[string]string{}
	for _, line := range log.all(t) {
		if line["message"] == "call" {
			said, _ := line["code"].(string)
			logged[line["traceId"].(string)] = line["call"].(string) + " " + line["effect"].(string) + " " + said
		}
	}
	if diff := cmp.Diff(want, logged); diff != "" {
		t.Errorf("logged: %s", diff)
	}
	for _, line := range log.all(t) {
		took, _ := line["took"].(float64)
		kept, is := line["kept"].(float64)
		if written := line["traceId"] == traces[0]; written && (kept <= 0 || kept > took) || !written && is && line["effect"] == "read" {
			t.Errorf("the ledger took %v of %v ms of a %v", line["kept"], took, line["effect"])
		}
	}
	first := byTrace[traces[0]]
	if first.Tool != "mnote.page.save" || first.Kind != tools.KindWrite || first.Actor != "u_1" || first.Profile != "default" || first.Agent != "mcp" ||
		first.Session != "s_1" || first.Run != "r_1" || first.Kernel != "local" || first.Workspace != "ws_1" || first.Document != "page.md" ||
		first.CommandID == "" || len(first.ArgsHash) != 64 || len(first.KeyHash) != 64 || first.Replayed || first.Scopes[0] != "page.write" {
		t.Errorf("%+v", first)
	}
	if second := byTrace[traces[1]]; !second.Replayed || second.CommandID != first.CommandID || second.ArgsHash != first.ArgsHash || second.KeyHash != first.KeyHash {
		t.Errorf("%+v", second)
	}
	for _, row := range rows {
		if b, _ := json.Marshal(row); bytes.Contains(b, []byte("canary")) {
			t.Errorf("content in the audit: %s", b)
		}
	}
	if strings.Contains(log.b.String(), "canary") {
		t.Errorf("content in the log: %s", log.b.String())
	}
}

// Without a state folder reads are served, writes refused, and the log still
// has its line.
func TestNoState(t *testing.T) {
	t.Parallel()
	log := &lines{}
	for name, dir := range map[string]string{"none": "", "a file in its place": fileInPlace(t)} {
		r := newRig(t, setup{unkept: true, host: func(c *plugin.Config) { c.StateDir = dir; logTo(log)(c) }})
		if env := r.call("mnote_page_get", `{}`); !env.OK {
			t.Errorf("%s: %s", name, env.JSON())
		}
		if env := r.call("mnote_page_save", plan); !env.OK {
			t.Errorf("%s: a plan is a read: %s", name, env.JSON())
		}
		if got := code(r.call("mnote_page_save", save)); got != "mnote_kernel_unavailable no_state" {
			t.Errorf("%s: %q", name, got)
		}
		if n := len(r.kernel.got()); n != 2 {
			t.Errorf("%s: %d calls reached the kernel", name, n)
		}
	}
	if n := len(log.all(t)); n < 6 {
		t.Errorf("%d lines", n)
	}
}

// fileInPlace gives a state folder that cannot be made.
func fileInPlace(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(file, "state")
}

// The cause of a fault is in the log under the trace id, and nowhere else.
func TestCauseInTheLog(t *testing.T) {
	t.Parallel()
	log := &lines{}
	for _, k := range []*kernel{
		failing(context.DeadlineExceeded),
		answering(func(tools.Call) (tools.Envelope, error) { panic("the cause: context deadline exceeded") }),
	} {
		r := newRig(t, setup{kernel: k, host: logTo(log)})
		env := r.call("mnote_page_get", `{}`)
		if strings.Contains(string(env.JSON()), "exceeded") {
			t.Errorf("%s", env.JSON())
		}
		found := false
		for _, line := range log.all(t) {
			b, _ := json.Marshal(line)
			found = found || line["traceId"] == env.TraceID && strings.Contains(string(b), "exceeded")
		}
		if !found {
			t.Errorf("no cause under %s in %v", env.TraceID, log.all(t))
		}
	}
}

// What a face may ask of its session.
func TestAccessors(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{session: func(c *plugin.SessionConfig) {
		c.Refs = []tools.Ref{{Kind: "page", ID: "ref.md"}, {Kind: "folder", ID: "f"}, {Kind: "page", ID: "page.md"}, {Kind: "page", ID: "hidden.md"}}
		c.Grant = &tools.Grant{Level: tools.LevelRead, DocumentIDs: []string{"page.md", "ref.md", "b.md", "c.md"}}
	}})
	for _, doc := range []string{"c.md", "hidden.md"} {
		r.call("mnote_page_get", `{"documentId": "`+doc+`"}`)
	}
	if diff := cmp.Diff([]string{"page.md", "ref.md", "b.md", "c.md"}, r.session.KnownDocuments()); diff != "" {
		t.Error(diff)
	}
	if r.session.Level() != tools.LevelRead || !r.session.ReadOnly() || r.session.Lang() != tools.EN || r.session.Config().WorkspaceID != "ws_1" {
		t.Errorf("%+v", r.session.Config())
	}
	owner := r.open(func(c *plugin.SessionConfig) { c.DocumentID = "" })
	owner.Call(context.Background(), "mnote_page_get", json.RawMessage(`{"documentId": "seen.md"}`), plugin.Meta{})
	if diff := cmp.Diff([]string{"seen.md"}, owner.KnownDocuments()); diff != "" || owner.ReadOnly() {
		t.Error(diff)
	}
}

// The zero Config makes a host that refuses, and says how to do better.
func TestZeroHost(t *testing.T) {
	t.Parallel()
	h := plugin.New(plugin.Config{})
	env := h.Session(plugin.SessionConfig{}).Call(context.Background(), "mnote_page_get", nil, plugin.Meta{})
	if code(env) != "mnote_kernel_unavailable no_kernel" || !strings.Contains(env.Error.Message, "--workspace") {
		t.Errorf("%s", env.JSON())
	}
	if err := h.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// A panic anywhere in the pipeline is an answer and a row; its text stays in
// the log.
func TestPanicInThePipeline(t *testing.T) {
	t.Parallel()
	log := &lines{}
	r := newRig(t, setup{host: logTo(log), session: func(c *plugin.SessionConfig) { c.Confirm = plugin.ConfirmWrites }})
	env := r.session.Call(context.Background(), "mnote_page_save", json.RawMessage(save), plugin.Meta{
		Confirm: confirmer(func(context.Context, plugin.Question) plugin.Answer { panic("secret-token") }),
	})
	checkRefusal(t, env)
	rows := r.rows(t)
	if code(env) != "mnote_internal" || len(rows) != 1 || rows[0].Code != tools.CodeInternal || rows[0].TraceID != env.TraceID {
		t.Errorf("%s, %+v", env.JSON(), rows)
	}
	if l := log.all(t); len(l) != 1 || l[0]["traceId"] != env.TraceID || l[0]["panic"] != "secret-token" {
		t.Errorf("%v", l)
	}
	if env := r.call("mnote_page_get", `{}`); !env.OK {
		t.Errorf("the next call: %s", env.JSON())
	}
}
