package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

const testManifest = `{"ok": true, "runtime": "mnote", "manifestVersion": "test.1", "capabilities": [
  {"id": "page", "title": "页面", "subtitle": "read and write pages", "skillId": "mnote-page", "enabled": true, "toggleable": true, "toolNames": ["mnote.page.get", "mnote.page.save"]},
  {"id": "off", "title": "关", "enabled": false, "toggleable": true, "toolNames": ["mnote.off.get"]}],
 "tools": [
  {"name": "mnote.page.get", "title": "读页面", "kind": "read", "capabilityId": "page", "inputSchema": {"type": "object",
    "required": ["documentId"], "properties": {"documentId": {"type": "string"}}}},
  {"name": "mnote.page.save", "title": "保存页面", "kind": "write", "capabilityId": "page", "inputSchema": {"type": "object",
    "required": ["documentId", "content", "dryRun"], "properties": {"documentId": {"type": "string"}, "content": {"type": "string"}, "dryRun": {"type": "boolean"}}}},
  {"name": "mnote.off.get", "kind": "read", "capabilityId": "off"},
  {"name": "mnote.lone.get", "kind": "read", "enabled": false}]}`

// kernel answers every call with what it was told of the session. A call for
// hang.md answers when its caller has gone.
type kernel struct{ manifest capabilities.Manifest }

func (k kernel) Manifest(context.Context, string) (capabilities.Manifest, error) {
	return k.manifest, nil
}

func (k kernel) Call(ctx context.Context, c tools.Call) (tools.Envelope, error) {
	if c.Document() == "hang.md" {
		<-ctx.Done()
		return tools.Envelope{}, tools.Errorf(tools.CodeCancelled, tools.Text{ZH: "-", EN: "the caller has gone"})
	}
	effect, command := tools.EffectRead, ""
	if strings.HasSuffix(string(c.ToolName), ".save") {
		effect, command = tools.EffectWrite, "cmd_"+c.TraceID+c.ToolCallID
	}
	if c.DryRun {
		effect, command = tools.EffectDryRun, ""
	}
	told := map[string]any{
		"document": c.Document(), "session": c.SessionID, "run": c.RunID, "selection": c.Selection, "refs": c.Refs, "trace": c.TraceParent,
	}
	if c.PendingFocus != "" {
		told["pending"] = c.PendingFocus
	}
	return tools.Succeed(c, effect, command, told)
}

// rig is a face between a client and an agent that the test plays.
type rig struct {
	t      *testing.T
	face   *Face
	log    *lockedBuffer
	noise  *lockedBuffer
	dir    string // the pipeline's state
	client player
	agent  player
	ended  conversation
}

// player writes to one side of the face and reads what comes out of it.
type player struct {
	in  *io.PipeWriter
	out chan string
}

func (p player) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(p.in, line); err != nil {
		t.Fatal(err)
	}
}

func (p player) hear(t *testing.T) string {
	t.Helper()
	select {
	case line, ok := <-p.out:
		if !ok {
			t.Fatal("the side has ended")
		}
		return line
	case <-time.After(patience):
		t.Fatal("nothing came")
		return ""
	}
}

// lockedBuffer is a log that may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// newRig starts a face; change says what of its configuration is otherwise.
func newRig(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	r := &rig{t: t, log: &lockedBuffer{}, noise: &lockedBuffer{}}
	clientIn, in := io.Pipe()
	out, clientOut := io.Pipe()
	r.client = player{in, linesOf(out)}
	cfg := testConfig(t, r)
	cfg.In, cfg.Out = clientIn, clientOut
	if change != nil {
		change(&cfg)
	}
	r.face = New(cfg)
	fromAgent, agentIn := io.Pipe()
	agentOut, toAgent := io.Pipe()
	r.agent = player{agentIn, linesOf(agentOut)}
	shut := r.face.open()
	r.ended = r.face.pass(fromAgent, toAgent)
	t.Cleanup(func() {
		shut()
		for _, c := range []io.Closer{in, clientIn, out, clientOut, agentIn, fromAgent, agentOut, toAgent} {
			c.Close()
		}
		r.face.outbox.close()
	})
	return r
}

