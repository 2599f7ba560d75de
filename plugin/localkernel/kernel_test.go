package localkernel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// bench is a kernel on a folder of its own, and what the tests call it with.
type bench struct {
	*Kernel
	tb    testing.TB
	dir   string
	state string
}

// begin opens a kernel on the files.
func begin(tb testing.TB, files map[string]string, change ...func(*Options)) *bench {
	tb.Helper()
	b := &bench{tb: tb, dir: tb.TempDir(), state: tb.TempDir()}
	for name, text := range files {
		b.put(name, text)
	}
	b.Kernel = b.open(change...)
	return b
}

// open opens one more kernel on the same folder and state.
func (b *bench) open(change ...func(*Options)) *Kernel {
	b.tb.Helper()
	o := Options{StateDir: b.state}
	for _, f := range change {
		f(&o)
	}
	k, err := Open(b.dir, o)
	b.must(err)
	b.tb.Cleanup(func() { _ = k.Close() })
	return k
}

// on is the bench with another kernel.
func (b *bench) on(k *Kernel) *bench {
	c := *b
	c.Kernel = k
	return &c
}

func (b *bench) must(err error) {
	b.tb.Helper()
	if err != nil {
		b.tb.Fatal(err)
	}
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

func (b *bench) put(name, text string) {
	b.tb.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	b.must(os.WriteFile(b.path(name), []byte(text), 0o644))
}

// text reads a file; a missing one is "<none>".
func (b *bench) text(name string) string {
	b.tb.Helper()
	data, err := os.ReadFile(b.path(name))
	if os.IsNotExist(err) {
		return "<none>"
	}
	b.must(err)
	return string(data)
}

func (b *bench) holds(name, want string) {
	b.tb.Helper()
	if got := b.text(name); got != want {
		b.tb.Errorf("%s holds %q, want %q", name, got, want)
	}
}

var serial atomic.Int64

// request makes the envelope of a call: every field, ids never used before.
func (b *bench) request(tool, document string, args map[string]any) map[string]any {
	n := serial.Add(1)
	if args == nil {
		args = map[string]any{}
	}
	r := map[string]any{
		"toolName": tool, "workspaceId": b.id, "documentId": nil, "actorId": "user_1", "sessionId": "session_1", "runId": "run_1",
		"toolCallId": fmt.Sprintf("call_%d", n), "traceId": fmt.Sprintf("trace_%d", n), "idempotencyKey": fmt.Sprintf("key_%d", n),
		"dryRun": false, "capabilityScope": []tools.Scope{}, "args": args, "profile": "default", "agentId": "mcp",
	}
	if document != "" {
		r["documentId"] = document
	}
	if e := ownCatalogue().byName[tools.Name(tool)]; e != nil {
		r["capabilityScope"] = e.Scopes
	}
	return r
}

// answer is an envelope as a caller sees it.
type answer struct {
	tools.Envelope
	raw    []byte
	result map[string]any
}

// with changes a request; a nil value takes a member away.
func with(name string, value any) func(map[string]any) {
	return func(r map[string]any) {
		if value == nil {
			delete(r, name)
			return
		}
		r[name] = value
	}
}

func dryRun(r map[string]any) { r["dryRun"] = true }

// call sends one call and reads its envelope.
func (b *bench) call(tool, document string, args map[string]any, change ...func(map[string]any)) answer {
	b.tb.Helper()
	r := b.request(tool, document, args)
	for _, f := range change {
		f(r)
	}
	return b.send(r)
}

func (b *bench) send(request map[string]any) answer {
	b.tb.Helper()
	status, raw := b.post(request)
	a := answer{raw: raw}
	if status != http.StatusOK {
		b.tb.Fatalf("HTTP %d: %s", status, raw)
	}
	b.must(json.Unmarshal(raw, &a.Envelope))
	if a.OK {
		b.must(json.Unmarshal(a.Result, &a.result))
	} else if a.Result != nil || a.Audit.Effect != tools.EffectNone {
		b.tb.Errorf("a refusal with a result or an effect: %s", raw)
	}
	if a.ToolName != tools.Name(request["toolName"].(string)) || a.ToolCallID != request["toolCallId"] || a.TraceID != request["traceId"] {
		b.tb.Errorf("the answer is another call's: %s", raw)
	}
	return a
}

func (b *bench) post(request map[string]any) (int, []byte) {
	b.tb.Helper()
	return b.postIn("en", request)
}

func (b *bench) postIn(lang string, request map[string]any) (int, []byte) {
	b.tb.Helper()
	body, err := json.Marshal(request)
	b.must(err)
	r := httptest.NewRequest(http.MethodPost, "/api/hermes/tools/mnote/call", bytes.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept-Language", lang)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w.Code, w.Body.Bytes()
}

// ok sends a call that must succeed.
func (b *bench) ok(tool, document string, args map[string]any, change ...func(map[string]any)) answer {
	b.tb.Helper()
	a := b.call(tool, document, args, change...)
	if !a.OK {
		b.tb.Fatalf("%s: %s", tool, a.raw)
	}
	return a
}

// refused sends a call that must be refused with the code; reason "" is any.
func (b *bench) refused(code tools.Code, reason string, tool, document string, args map[string]any, change ...func(map[string]any)) answer {
	b.tb.Helper()
	a := b.call(tool, document, args, change...)
	if a.OK || a.Error.Code != code || reason != "" && a.Error.Details["reason"] != reason {
		b.tb.Fatalf("%s: want %s (%s): %s", tool, code, reason, a.raw)
	}
	if a.Error.Message == "" || strings.ContainsFunc(a.Error.Message, func(r rune) bool { return r >= 0x4e00 && r < 0x9fff }) && !strings.Contains(a.Error.Message, "财务") && !strings.Contains(a.Error.Message, "只读") {
		b.tb.Errorf("no English message: %q", a.Error.Message)
	}
	return a
}

func number(v any) int64 {
	n, _ := v.(float64)
	return int64(n)
}

func (a answer) revision() int64 { return number(a.result["revision"]) }

func (a answer) commandID() string {
	if a.Audit.CommandID == nil {
		return ""
	}
	return *a.Audit.CommandID
}

// swept fails where a temp file was left in the folder.
func (b *bench) swept() {
	b.tb.Helper()
	b.must(filepath.WalkDir(b.dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), vault.TempPrefix) {
			b.tb.Errorf("left behind: %s", path)
		}
		return err
	}))
}

// paragraphs is the content of a save: one block a text.
func paragraphs(texts ...string) []map[string]any {
	var list []map[string]any
	for _, t := range texts {
		list = append(list, map[string]any{"text": t})
	}
	return list
}
