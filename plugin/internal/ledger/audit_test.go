package ledger_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

func fullRow(now time.Time) ledger.Row {
	return ledger.Row{
		Time: now, Session: "s", Run: "r", ToolCallID: "call", TraceID: "trace", Actor: "u", Profile: "p", Agent: "hermes",
		Kernel: "http://127.0.0.1:1", Workspace: "ws", Document: "日记/今天.md", Tool: "mnote.page.save", Kind: tools.KindWrite,
		Scopes: []tools.Scope{"page.read", "page.write"}, DryRun: true, Effect: tools.EffectWrite, Code: tools.CodeConflict,
		CommandID: "page.body.save_t_c", Changed: []tools.ChangedFile{{Path: "日记/今天.md", Kind: "page"}, {Resource: "map_1", Mutation: "update"}},
		ArgsHash: "aa", KeyHash: ledger.HashKey("k"), Duration: 1234567 * time.Nanosecond, Replayed: true,
	}
}

func TestARowComesBackAsItWasRecorded(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	want := fullRow(now.now())
	l.Record(t.Context(), want)
	l.Record(t.Context(), ledger.Row{Code: tools.CodeNotFound})
	var got []ledger.Row
	for r, err := range l.Rows(t.Context(), ledger.Filter{}) {
		check(t, err)
		got = append(got, r)
	}
	chain := cmpopts.IgnoreFields(ledger.Row{}, "Seq", "Prev", "Hash")
	if d := cmp.Diff([]ledger.Row{want, {Code: tools.CodeNotFound, Time: now.now()}}, got, chain); d != "" {
		t.Fatal(d)
	}
	if got[0].Seq != 1 || got[0].Prev != strings.Repeat("0", 64) || got[1].Prev != got[0].Hash || len(got[1].Hash) != 64 {
		t.Errorf("the chain is %v", got)
	}
}

