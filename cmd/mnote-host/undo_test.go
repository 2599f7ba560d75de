package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// remote is a scripted kernel over HTTP with a tool that saves and one that
// undoes. Each answer is the next of script: "ok", "lost" (no answer arrives from
// then on) or the code of a refusal.
type remote struct {
	mu     sync.Mutex
	script []string
	keys   []string // of the calls, as they came
	serial int
}

const remoteManifest = `{"ok": true, "runtime": "mnote", "manifestVersion": "1", "workspaceId": "ws_1", "capabilities": [], "tools": [
 {"name": "mnote.page.save", "kind": "write", "capabilityScope": ["page.write"], "inputSchema": {"type": "object", "properties": {"documentId": {"type": "string"}, "content": {"type": "string"}}}},
 {"name": "mnote.command.undo", "kind": "write", "capabilityScope": ["page.write"], "inputSchema": {"type": "object", "required": ["commandId"], "properties": {"commandId": {"type": "string"}}}}]}`

func (k *remote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/manifest") {
		_, _ = w.Write([]byte(remoteManifest))
		return
	}
	var c tools.Call
	if json.NewDecoder(r.Body).Decode(&c) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_, _ = w.Write(k.answer(w, c))
}

func (k *remote) answer(w http.ResponseWriter, c tools.Call) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys = append(k.keys, string(c.IdempotencyKey))
	say := "ok"
	if len(k.script) > 0 {
		say = k.script[0]
	}
	if say != "lost" && len(k.script) > 0 {
		k.script = k.script[1:]
	}
	switch say {
	case "lost":
		w.WriteHeader(http.StatusBadGateway)
		return nil
	case "ok":
		k.serial++
		env, err := tools.Succeed(c, tools.EffectWrite, "cmd_"+string(rune('a'+k.serial-1)), map[string]any{})
		if err != nil {
			panic(err)
		}
		return env.JSON()
	}
	return tools.Refuse(c, tools.Errorf(tools.Code(say), tools.Text{ZH: "不行", EN: "no\x1b[2K"}).With("reason", "r")).JSON()
}

// host runs the program against the kernel, and gives its exit code and what it
// said.
func (k *remote) host(t *testing.T, url, home string, args ...string) (code int, out, err string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	environ := []string{"HOME=" + home, "LANG=en_US.UTF-8", "MNOTE_LANG=en", "MNOTE_KERNEL_URL=" + url, "MNOTE_LOG=off"}
	code = run(t.Context(), args, environ, stdio.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// Undo over a kernel that is not ours: a lost answer is tried again under the
// same key, what is in doubt is told, and a refusal that is not about one page
// ends a session's undo.
func TestUndoOverARemoteKernel(t *testing.T) {
	t.Parallel()
	k := &remote{}
	server := httptest.NewServer(k)
	defer server.Close()
	home := t.TempDir()
	host := func(script []string, args ...string) (int, string, string) {
		k.script, k.keys = script, nil
		return k.host(t, server.URL, home, args...)
	}
	save := func(doc string) []string {
		return []string{"call", "mnote.page.save", "documentId=" + doc, "content=x", "--session", "s_1"}
	}
	for _, doc := range []string{"a.md", "b.md", "c.md"} {
		if code, out, err := host(nil, save(doc)...); code != exitDone {
			t.Fatal(out, err)
		}
	}
	if code, out, err := host([]string{"lost"}, save("d.md")...); code != exitFailed {
		t.Fatalf("exit %d: %s%s, %v", code, out, err, k.keys)
	}

	// The answer of an undo is lost, for good this time; the next run goes on with
	// the same key.
	code, _, _ := host([]string{"lost"}, "undo", "cmd_c")
	lost := k.keys
	if code != exitFailed || len(lost) == 0 {
		t.Fatalf("exit %d, keys %v", code, lost)
	}
	code, out, errs := host([]string{"ok", "ok", string(tools.CodePermissionDenied)}, "undo", "--session", "s_1")
	want := "the outcome of 1 writes is not known, so they have no commandId: see audit\n" +
		"undone  c.md  cmd_c → cmd_d\nundone  b.md  cmd_b → cmd_e\n" +
		"2 writes undone, 1 not, newest first:\n  cmd_a  a.md\n"
	want = strings.NewReplacer("  c.md", "  ", "  b.md", "  ").Replace(want) // this kernel's undo names no page
	if d := cmp.Diff(want, out); d != "" || code != exitRefused {
		t.Errorf("exit %d: %s", code, d)
	}
	if k.keys[0] != lost[0] || len(k.keys) != 3 || k.keys[1] == k.keys[0] {
		t.Errorf("the keys were %v, then %v", lost, k.keys)
	}
	if !strings.Contains(errs, "mnote_tool_permission_denied") || !strings.Contains(errs, `"reason": "r"`) {
		t.Errorf("%s", errs)
	}

	// Once more: what is undone stays undone, whatever the kernel says of it.
	conflict := string(tools.CodeConflict)
	code, out, _ = host([]string{conflict, conflict, "ok"}, "undo", "--session", "s_1")
	want = "the outcome of 1 writes is not known, so they have no commandId: see audit\n" +
		"undone before  cmd_c\nundone before  cmd_b\nundone    cmd_a → cmd_f\n1 writes undone\n"
	if d := cmp.Diff(want, out); d != "" || code != exitDone {
		t.Errorf("exit %d: %s", code, d)
	}

	// As JSON, one envelope a line, and nothing else on stdout.
	code, out, errs = host([]string{conflict, conflict, conflict}, "undo", "--session", "s_1", "--json")
	if code != exitDone || out != "" || !strings.Contains(errs, "undone before") {
		t.Errorf("exit %d: %s\n%s", code, out, errs)
	}
	code, out, _ = host([]string{conflict}, "undo", "cmd_a", "--json")
	var env tools.Envelope
	if err := json.Unmarshal([]byte(out), &env); err != nil || env.OK || code != exitRefused {
		t.Errorf("exit %d: %s", code, out)
	}
}
