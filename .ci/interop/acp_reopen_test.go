package interop

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hermesACP is the command line of Hermes as an ACP agent.
func hermesACP() []string { return []string{hermesPython(), "-m", "hermes_cli.main", "acp"} }

// TestReopen: a session that its agent loads, resumes or forks, in a process of
// its own, has MNote's tools, the scope and the page in focus as a new one has,
// and the model still knows what was said.
func TestReopen(t *testing.T) {
	t.Parallel()
	for name, agent := range map[string]struct {
		argv    []string
		flags   []string
		env     func(box, *model) []string
		read    func(args func([]string) any) step
		methods []string
	}{
		"reasonix": {
			argv:    []string{reasonixBin(), "acp"},
			env:     func(b box, m *model) []string { return b.reasonixEnv(b.reasonixHome(t, m, nil)) },
			read:    func(args func([]string) any) step { return capability("mnote_page_get", args) },
			methods: []string{"session/load", "session/resume"}, // it has no fork
		},
		"hermes": {
			argv: hermesACP(), flags: []string{"--client", "hermes"},
			env:     func(b box, m *model) []string { return b.hermesEnv(b.hermesACPHome(t, m.URL)) },
			read:    func(args func([]string) any) step { return step{tool: "mcp__mnote__mnote_page_get", args: args} },
			methods: []string{"session/load", "session/resume", "session/fork"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			b.pages(t)
			steps := []step{{text: "noted"}}
			for range agent.methods {
				steps = append(steps, agent.read(fixed(object{})), agent.read(fixed(object{"documentId": pageOther})), step{text: "done"})
			}
			m := newModel(t, steps...)
			env := agent.env(b, m)
			w := b.wrap(t, env, agent.flags, agent.argv...)
			w.initialize(t)
			first := w.open(t, "session/new", "", b.notes, pageOne, pageTwo)
			first.turn(t, "remember the word heliotrope", pageOne)
			w.leave()
			for i, method := range agent.methods {
				w := b.wrap(t, env, agent.flags, agent.argv...)
				w.initialize(t)
				s := w.open(t, method, first.id, b.notes, pageOne, pageTwo)
				page, from := []string{pageOne, pageTwo}[i%2], m.count()
				s.turn(t, "what was the word?", page)
				results := m.since(from)
				if len(results) < 2 {
					t.Fatalf("%s: the model saw %q\n%s", method, results, w.stderr)
				}
				results = results[len(results)-2:]
				if got := titleOf(t, results[0]); got != page {
					t.Errorf("%s: the page read is %q", method, got)
				}
				if denied := parse(t, results[1]); denied.OK || denied.Error.Code != "mnote_tool_permission_denied" {
					t.Errorf("%s: outside of the scope: %+v", method, denied)
				}
				if !m.heard("heliotrope", from) {
					t.Errorf("%s: the model knows nothing of what was said before", method)
				}
				if fork := method == "session/fork"; (s.id != first.id) != fork {
					t.Errorf("%s of %s gave %s", method, first.id, s.id)
				}
				w.leave()
				if strings.Contains(w.stderr.String(), "heliotrope") {
					t.Errorf("%s: stderr holds what was said: %s", method, w.stderr)
				}
			}
			b.notKept(t, "heliotrope")
		})
	}
}

// notKept fails when a file of our own holds a word of the conversation.
func (b box) notKept(t *testing.T, word string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(b.state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if files++; bytes.Contains(data, []byte(word)) {
			t.Errorf("%s holds what was said", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files were looked at, %v", files, err)
	}
}

// heard reports whether a request to the model after the nth held the word.
func (m *model) heard(word string, n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.bodies[n:] {
		for _, message := range c.Messages {
			if strings.Contains(textOf(message.Content), word) {
				return true
			}
		}
	}
	return false
}
