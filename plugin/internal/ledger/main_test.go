package ledger_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// TestMain lets the test binary play other processes: `child ROLE PATH ARG`
// runs a role instead of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "child" {
		maps.Copy(roles, moreRoles())
		if err := roles[os.Args[2]](os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is another process of this test binary.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err strings.Builder
}

func start(tb testing.TB, role, path, arg string) *child {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	c := &child{cmd: exec.Command(exe, "child", role, path, arg)}
	c.cmd.Stderr = &c.err
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.kill)
	return c
}

func (c *child) line(tb testing.TB) string {
	tb.Helper()
	s, err := c.out.ReadString('\n')
	if err != nil {
		tb.Fatalf("child: %v: %s", err, c.err.String())
	}
	return strings.TrimSpace(s)
}

func (c *child) wait(tb testing.TB) {
	tb.Helper()
	_ = c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		tb.Errorf("child: %v: %s", err, c.err.String())
	}
}

// kill ends the process as SIGKILL does, whatever it is in the middle of.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// clock is a time that only tests move.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func dbPath(tb testing.TB) string { return filepath.Join(tb.TempDir(), "state", "host.db") }

// open opens a ledger as another process would: with an owner of its own.
func open(tb testing.TB, path string, c *clock) *ledger.Ledger {
	tb.Helper()
	config := ledger.Config{Path: path}
	if c != nil {
		config.Now = c.now
	}
	l := ledger.Open(config)
	tb.Cleanup(func() { _ = l.Close() })
	return l
}

const minute = time.Minute

// write gives a write with the key, due a minute from now.
func write(key string, now time.Time) ledger.Write {
	return ledger.Write{
		Key: ledger.Key{
			Kernel: "local", Workspace: "ws_1", Actor: "u_1", Profile: "p", Tool: "mnote.page.save", Key: tools.Key(key),
		},
		BodyHash: "body", Session: "s_1", ToolCallID: "call_" + key, Document: "a.md", Deadline: now.Add(minute),
	}
}

// answer gives a kernel's answer whose command is named after the argument.
func answer(command string) tools.Envelope {
	return tools.Envelope{
		OK: true, ToolName: "mnote.page.save", ToolCallID: "call_1", TraceID: "t_1", Result: json.RawMessage(`{"revision":8}`),
		Audit: tools.Audit{Effect: tools.EffectWrite, CommandID: &command, WorkspaceID: "ws_1"},
		Extra: map[string]json.RawMessage{"kernelOwn": json.RawMessage(`[1,2]`)},
	}
}

func wrote(call string) ledger.Row {
	return ledger.Row{
		Session: "s_1", ToolCallID: call, Tool: "mnote.page.save", Kind: tools.KindWrite, Effect: tools.EffectWrite, CommandID: "cmd_" + call,
	}
}

func refused(call string) ledger.Row {
	return ledger.Row{Session: "s_1", ToolCallID: call, Tool: "mnote.page.save", Effect: tools.EffectNone, Code: tools.CodeDisabled}
}

func read(call string) ledger.Row {
	return ledger.Row{Session: "s_1", ToolCallID: call, Tool: "mnote.page.get", Kind: tools.KindRead, Effect: tools.EffectRead}
}

func mustClaim(tb testing.TB, l *ledger.Ledger, w ledger.Write) *ledger.Claim {
	tb.Helper()
	c, stored, err := l.Claim(tb.Context(), w)
	if err != nil || stored != nil {
		tb.Fatalf("no claim: stored %v, %v", stored, err)
	}
	return c
}

func mustFinish(tb testing.TB, c *ledger.Claim, command string) {
	tb.Helper()
	if err := c.Finish(tb.Context(), answer(command), wrote(command)); err != nil {
		tb.Fatal(err)
	}
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// code gives the error's code and, where there is one, its details.reason.
func code(err error) string {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return fmt.Sprintf("not coded: %v", err)
	}
	if r, ok := e.Details["reason"].(string); ok {
		return string(e.Code) + " " + r
	}
	return string(e.Code)
}

// calls gives the tool call ids of the rows, in order.
func calls(tb testing.TB, l *ledger.Ledger, f ledger.Filter) (ids []string) {
	tb.Helper()
	for r, err := range l.Rows(tb.Context(), f) {
		if err != nil {
			tb.Fatal(err)
		}
		ids = append(ids, r.ToolCallID)
	}
	return ids
}