// What a caller sends as a tool's name or an id is bounded and cannot spoil the
// file, nor the chain.
func TestOutsideTextIsMadeFit(t *testing.T) {
	t.Parallel()
	l := open(t, dbPath(t), nil)
	bad := "a\x00b\xff" + strings.Repeat("長", 5000)
	l.Record(t.Context(), ledger.Row{
		Tool: bad, Session: bad, Document: bad, Actor: bad, CommandID: bad, Code: tools.CodeNotFound,
		Scopes: []tools.Scope{tools.Scope(bad)}, Changed: []tools.ChangedFile{{Path: bad}},
	})
	for r, err := range l.Rows(t.Context(), ledger.Filter{}) {
		check(t, err)
		for name, s := range map[string]string{"tool": r.Tool, "session": r.Session, "document": r.Document, "actor": r.Actor} {
			limit := 4100
			if name == "tool" {
				limit = 3 * 128
			}
			if !utf8.ValidString(s) || strings.Contains(s, "\x00") || len(s) > limit || !strings.HasPrefix(s, "a\uFFFDb\uFFFD長") {
				t.Errorf("%s has %d bytes: %.20q", name, len(s), s)
			}
		}
	}
	if v, err := l.Verify(t.Context()); err != nil || v.Broken != nil || v.Rows != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

// Writes and refusals are in the file when the call returns; reads and dry runs
// follow within 200 ms, or when 256 wait, or at Close.
func TestWhenRowsAreRecorded(t *testing.T) {
	path := dbPath(t)
	synctest.Test(t, func(t *testing.T) {
		l, other := open(t, path, nil), open(t, path, nil)
		seen := func(want int, when string) {
			t.Helper()
			if got := len(calls(t, other, ledger.Filter{})); got != want {
				t.Errorf("%s: %d rows, want %d", when, got, want)
			}
		}
		l.Record(t.Context(), refused("1"))
		seen(1, "a refusal")
		mustFinish(t, mustClaim(t, l, write("k", time.Now())), "2")
		seen(2, "a write")
		check(t, mustClaim(t, l, write("k2", time.Now())).Doubt(t.Context(), tools.CodeTimeout, refused("3")))
		seen(3, "a doubt")

		planned := read("4")
		planned.Effect, planned.DryRun = tools.EffectDryRun, true
		l.Record(t.Context(), planned)
		check(t, l.Empty().Finish(t.Context(), answer("x"), read("5")))
		seen(3, "reads, at once")
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		seen(5, "reads, 200 ms later")

		for i := range 256 {
			l.Record(t.Context(), read(fmt.Sprint(i)))
		}
		synctest.Wait()
		seen(261, "256 reads, at once")

		l.Record(t.Context(), read("last"))
		check(t, l.Close())
		seen(262, "a read, at Close")
	})
}

func TestFilter(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	began := now.now()
	for i := range 6 {
		r := refused(fmt.Sprint(i))
		r.Session = []string{"even", "odd"}[i%2]
		r.CommandID = fmt.Sprint("cmd_", i/2)
		r.Document = fmt.Sprint(i/3, ".md")
		r.Tool = []string{"mnote.a", "mnote.b", "mnote.c"}[i%3]
		l.Record(t.Context(), r)
		now.pass(time.Hour)
	}
	for name, c := range map[string]struct {
		f    ledger.Filter
		want []string
	}{
		"all":               {ledger.Filter{}, []string{"0", "1", "2", "3", "4", "5"}},
		"newest":            {ledger.Filter{Newest: true}, []string{"5", "4", "3", "2", "1", "0"}},
		"newest two":        {ledger.Filter{Newest: true, Limit: 2}, []string{"5", "4"}},
		"first three":       {ledger.Filter{Limit: 3}, []string{"0", "1", "2"}},
		"behind":            {ledger.Filter{After: 4}, []string{"4", "5"}},
		"behind, newest":    {ledger.Filter{After: 3, Newest: true}, []string{"1", "0"}},
		"session":           {ledger.Filter{Session: "odd"}, []string{"1", "3", "5"}},
		"command":           {ledger.Filter{Command: "cmd_1"}, []string{"2", "3"}},
		"document":          {ledger.Filter{Document: "1.md"}, []string{"3", "4", "5"}},
		"tool":              {ledger.Filter{Tool: "mnote.b"}, []string{"1", "4"}},
		"since":             {ledger.Filter{Since: began.Add(4 * time.Hour)}, []string{"4", "5"}},
		"until":             {ledger.Filter{Until: began.Add(time.Hour)}, []string{"0"}},
		"session and since": {ledger.Filter{Session: "odd", Since: began.Add(2 * time.Hour), Newest: true, Limit: 1}, []string{"5"}},
		"none":              {ledger.Filter{Session: "'; DROP TABLE audit; --"}, nil},
	} {
		if d := cmp.Diff(c.want, calls(t, l, c.f)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestRowsPageAndStop(t *testing.T) {
	t.Parallel()
	l := open(t, dbPath(t), nil)
	const n = 600 // more than two pages
	for i := range n {
		l.Record(t.Context(), read(fmt.Sprint(i)))
	}
	if got := len(calls(t, l, ledger.Filter{})); got != n {
		t.Errorf("%d rows", got)
	}
	if got := len(calls(t, l, ledger.Filter{Limit: 300})); got != 300 {
		t.Errorf("%d rows of 300", got)
	}
	seen := 0
	for range l.Rows(t.Context(), ledger.Filter{}) {
		if seen++; seen == 10 {
			l.Record(t.Context(), refused("while a reader reads")) // nobody holds the file
			break
		}
	}
	if got := len(calls(t, l, ledger.Filter{})); got != n+1 {
		t.Errorf("%d rows after", got)
	}
}

func TestExportIsJSONLines(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	want := fullRow(now.now())
	l.Record(t.Context(), want)
	l.Record(t.Context(), read("2"))
	var out bytes.Buffer
	check(t, l.Export(t.Context(), &out, ledger.Filter{}))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	var got ledger.Row
	check(t, json.Unmarshal([]byte(lines[0]), &got))
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(ledger.Row{}, "Seq", "Prev", "Hash")); d != "" {
		t.Error(d)
	}
	for _, member := range []string{`"seq":1`, `"sessionId":"s"`, `"capabilityScope":["page.read","page.write"]`, `"time":"2026-11-30T12:00:00Z"`} {
		if !strings.Contains(lines[0], member) {
			t.Errorf("no %s in %s", member, lines[0])
		}
	}
}
