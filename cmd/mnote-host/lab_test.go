package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// TestLab lives with every client as it is: its environment with a short PATH
// and variables that nobody expanded, bent arguments, no list after the first,
// nobody to ask, and no time to leave.
func TestLab(t *testing.T) {
	t.Parallel()
	for _, name := range clients.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := clients.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			newLab(t, c).run(t)
		})
	}
}

// lab is one client's place.
type lab struct {
	client       clients.Client
	notes, state string
}

func newLab(t *testing.T, c clients.Client) lab {
	t.Helper()
	dir := t.TempDir()
	l := lab{client: c, notes: filepath.Join(dir, "notes"), state: filepath.Join(dir, "state")}
	if err := os.MkdirAll(l.notes, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.notes, "a.md"), []byte("# A\n\ntext\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return l
}

// open starts the host as the client does.
func (l lab) open(t *testing.T) (*exec.Cmd, *mcp.Probe) {
	t.Helper()
	env := append([]string{"HOME=" + filepath.Dir(l.state)}, l.client.Habits.Environment...)
	cmd := started(t, env, "mcp", "--client", l.client.Name, "--workspace", l.notes, "--state", l.state, "--lang", "en")
	cmd.Stderr = io.Discard // the warnings are another test's
	p, err := mcp.OpenProbe(t.Context(), cmd, mcp.ProbeConfig{Name: first(l.client.ClientInfo)})
	if err != nil {
		t.Fatal(err)
	}
	return cmd, p
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func (l lab) run(t *testing.T) {
	cmd, p := l.open(t)
	seen, _, err := p.Tools(t.Context())
	if err != nil || len(seen) == 0 {
		t.Fatalf("it sees %d tools: %v", len(seen), err)
	}
	schemas := map[string]json.RawMessage{}
	for _, tool := range seen {
		schemas[tool.Name] = tool.InputSchema
	}
	call := func(tool, args string) string {
		r, err := p.Call(t.Context(), tool, l.client.Habits.Bend(schemas[tool], json.RawMessage(args)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.Text, `"ok":true`) {
			return ""
		}
		return regexp.MustCompile(`mnote_[a-z]+_[a-z_]+`).FindString(strings.ReplaceAll(r.Text, tool, ""))
	}
	if code := call("mnote_page_get", `{"documentId":"a.md","includeBlocks":true}`); code != "" {
		t.Errorf("a read: %s", code)
	}
	save := `{"documentId":"a.md","content":[{"text":"a line"}],"mode":"append","dryRun":false}`
	if code := call("mnote_page_save", save); code != "" {
		t.Errorf("a write: %s", code)
	}
	off := started(t, []string{"HOME=" + filepath.Dir(l.state)}, "capabilities", "disable", "mnote-current-page", "--workspace", l.notes, "--state", l.state)
	if out, err := off.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// It has not listed again, and what it once saw is refused by its reason.
	if code := call("mnote_page_save", save); code != "mnote_tool_disabled" {
		t.Errorf("a tool that was switched off meanwhile: %q", code)
	}
	l.leave(t, cmd, p)
}

// leave ends the host as the client does, and starts it once more: nothing that
// it left stands in the way.
func (l lab) leave(t *testing.T, cmd *exec.Cmd, p *mcp.Probe) {
	t.Helper()
	if l.client.Habits.Kills {
		_ = cmd.Process.Kill()
	}
	if err := p.Close(); err != nil && !l.client.Habits.Kills {
		t.Error(err)
	}
	_, again := l.open(t)
	defer again.Close()
	if _, _, err := again.Tools(t.Context()); err != nil {
		t.Error(err)
	}
}
