package interop

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// wrapped is an ACP agent inside `mnote-host acp`, with a client that sees what
// the agent says and answers for a person.
type wrapped struct {
	*acpClient
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr *safeBuffer
	// asked counts the permissions that the client was asked for.
	mu    sync.Mutex
	asked int
}

// safeBuffer may be read while a process writes to it.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// wrap starts an agent inside mnote-host acp on the box's notes.
func (b box) wrap(t *testing.T, env []string, flags []string, agent ...string) *wrapped {
	t.Helper()
	args := append([]string{"acp", "--workspace", b.notes, "--state", b.state, "--lang", "en", "--log", "info"}, flags...)
	w := &wrapped{cmd: exec.Command(host, append(append(args, "--"), agent...)...), stderr: &safeBuffer{}}
	w.cmd.Dir, w.cmd.Env, w.cmd.Stderr = b.notes, append(env, "MNOTE_KERNEL_TOKEN=canary-token-Zx81", "TMPDIR="+b.home), w.stderr
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.acpClient = newACP(out, w.in)
	w.permit = func(options []acpOption) string {
		w.mu.Lock()
		w.asked++
		w.mu.Unlock()
		for _, o := range options {
			if o.Kind == "allow_once" {
				return o.ID
			}
		}
		return ""
	}
	t.Cleanup(w.leave)
	return w
}

// leave ends the client's side and waits for the agent's; its exit code is its
// own affair.
func (w *wrapped) leave() {
	w.in.Close()
	_ = w.cmd.Wait() // an error when it was called before
}

// initialize greets the agent as a client that knows MNote, and checks that the
// host says it is there.
func (w *wrapped) initialize(t *testing.T) {
	t.Helper()
	var got struct {
		AgentCapabilities struct {
			Meta struct {
				MNote struct{ Context int }
			} `json:"_meta"`
		}
	}
	err := w.call("initialize", object{"protocolVersion": 1, "clientInfo": object{"name": "interop", "version": "0"}, "clientCapabilities": object{"_meta": object{"mnote": object{"context": 1}}}}, &got)
	if err != nil || got.AgentCapabilities.Meta.MNote.Context != 1 {
		t.Fatalf("initialize answered %+v, %v\n%s", got, err, w.stderr)
	}
}

// open sets up a session with a scope.
func (w *wrapped) open(t *testing.T, method, id, cwd string, documents ...string) acpSession {
	t.Helper()
	params := object{"cwd": cwd, "mcpServers": []any{}, "_meta": object{"mnote/scope": object{"permissionLevel": "write", "documentIds": documents}}}
	if id != "" {
		params["sessionId"] = id
	}
	var made struct{ SessionID string }
	if err := w.call(method, params, &made); err != nil {
		t.Fatalf("%v\n%s", err, w.stderr)
	}
	if made.SessionID == "" {
		made.SessionID = id
	}
	return acpSession{w.acpClient, made.SessionID}
}

// turn prompts with a page in focus and waits for the turn's end.
func (s acpSession) turn(t *testing.T, text, document string) {
	t.Helper()
	params := object{"sessionId": s.id, "prompt": []any{object{"type": "text", "text": text}}}
	if document != "" {
		params["_meta"] = object{"mnote/context": object{"rev": 1, "documentId": document}}
	}
	if err := wait(<-s.start("session/prompt", params), "session/prompt", nil); err != nil {
		t.Fatal(err)
	}
}

// titleOf reads which page a read answered with.
func titleOf(t *testing.T, shown string) string {
	t.Helper()
	env := parse(t, shown)
	if !env.OK {
		t.Errorf("the read answered %+v", env.Error)
		return ""
	}
	id, _ := env.Result["documentId"].(string)
	return id
}

const (
	pageOne   = "Welcome.md"
	pageTwo   = "Ideas.md"
	pageOther = "Outside.md"
)

