package ledger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

// before4 turns a file into what it was before its fourth version.
var before4 = []string{
	"UPDATE claim SET answer = (SELECT envelope FROM answer WHERE answer.claim = claim.row)", "DROP TABLE answer",
	"DROP INDEX audit_session", "DROP INDEX audit_command",
	"ALTER TABLE audit DROP COLUMN fresh", "ALTER TABLE chain DROP COLUMN found",
	"CREATE INDEX audit_at ON audit (at)", "CREATE INDEX audit_session ON audit (session)",
	"CREATE INDEX audit_command ON audit (command) WHERE command <> ''", "PRAGMA user_version = 3",
}

// A file from before the answers had a table of their own and rows came late into
// the indexes: its chain is whole, every row is found, its answers are given, and
// it forgets them in their time, as those that came since.
func TestFileFromBefore(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	tamper(t, path, before4...)
	now.pass(minute)
	l := open(t, path, now)
	mustFinish(t, mustClaim(t, l, write("new", now.now())), "new")
	old := l.Rows(t.Context(), ledger.Filter{Limit: 1})
	for r, err := range old {
		check(t, err)
		if got := calls(t, l, ledger.Filter{Command: r.CommandID}); len(got) != 1 {
			t.Errorf("by its command an old row is found %d times", len(got))
		}
	}
	if got := len(calls(t, l, ledger.Filter{Session: "s_1"})); got != 11 {
		t.Errorf("%d rows of the session", got)
	}
	if chain, err := l.Verify(t.Context()); err != nil || chain.Broken != nil || chain.Rows != 11 {
		t.Errorf("%+v, %v", chain, err)
	}
	for _, key := range []string{"3", "new"} {
		if got, err := l.Find(t.Context(), write(key, now.now())); got == nil || err != nil {
			t.Errorf("%s: %v, %v", key, got, err)
		}
	}
	now.pass(7*day - minute/2)
	prune(t, l)
	for key, want := range map[string]string{"3": string(tools.CodeIdempotencyConflict) + " answer_expired", "new": "<nil>"} {
		_, err := l.Find(t.Context(), write(key, now.now()))
		if got := fmt.Sprint(err); err != nil && code(err) != want || err == nil && want != got {
			t.Errorf("after a week %s gives %v, want %s", key, err, want)
		}
	}
	now.pass(2 * time.Hour)
	prune(t, l)
	check(t, l.Close())
	if got := stored(t, path); got != 0 {
		t.Errorf("%d answers are left", got)
	}
}

// prune makes the ledger look for what is old, as it does behind a flush.
func prune(t *testing.T, l *ledger.Ledger) {
	t.Helper()
	calls(t, l, ledger.Filter{Limit: 1})
}

// stored counts the answers in the file.
func stored(t *testing.T, path string) (n int) {
	t.Helper()
	f := &sqlite.File{Config: sqlite.Config{Path: path}}
	defer f.Close()
	check(t, f.View(t.Context(), func(tx *sqlite.Tx) error {
		return tx.Row("SELECT (SELECT count(*) FROM answer) + (SELECT count(answer) FROM claim)").Scan(&n)
	}))
	return n
}

// Rows are found by every filter, in order and once, whether they are in the
// indexes yet or not, and whoever wrote them.
func TestFreshRowsAreFound(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	l, other := open(t, path, now), open(t, path, now)
	var want []string
	for i := range 12 {
		now.pass(time.Second)
		r := wrote(fmt.Sprint(i))
		if i%3 == 0 {
			r.Session = "s_2"
		} else {
			want = append(want, r.ToolCallID)
		}
		if i == 6 {
			calls(t, l, ledger.Filter{Limit: 1}) // a flush: six rows are in the indexes
		}
		l.Record(t.Context(), r)
	}
	begin := now.now().Add(-11 * time.Second)
	for name, c := range map[string]struct {
		filter ledger.Filter
		want   []string
	}{
		"session":           {ledger.Filter{Session: "s_1"}, want},
		"session, newest":   {ledger.Filter{Session: "s_1", Newest: true, Limit: 3}, []string{"11", "10", "8"}},
		"behind a row":      {ledger.Filter{Session: "s_1", After: 3, Limit: 3}, []string{"4", "5", "7"}},
		"command, indexed":  {ledger.Filter{Command: "cmd_2"}, []string{"2"}},
		"command, fresh":    {ledger.Filter{Command: "cmd_9"}, []string{"9"}},
		"since and until":   {ledger.Filter{Since: begin.Add(4 * time.Second), Until: begin.Add(8 * time.Second)}, []string{"4", "5", "6", "7"}},
		"session and since": {ledger.Filter{Session: "s_2", Since: begin.Add(2 * time.Second)}, []string{"3", "6", "9"}},
	} {
		if d := cmp.Diff(c.want, calls(t, other, c.filter)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	calls(t, l, ledger.Filter{Limit: 1})
	if d := cmp.Diff(want, calls(t, other, ledger.Filter{Session: "s_1"})); d != "" {
		t.Errorf("after all are in the indexes: %s", d)
	}
}

// A filter that has an index is answered by it.
func TestFiltersUseTheirIndexes(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	f := &sqlite.File{Config: sqlite.Config{Path: path}}
	defer f.Close()
	for index, filter := range map[string]ledger.Filter{
		"audit_session": {Session: "s_1"}, "audit_command": {Command: "c"},
	} {
		query, args := ledger.Query(filter)
		var plan string
		check(t, f.View(t.Context(), func(tx *sqlite.Tx) error {
			for row := range tx.Rows("EXPLAIN QUERY PLAN "+query, args...) {
				var id, parent, unused int64
				var detail string
				if err := row.Scan(&id, &parent, &unused, &detail); err != nil {
					return err
				}
				plan += detail + "; "
			}
			return nil
		}))
		if !strings.Contains(plan, index) {
			t.Errorf("%s: %s", index, plan)
		}
	}
}

// The hash of a row is what it was when the first chains were made: a chain of any
// time verifies.
func TestHashOfARowStays(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	l.Record(t.Context(), ledger.Row{
		Session: "s_1", Run: "r", ToolCallID: "call_1", TraceID: "t", Actor: "u", Profile: "p", Agent: "a", Kernel: "local", Workspace: "ws_1",
		Document: "笔记.md", Tool: "mnote.page.save", Kind: tools.KindWrite, Scopes: []tools.Scope{"page.write"}, Effect: tools.EffectWrite,
		CommandID: "cmd_1", Changed: []tools.ChangedFile{{Path: "笔记.md"}}, ArgsHash: "sha256:1", KeyHash: ledger.HashKey("k"), Duration: time.Second,
	})
	const want = "12661600776012b8c3451253ac98dcb977b4e3a168cc6dfc907157c8dadb8488"
	for r, err := range l.Rows(t.Context(), ledger.Filter{}) {
		check(t, err)
		if r.Hash != want {
			t.Errorf("hash %s, want %s", r.Hash, want)
		}
	}
}
