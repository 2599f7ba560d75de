package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/child"
	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// TestMain lets the test binary play other processes.
func TestMain(m *testing.M) {
	maps.Copy(roles, moreRoles())
	child.Main(m, roles)
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
