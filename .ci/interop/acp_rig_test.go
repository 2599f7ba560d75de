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
	in, out := started(t, w.cmd)
	w.in, w.acpClient = in, newACP(out, in)
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
