package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func reasonixBin() string {
	return filepath.Join(peers, "npm", "node_modules", "@reasonix", "cli-linux-x64", "bin", "reasonix")
}

// reasonixHome writes Reasonix's own configuration with our server in it.
func (b box) reasonixHome(t *testing.T, m *model, args []string) string {
	t.Helper()
	home := filepath.Join(b.home, ".reasonix")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`config_version = 1
default_model = "fake/fake-model"

[[providers]]
name = "fake"
kind = "openai"
base_url = "%s/v1"
models = ["fake-model"]
default = "fake-model"
api_key_env = "FAKE_KEY"
`, m.URL)
	if args != nil {
		quoted := make([]string, len(args))
		for i, a := range args {
			quoted[i] = fmt.Sprintf("%q", a)
		}
		config += fmt.Sprintf("\n[[plugins]]\nname = \"mnote\"\ncommand = %q\nargs = [%s]\n", host, strings.Join(quoted, ", "))
	}
	for name, data := range map[string]string{"config.toml": config, ".env": "FAKE_KEY=sk-fake\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func (b box) reasonixEnv(home string) []string {
	return b.env("REASONIX_HOME="+home, "REASONIX_TELEMETRY=0", "DO_NOT_TRACK=1")
}

// capability is a step that calls one of our tools as Reasonix's model does.
func capability(tool string, args func([]string) any) step {
	return step{tool: "use_capability", args: func(results []string) any {
		return object{"action": "call", "capability_id": "mcp-tool:mnote/" + tool, "arguments": args(results)}
	}}
}

// TestReasonix runs the real Reasonix, headless, with a scripted model: the
// model finds us by search, reads, plans, writes and is refused.
func TestReasonix(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	const doc = "Welcome.md"
	before := b.page(t, doc)
	revision := func(results []string) any { return parse(t, results[2]).Result["revision"] }
	save := func(dry bool, content string) func([]string) any {
		return func(results []string) any {
			// Reasonix checks the schema itself, so the content is the array it asks for.
			return object{"documentId": doc, "content": []any{object{"text": content}}, "mode": "append", "dryRun": dry, "expectedRevision": revision(results)}
		}
	}
	m := newModel(t,
		step{tool: "mcp__mnote__connect", args: fixed(object{})},
		step{tool: "use_capability", args: fixed(object{"action": "search", "query": "note page"})},
		capability("mnote_page_get", fixed(object{"documentId": doc})),
		capability("mnote_page_save", save(true, "From Reasonix.")),
		capability("mnote_page_save", save(false, "From Reasonix.")),
		capability("mnote_page_save", save(false, "Once more.")),
	)
	home := b.reasonixHome(t, m, b.args("--client", "reasonix"))
	cmd := exec.Command(reasonixBin(), "run", "--output-format", "stream-json", "please use the tool")
	cmd.Dir, cmd.Env = b.notes, b.reasonixEnv(home)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("reasonix run: %v\n%s", err, out)
	}
	results := m.results()
	if len(results) != 6 {
		t.Fatalf("the model saw %d results: %q", len(results), results)
	}
	if !strings.Contains(results[1], "mnote_page_get") {
		t.Errorf("a search for note page found %q", results[1])
	}
	checkPlay(t, parse(t, results[2]), parse(t, results[3]), parse(t, results[4]), parse(t, results[5]))
	if got := b.page(t, doc); got != before+"\nFrom Reasonix.\n" {
		t.Errorf("the page is now %q", got)
	}
}

func checkPlay(t *testing.T, read, dry, written, stale envelope) {
	t.Helper()
	if !read.OK || read.Audit.Effect != "read" {
		t.Errorf("the read answered %+v", read)
	}
	if !dry.OK || dry.Audit.Effect != "dry_run" {
		t.Errorf("the dry run answered %+v", dry)
	}
	if !written.OK || written.Audit.Effect != "write" {
		t.Errorf("the write answered %+v", written)
	}
	if stale.OK || stale.Error == nil || stale.Error.Code != "mnote_tool_conflict" {
		t.Errorf("the stale write answered %+v", stale)
	}
}

// TestReasonixCancel: over ACP, a cancelled turn cancels the call all the way
// to the kernel, and the same process of ours serves the next turn.
func TestReasonixCancel(t *testing.T) {
	t.Parallel()
	b, k := newBox(t), newSlowKernel(t)
	m := newModel(t, capability("mnote_page_get", fixed(object{"documentId": "a.md"})), capability("mnote_page_get", fixed(object{"documentId": "a.md"})))
	cmd := exec.Command(reasonixBin(), "acp")
	cmd.Dir, cmd.Env = b.notes, b.reasonixEnv(b.reasonixHome(t, m, nil))
	stdin, stdout := started(t, cmd)
	defer func() {
		stdin.Close()
		_ = cmd.Wait() // Reasonix ends as it likes; what is left of us is what counts
	}()
	session := newACP(stdout, stdin).open(t, b.notes, "mcp", "--kernel", k.URL, "--workspace-id", "ws_1", "--state", b.state, "--client", "reasonix", "--lang", "en")

	turn := session.prompt("read the page")
	<-k.hanging
	before := b.running()
	session.notify("session/cancel", object{"sessionId": session.id})
	<-k.left
	if err := wait(<-turn, "session/prompt", nil); err != nil {
		t.Fatal(err)
	}
	if err := wait(<-session.prompt("and again"), "session/prompt", nil); err != nil {
		t.Fatal(err)
	}
	if got := <-k.served; got != "mnote.page.get" {
		t.Errorf("the second call was %s", got)
	}
	if after := b.running(); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("before the cancel %q ran, after it %q", before, after)
	}
	if results := m.results(); !strings.Contains(results[len(results)-1], "after the cancel") {
		t.Errorf("the model saw %q", results)
	}
}

// acpSession is one ACP session with our server in it.
type acpSession struct {
	*acpClient
	id string
}

func (c *acpClient) open(t *testing.T, cwd string, args ...string) acpSession {
	t.Helper()
	if err := c.call("initialize", object{"protocolVersion": 1, "clientInfo": object{"name": "interop", "version": "0"}, "clientCapabilities": object{}}, nil); err != nil {
		t.Fatal(err)
	}
	var made struct{ SessionID string }
	server := object{"name": "mnote", "command": host, "args": args, "env": []any{}}
	if err := c.call("session/new", object{"cwd": cwd, "mcpServers": []any{server}}, &made); err != nil {
		t.Fatal(err)
	}
	return acpSession{c, made.SessionID}
}

func (s acpSession) prompt(text string) <-chan acpFrame {
	return s.start("session/prompt", object{"sessionId": s.id, "prompt": []any{object{"type": "text", "text": text}}})
}