// pages makes the notes that the tests move between.
func (b box) pages(t *testing.T) {
	t.Helper()
	for _, name := range []string{pageTwo, pageOther} {
		if err := os.WriteFile(filepath.Join(b.notes, name), []byte("# "+name+"\n\ntext\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReasonixACP: inside the real Reasonix the model finds MNote, reads the page
// in focus, writes with a permission asked and granted, is refused outside of
// its scope; the person moves on during a turn, which keeps its page and can see
// the other, and between two, and the next call uses the new page.
func TestReasonixACP(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.pages(t)
	before := b.page(t, pageOne)
	var s acpSession
	m := newModel(t,
		step{tool: "use_capability", args: fixed(object{"action": "search", "query": "note page"})},
		capability("mnote_page_get", fixed(object{})),
		capability("mnote_page_save", func(results []string) any {
			return object{"content": []any{object{"text": "From inside."}}, "mode": "append", "dryRun": false, "expectedRevision": parse(t, results[1]).Result["revision"]}
		}),
		capability("mnote_page_get", fixed(object{"documentId": pageOther})),
		capability("mnote_context_get", func([]string) any { return s.moves(t, 2, pageTwo) }),
		step{text: "first turn done"},
		capability("mnote_page_get", fixed(object{})),
		step{text: "second turn done"},
		capability("mnote_page_get", fixed(object{})),
		step{text: "third turn done"},
	)
	env := b.reasonixEnv(b.reasonixHome(t, m, nil))
	w := b.wrap(t, env, []string{"--confirm", "writes"}, reasonixBin(), "acp")
	w.initialize(t)
	s = w.open(t, "session/new", "", b.notes, pageOne, pageTwo)
	s.turn(t, "please read this page", pageOne)

	results := m.results()
	if len(results) != 5 {
		t.Fatalf("the model saw %d results: %q\n%s", len(results), results, w.stderr)
	}
	if !strings.Contains(results[0], "mnote_page_get") {
		t.Errorf("the search found %q", results[0])
	}
	if got := titleOf(t, results[1]); got != pageOne {
		t.Errorf("the page read is %q", got)
	}
	if written := parse(t, results[2]); !written.OK || w.asked != 1 {
		t.Errorf("the write answered %+v after %d questions", written, w.asked)
	}
	if got := b.page(t, pageOne); got != before+"\nFrom inside.\n" {
		t.Errorf("the page is now %q", got)
	}
	if denied := parse(t, results[3]); denied.OK || denied.Error.Code != "mnote_tool_permission_denied" {
		t.Errorf("outside of the scope: %+v", denied)
	}

	checkMoved(t, results[4])

	s.turn(t, "and now", "")
	if results = m.results(); titleOf(t, results[len(results)-1]) != pageTwo {
		t.Errorf("after moving on the model saw %q", results[len(results)-1])
	}
	s.moves(t, 3, pageOne)
	s.turn(t, "and back", "")
	if results = m.results(); titleOf(t, results[len(results)-1]) != pageOne {
		t.Errorf("after moving back the model saw %q", results[len(results)-1])
	}
	b.nothingWritten(t, "canary-token-Zx81")
}

// moves has the person look at another page; it is known when this returns. It
// gives the arguments of a call that needs none.
func (s acpSession) moves(t *testing.T, rev int, document string) any {
	if err := s.call("_mnote/context/update", object{"sessionId": s.id, "rev": rev, "documentId": document}, nil); err != nil {
		t.Error(err)
	}
	return object{}
}

// checkMoved reads what context.get tells in a turn about the first page after
// the person has moved on to the second.
func checkMoved(t *testing.T, shown string) {
	t.Helper()
	if env := parse(t, shown); !env.OK || env.Result["focus"] != pageOne || env.Result["pendingFocus"] != pageTwo {
		t.Errorf("in mid-turn the context is %q", shown)
	}
}

// nothingWritten fails when a file of the box holds the word.
func (b box) nothingWritten(t *testing.T, word string) {
	t.Helper()
	for _, dir := range []string{b.home, b.state} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // files come and go while the agent runs
			}
			if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(word)) {
				t.Errorf("%s holds %s", path, word)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range b.running() {
		if strings.Contains(line, word) {
			t.Errorf("a command line holds %s", word)
		}
	}
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, e := range environs {
		env, _ := os.ReadFile(e)
		if !bytes.Contains(env, []byte(b.mark)) || !bytes.Contains(env, []byte(word)) {
			continue
		}
		if cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(e), "cmdline")); !bytes.HasPrefix(cmdline, []byte(host+"\x00acp\x00")) {
			t.Errorf("the environment of %q holds %s", cmdline, word)
		}
	}
}

// TestReasonixScopes: with --single-scope=off two sessions of one Reasonix have
// two scopes, and neither ever reads the other's page.
func TestReasonixScopes(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.pages(t)
	var steps []step
	for range 2 {
		for _, doc := range []string{pageOne, pageTwo} {
			steps = append(steps, capability("mnote_page_get", fixed(object{"documentId": doc})))
		}
		steps = append(steps, step{text: "done"})
	}
	m := newModel(t, steps...)
	w := b.wrap(t, b.reasonixEnv(b.reasonixHome(t, m, nil)), []string{"--single-scope", "off"}, reasonixBin(), "acp")
	w.initialize(t)
	one := w.open(t, "session/new", "", b.notes, pageOne)
	two := w.open(t, "session/new", "", b.notes, pageTwo)
	for s, own := range map[acpSession]int{one: 0, two: 1} {
		before := m.count()
		s.turn(t, "read both", "")
		results := m.since(before)
		if len(results) != 2 {
			t.Fatalf("the model saw %q\n%s", results, w.stderr)
		}
		for i, shown := range results {
			env := parse(t, shown)
			if env.OK != (i == own) {
				t.Errorf("session %d asked for page %d and saw %+v", own, i, env)
			}
		}
	}
}

// count is how many requests the model got so far.
func (m *model) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.bodies)
}

// since gives the tool results of the longest conversation after the nth request.
func (m *model) since(n int) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var longest chat
	for _, c := range m.bodies[n:] {
		if len(c.Messages) > len(longest.Messages) {
			longest = c
		}
	}
	return longest.results()
}

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
