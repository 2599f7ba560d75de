package interop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hermesACPHome is Hermes's configuration without any server of ours in it.
func (b box) hermesACPHome(t *testing.T, modelURL string) string {
	t.Helper()
	home := b.hermesHome(t, modelURL, "")
	file := filepath.Join(home, "config.yaml")
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	own, _, _ := strings.Cut(string(config), "mcp_servers:")
	if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// TestHermesACP: the same inside the real Hermes, as far as it can.
func TestHermesACP(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.pages(t)
	before := b.page(t, pageOne)
	var s acpSession
	tool := func(name string, args func([]string) any) step {
		return step{tool: "mcp__mnote__" + name, args: args}
	}
	m := newModel(t,
		tool("mnote_page_get", fixed(object{})),
		tool("mnote_page_save", func(results []string) any {
			return object{"content": []any{object{"text": "From inside."}}, "mode": "append", "dryRun": false, "expectedRevision": parse(t, results[0]).Result["revision"]}
		}),
		tool("mnote_page_get", fixed(object{"documentId": pageOther})),
		tool("mnote_context_get", func([]string) any { return s.moves(t, 2, pageTwo) }),
		step{text: "first turn done"},
		tool("mnote_page_get", fixed(object{})),
		step{text: "second turn done"},
		step{tool: "mcp__mnote_2__mnote_page_get", args: fixed(object{})},
		tool("mnote_page_get", fixed(object{})), // the first session's
		step{text: "third turn done"},
	)
	w := b.wrap(t, b.hermesEnv(b.hermesACPHome(t, m.URL)), []string{"--confirm", "writes", "--client", "hermes"}, hermesACP()...)
	w.initialize(t)
	s = w.open(t, "session/new", "", b.notes, pageOne, pageTwo)
	s.turn(t, "please read this page", pageOne)
	results := m.results()
	if len(results) != 4 {
		t.Fatalf("the model saw %d results: %q\n%s", len(results), results, w.stderr)
	}
	if got := titleOf(t, results[0]); got != pageOne {
		t.Errorf("the page read is %q", got)
	}
	if written := parse(t, results[1]); !written.OK || w.asked != 1 {
		t.Errorf("the write answered %+v after %d questions", written, w.asked)
	}
	if got := b.page(t, pageOne); got != before+"\nFrom inside.\n" {
		t.Errorf("the page is now %q", got)
	}
	if denied := parse(t, results[2]); denied.OK || denied.Error.Code != "mnote_tool_permission_denied" {
		t.Errorf("outside of the scope: %+v", denied)
	}
	checkMoved(t, results[3])
	s.turn(t, "and now", "")
	if results = m.results(); titleOf(t, results[len(results)-1]) != pageTwo {
		t.Errorf("after moving on the model saw %q", results[len(results)-1])
	}
	b.nothingWritten(t, "canary-token-Zx81")
	// Hermes keys MCP servers by name for the whole process, so a second session
	// has one of another name; a call by the first one's it sends there too.
	two := w.open(t, "session/new", "", b.notes, pageOne, pageTwo)
	from := m.count()
	two.turn(t, "and in here", pageTwo)
	if results = m.since(from); len(results) != 2 || titleOf(t, results[0]) != pageTwo || titleOf(t, results[1]) != pageTwo {
		t.Errorf("the second session saw %q\n%s", results, w.stderr)
	}
	if !strings.Contains(w.stderr.String(), "may share its MCP servers between its sessions") {
		t.Errorf("stderr tells nothing of it: %s", w.stderr)
	}
}
