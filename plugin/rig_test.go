package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// manifest is what the tests' kernel offers. It is written as a kernel would
// write it, with the session fields among the required ones.
const manifest = `{"ok": true, "runtime": "mnote", "manifestVersion": "test.1", "capabilities": [
  {"id": "page", "title": "页面", "requiresContextRefs": ["page"], "enabled": true, "toolNames": ["mnote.page.get", "mnote.page.save", "mnote.note.create"]},
  {"id": "library", "title": "资料库", "readOnly": true, "requiresContextRefs": ["folder"], "enabled": true, "toolNames": ["mnote.rag.query", "mnote.rag.write"]},
  {"id": "maps", "title": "导图", "requiresContextRefs": ["mindmap"], "enabled": true, "toolNames": ["mnote.map.fetch", "mnote.map.apply"]},
  {"id": "off", "title": "关", "enabled": false, "toolNames": ["mnote.off.get"]}],
 "tools": [
  {"name": "mnote.page.get", "title": "读页面", "kind": "read", "capabilityId": "page", "capabilityScope": ["page.read"],
   "aliases": ["page_get"], "inputSchema": {"type": "object",
    "required": ["workspaceId", "documentId", "sessionId", "runId", "toolCallId", "traceId"],
    "properties": {"workspaceId": {"type": "string"}, "documentId": {"type": "string"}, "includeBody": {"type": "boolean", "default": true}}}},
  {"name": "mnote.page.save", "title": "保存页面", "kind": "write", "capabilityId": "page", "capabilityScope": ["page.write"],
   "confirmWhen": {"type": "object", "required": ["danger"], "properties": {"danger": {"const": true}}},
   "inputSchema": {"type": "object",
    "required": ["workspaceId", "documentId", "sessionId", "runId", "toolCallId", "traceId", "idempotencyKey", "dryRun", "content"],
    "properties": {"workspaceId": {"type": "string"}, "documentId": {"type": "string"}, "content": {"type": "string"},
     "danger": {"type": "boolean"}, "expectedRevision": {"type": "integer"}, "idempotencyKey": {"type": "string"}, "dryRun": {"type": "boolean"}}}},
  {"name": "mnote.note.create", "title": "新笔记", "kind": "write", "capabilityId": "page", "capabilityScope": ["artifact.write"],
   "annotations": {"destructive": false}, "inputSchema": {"type": "object",
    "required": ["workspaceId", "documentId", "idempotencyKey", "dryRun", "content"],
    "properties": {"workspaceId": {"type": "string"}, "documentId": {"type": "string"}, "content": {"type": "string"},
     "idempotencyKey": {"type": "string"}, "dryRun": {"type": "boolean"}}}},
  {"name": "mnote.rag.query", "kind": "read", "capabilityId": "library", "capabilityScope": ["rag.read"], "requiresWritePermission": true,
   "inputSchema": {"type": "object", "required": ["query", "rootUri"], "properties": {"query": {"type": "string"}, "rootUri": {"type": "string"}}}},
  {"name": "mnote.rag.write", "kind": "write", "capabilityId": "library", "capabilityScope": ["rag.write"],
   "inputSchema": {"type": "object", "properties": {"dryRun": {"type": "boolean"}}}},
  {"name": "mnote.map.fetch", "kind": "read", "capabilityId": "maps", "capabilityScope": ["mindmap.read"],
   "inputSchema": {"type": "object", "required": ["mindmapId"], "properties": {"mindmapId": {"type": "string"}, "documentId": {"type": "string"}, "rootUri": {"type": "string"}}}},
  {"name": "mnote.map.apply", "kind": "write", "capabilityId": "maps", "capabilityScope": ["mindmap.write"],
   "inputSchema": {"type": "object", "required": ["mindmapId", "dryRun"], "properties": {"mindmapId": {"type": "string"}, "dryRun": {"type": "boolean"}}}},
  {"name": "mnote.free.look", "kind": "read", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}},
  {"name": "mnote.off.get", "kind": "read", "capabilityId": "off"},
  {"name": "mnote.lone.get", "kind": "read", "enabled": false},
  {"name": "mnote.soon.get", "kind": "read", "status": "planned"},
  {"name": "mnote.old.get", "kind": "read", "status": "retired"}]}`

// kernel is a scripted one: what a nil function would do is done rightly.
type kernel struct {
	manifest func(ctx context.Context, etag string) (capabilities.Manifest, error)
	call     func(ctx context.Context, c tools.Call) (tools.Envelope, error)

	fetches atomic.Int64
	mu      sync.Mutex
	calls   []tools.Call
}

func (k *kernel) Manifest(ctx context.Context, etag string) (capabilities.Manifest, error) {
	k.fetches.Add(1)
	if k.manifest == nil {
		return capabilities.Manifest{}, capabilities.ErrNotModified
	}
	return k.manifest(ctx, etag)
}

