package interop

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func hermesPython() string { return filepath.Join(peers, "python", "bin", "python") }

// hermesHome writes Hermes's own configuration with our server in it, as
// `mnote-host install hermes` would.
func (b box) hermesHome(t *testing.T, modelURL, more string) string {
	t.Helper()
	home := filepath.Join(b.home, ".hermes")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	args, _ := json.Marshal(b.args("--client", "hermes"))
	config := fmt.Sprintf(`model:
  provider: custom
  default: fake-model
  base_url: %q
  api_key: x
  context_length: 200000
mcp_servers:
  mnote:
    command: %q
    args: %s
    env:
      MNOTE_KERNEL_TOKEN: "${MNOTE_NOT_SET}"
      INTEROP_MARK: %q
    timeout: 120
    connect_timeout: 20
    enabled: true
`, modelURL+"/v1", host, args, b.mark) + more
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

func (b box) hermesEnv(home string) []string {
	return b.env("HERMES_HOME="+home, "HERMES_YOLO_MODE=1", "HERMES_ACCEPT_HOOKS=1", "PYTHONDONTWRITEBYTECODE=1")
}

// hermesClient is a running hermes_client.py.
type hermesClient struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func (c hermesClient) read(t *testing.T, into any) {
	t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("hermes: %v", err)
	}
	if err := json.Unmarshal(line, into); err != nil {
		t.Fatalf("hermes printed %q: %v", line, err)
	}
}

func (c hermesClient) call(t *testing.T, tool string, args any) envelope {
	t.Helper()
	line, err := json.Marshal(object{"tool": "mcp__mnote__" + tool, "args": args})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	var answer struct{ Shown string }
	c.read(t, &answer)
	return parse(t, answer.Shown)
}

// hermesStarted runs hermes_client.py until end is called.
func (b box) hermesStarted(t *testing.T, home string) (c hermesClient, end func()) {
	t.Helper()
	cmd := exec.Command(hermesPython(), "hermes_client.py")
	cmd.Env = b.hermesEnv(home)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	in, out := started(t, cmd)
	return hermesClient{in, bufio.NewReaderSize(out, 1<<20)}, func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("hermes ended with %v\n%s", err, stderr.String())
		}
	}
}

// TestHermesClient: the real Hermes's MCP client, from its own config, lists,
// reads, plans, writes, is refused, and is not put off by refusals: three in a
// row close no circuit.
func TestHermesClient(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	c, end := b.hermesStarted(t, b.hermesHome(t, "http://127.0.0.1:9", ""))
	defer end()
	var listed struct{ Tools []string }
	c.read(t, &listed)
	names := make([]string, len(listed.Tools))
	for i, n := range listed.Tools {
		names[i] = strings.TrimPrefix(n, "mcp__mnote__")
		if strings.HasSuffix(n, "list_prompts") || strings.HasSuffix(n, "list_resources") {
			t.Errorf("Hermes made the utility tool %s: the face must not declare what Hermes turns into tools", n)
		}
	}
	checkTools(t, names)
	play(t, b, func(tool string, args any) envelope { return c.call(t, tool, args) })
	for range 4 {
		if env := c.call(t, "mnote_page_get", object{"documentId": "no such page.md"}); env.OK || env.Error == nil || env.Error.Code != "mnote_tool_document_not_found" {
			t.Errorf("a missing page answered %+v", env)
		}
	}
	if env := c.call(t, "mnote_context_get", object{}); !env.OK {
		t.Errorf("after refusals Hermes no longer reaches us: %+v", env)
	}
}

// TestHermesAgent: the whole agent with a scripted model, which finds us behind
// tool_search, where Hermes hides MCP tools once there are many.
func TestHermesAgent(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	const doc = "Welcome.md"
	m := newModel(t,
		step{tool: "tool_search", args: fixed(object{"query": "MNote page read"})},
		step{tool: "tool_call", args: fixed(object{"name": "mcp__mnote__mnote_page_get", "arguments": object{"documentId": doc}})},
	)
	home := b.hermesHome(t, m.URL, "tools:\n  tool_search:\n    enabled: \"on\"\n")
	cmd := exec.Command(hermesPython(), "-m", "hermes_cli.main", "chat", "-q", "please use the tool", "-Q")
	cmd.Dir, cmd.Env = b.notes, b.hermesEnv(home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("hermes chat: %v\n%s", err, out)
	}
	results := m.results()
	if len(results) != 2 {
		t.Fatalf("the model was offered %v and saw %q\n%s", m.offered(), results, out)
	}
	if !strings.Contains(results[0], "mcp__mnote__mnote_page_get") {
		t.Errorf("the search found %q", results[0])
	}
	if read := parse(t, results[1]); !read.OK || read.Audit.Effect != "read" {
		t.Errorf("the read answered %+v", read)
	}
}