func testConfig(t *testing.T, r *rig) Config {
	m, err := capabilities.Read([]byte(testManifest))
	if err != nil {
		t.Fatal(err)
	}
	registry := capabilities.NewRegistry(capabilities.Config{First: m})
	r.dir = t.TempDir()
	host := plugin.New(plugin.Config{Kernel: kernel{m}, Registry: registry, StateDir: r.dir, KernelID: "test"})
	t.Cleanup(func() { _ = host.Close(context.Background()) })
	return Config{
		Self: "/opt/mnote-host", SocketDirs: []string{filepath.Join(shortDir(t), "s")}, Noise: r.noise,
		Base:     plugin.SessionConfig{WorkspaceID: "ws_1", DocumentID: "launch.md", RootURI: "file:///notes", LocalRoot: true, ActorID: "user_1", Lang: tools.EN},
		Open:     func(c plugin.SessionConfig) Session { return host.Session(c) },
		Snapshot: registry.Snapshot, Serve: serveLines, Log: zerolog.New(r.log),
	}
}

// snapshotOf gives the test manifest's snapshot.
func snapshotOf(t testing.TB) func() *capabilities.Snapshot {
	m, err := capabilities.Read([]byte(testManifest))
	if err != nil {
		t.Fatal(err)
	}
	return capabilities.NewRegistry(capabilities.Config{First: m}).Snapshot
}

// shortDir is a folder whose path leaves room for a socket's name.
func shortDir(t *testing.T) string {
	dir := t.TempDir()
	if len(dir) > 60 {
		t.Logf("%s is long", dir)
	}
	return dir
}

// linesOf reads lines, line ends included.
func linesOf(r io.Reader) chan string {
	lines := make(chan string, 100000)
	go func() {
		defer close(lines)
		in := bufio.NewReader(r)
		for {
			line, err := in.ReadString('\n')
			if line != "" {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// request is one line of the tests' stand-in for MCP.
type request struct {
	Tool string
	Args json.RawMessage
}

// serveLines stands in for the MCP face: a line is a call, its answer a line.
func serveLines(ctx context.Context, s Session, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var q request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		wg.Go(func() {
			env := s.Call(ctx, q.Tool, q.Args, plugin.Meta{SessionID: "what the agent says", RunID: "counts for nothing"})
			fmt.Fprintln(out, summaryOf(env))
		})
	}
	cancel()
	return lines.Err()
}

// summaryOf is an envelope as the conversations show it.
func summaryOf(env tools.Envelope) string {
	if env.Error == nil {
		return string(env.Result)
	}
	reason, _ := env.Error.Details["reason"].(string)
	return strings.TrimSpace(string(env.Error.Code) + " " + reason)
}

// relay connects to the door as a relay does.
type relay struct {
	conn net.Conn
	out  chan string
}

// dial shows a ticket; a refusal is what the door said.
func (r *rig) dial(shown string) (relay, string) {
	r.t.Helper()
	conn, err := net.Dial("unix", r.face.door.path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "%s%s\n", greeting, shown)
	out := linesOf(conn)
	select {
	case line := <-out:
		return relay{conn, out}, strings.TrimSpace(line)
	case <-time.After(patience):
		r.t.Fatal("the door says nothing")
		return relay{}, ""
	}
}

func (l relay) call(tool, args string) { fmt.Fprintf(l.conn, `{"tool":%q,"args":%s}`+"\n", tool, args) }

func (l relay) answer(t *testing.T) string {
	t.Helper()
	select {
	case line, ok := <-l.out:
		if !ok {
			return "closed"
		}
		return strings.TrimSpace(line)
	case <-time.After(patience):
		t.Fatal("no answer on the relay")
		return ""
	}
}