func (k *kernel) Call(ctx context.Context, c tools.Call) (tools.Envelope, error) {
	k.mu.Lock()
	k.calls = append(k.calls, c)
	k.mu.Unlock()
	if k.call == nil {
		return answer(c), nil
	}
	return k.call(ctx, c)
}

// got gives the calls that reached the kernel.
func (k *kernel) got() []tools.Call {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]tools.Call(nil), k.calls...)
}

// answer is what a kernel that keeps the contract says: a name ending in .get,
// .query, .fetch or .look reads.
func answer(c tools.Call) tools.Envelope {
	effect, command := tools.EffectWrite, "cmd_"+c.TraceID+"_"+c.ToolCallID
	for _, verb := range []string{".get", ".query", ".fetch", ".look"} {
		if strings.HasSuffix(string(c.ToolName), verb) {
			effect, command = tools.EffectRead, ""
		}
	}
	if c.DryRun {
		effect, command = tools.EffectDryRun, ""
	}
	env, err := tools.Succeed(c, effect, command, map[string]any{"saw": c.Args})
	if err != nil {
		panic(err)
	}
	return env
}

// rig is one host over one scripted kernel.
type rig struct {
	kernel  *kernel
	host    *plugin.Host
	session *plugin.Session
	dir     string
}

// setup is what a test wants otherwise than usual.
type setup struct {
	kernel   *kernel
	manifest string
	host     func(*plugin.Config)
	session  func(*plugin.SessionConfig)
	dir      string
	// unkept says that the host has no place for its records, and may say so when
	// it closes.
	unkept bool
}

func newRig(t testing.TB, s setup) *rig {
	t.Helper()
	if s.kernel == nil {
		s.kernel = &kernel{}
	}
	if s.manifest == "" {
		s.manifest = manifest
	}
	if s.dir == "" {
		s.dir = t.TempDir()
	}
	cfg := plugin.Config{
		Kernel:   s.kernel,
		Registry: capabilities.NewRegistry(capabilities.Config{First: read(t, s.manifest), Source: s.kernel}),
		StateDir: s.dir, KernelID: "local", NewID: counter(),
	}
	if s.host != nil {
		s.host(&cfg)
	}
	r := &rig{kernel: s.kernel, host: plugin.New(cfg), dir: s.dir}
	r.session = r.open(s.session)
	if s.unkept {
		t.Cleanup(func() { _ = r.host.Close(context.Background()) })
	} else {
		t.Cleanup(func() { r.close(t) })
	}
	return r
}

// open gives a session of the owner's on page.md, changed by f.
func (r *rig) open(f func(*plugin.SessionConfig)) *plugin.Session {
	cfg := plugin.SessionConfig{
		WorkspaceID: "ws_1", DocumentID: "page.md", ActorID: "u_1", SessionID: "s_1", RunID: "r_1", Profile: "default",
		AgentID: "mcp", RootURI: "file:///home/u/notes", LocalRoot: true, Lang: tools.EN,
	}
	if f != nil {
		f(&cfg)
	}
	return r.host.Session(cfg)
}

func (r *rig) close(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := r.host.Close(ctx); err != nil {
		t.Errorf("close the host: %v", err)
	}
}

func (r *rig) call(name, args string) tools.Envelope {
	return r.session.Call(context.Background(), name, json.RawMessage(args), plugin.Meta{})
}

// deliver says that an answer was written out, as a face would.
func (r *rig) deliver(env tools.Envelope) tools.Envelope {
	r.session.Delivered(env.ToolCallID)
	return env
}

// rows closes nothing: it gives what the audit holds by now.
func (r *rig) rows(t testing.TB) (rows []plugin.AuditRow) {
	t.Helper()
	for row, err := range r.host.Audit(context.Background(), plugin.AuditFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func read(t testing.TB, doc string) capabilities.Manifest {
	t.Helper()
	m, err := capabilities.Read([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// counter makes ids that a test can read.
func counter() func(string) string {
	var n atomic.Int64
	return func(prefix string) string { return fmt.Sprintf("%s_%d", prefix, n.Add(1)) }
}

// code is the envelope's error code and reason, "" for a success.
func code(env tools.Envelope) string {
	if env.Error == nil {
		return ""
	}
	if reason, ok := env.Error.Details["reason"].(string); ok {
		return string(env.Error.Code) + " " + reason
	}
	return string(env.Error.Code)
}

func logTo(w io.Writer) func(*plugin.Config) {
	return func(c *plugin.Config) { c.Log = zerolog.New(w) }
}

// confirmer asks a scripted person.
type confirmer func(ctx context.Context, q plugin.Question) plugin.Answer

func (c confirmer) Confirm(ctx context.Context, q plugin.Question) plugin.Answer { return c(ctx, q) }

func always(a plugin.Answer) plugin.Confirmer {
	return confirmer(func(context.Context, plugin.Question) plugin.Answer { return a })
}
