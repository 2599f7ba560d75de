package ledger_test

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

const day = 24 * time.Hour

func TestAnswersAreKeptAWeekAndHashesAQuarter(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	w := write("3", now.now())
	for _, c := range []struct {
		after time.Duration
		want  string
	}{
		{7*day - time.Hour, "answer"},
		{2 * time.Hour, string(tools.CodeIdempotencyConflict) + " answer_expired"},
		{83*day - 2*time.Hour, string(tools.CodeIdempotencyConflict) + " answer_expired"},
		{2 * time.Hour, "none"},
	} {
		now.pass(c.after)
		l := open(t, path, now)
		l.Record(t.Context(), refused("x"))
		calls(t, l, ledger.Filter{}) // a flush prunes
		got, err := l.Find(t.Context(), w)
		outcome := "none"
		if err != nil {
			outcome = code(err)
		} else if got != nil {
			outcome = "answer"
		}
		if outcome != c.want {
			t.Errorf("after %v more: %s, want %s", c.after, outcome, c.want)
		}
		if key, err := l.MatchInDoubt(t.Context(), w); err != nil || outcome != "answer" && key != "" {
			t.Errorf("after %v more: a retry of %q, %v", c.after, key, err)
		}
		check(t, l.Close())
	}
}

// The numbers of rows begin again when all are gone; answers still go in time.
func TestAnswersGoInTimeAfterAllWereDropped(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	l := open(t, path, now)
	for _, days := range []time.Duration{8, 91} { // drops the answers, then the rows
		now.pass(days * day)
		l.Record(t.Context(), refused("x"))
		calls(t, l, ledger.Filter{})
	}
	w := write("new", now.now())
	mustFinish(t, mustClaim(t, l, w), "new")
	now.pass(8 * day)
	calls(t, l, ledger.Filter{})
	if _, err := l.Find(t.Context(), w); code(err) != string(tools.CodeIdempotencyConflict)+" answer_expired" {
		t.Errorf("got %v", err)
	}
}

func TestAuditIsKept400Days(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	now.pass(100 * day)
	l := open(t, path, now)
	l.Record(t.Context(), refused("later"))
	calls(t, l, ledger.Filter{})
	now.pass(300*day - time.Second)
	if got := len(calls(t, l, ledger.Filter{})); got != 11 {
		t.Errorf("after 400 days less a second: %d rows", got)
	}
	now.pass(2 * time.Hour)
	l.Record(t.Context(), refused("now"))
	calls(t, l, ledger.Filter{})
	if d := cmp.Diff([]string{"later", "now"}, calls(t, l, ledger.Filter{})); d != "" {
		t.Error(d)
	}
	got, err := l.Verify(t.Context())
	want := ledger.Chain{Rows: 2, First: 11, Last: 12, Head: 12, Start: ledger.StartPruned}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
	tamper(t, path, "DELETE FROM audit WHERE seq = 11")
	if got, err = l.Verify(t.Context()); err != nil || got.Broken == nil || *got.Broken != (ledger.Break{Seq: 11, Kind: ledger.Dropped}) {
		t.Errorf("a row dropped behind the start: %+v, %v", got, err)
	}
}

// The newest row stays however old it is: the chain never begins anew.
func TestPruningKeepsTheLastRow(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	now.pass(1000 * day)
	l := open(t, path, now)
	l.Delivered("none")
	check(t, mustClaim(t, l, write("k", now.now())).Release(t.Context(), read("x"))) // no flush yet
	check(t, l.Close())
	got, err := open(t, path, now).Verify(t.Context())
	if err != nil || got.Broken != nil || got.Rows != 1 || got.Last != 11 {
		t.Errorf("%+v, %v", got, err)
	}
}

// One look drops a bounded part, and the next looks go on until nothing is old.
func TestPruningIsBounded(t *testing.T) {
	path, now := dbPath(t), newClock()
	synctest.Test(t, func(t *testing.T) { // no flush of its own while the test runs
		l := open(t, path, now)
		const n = 1300
		for i := range n {
			l.Record(t.Context(), read(fmt.Sprint(i)))
		}
		synctest.Wait()
		calls(t, l, ledger.Filter{})
		now.pass(401 * day)
		l.Record(t.Context(), read("new"))
		var left []int
		for range 4 {
			calls(t, l, ledger.Filter{Limit: 1}) // one flush, one look
			left = append(left, rows(t, path))
		}
		if d := cmp.Diff([]int{n + 1 - 500, n + 1 - 1000, 1, 1}, left); d != "" {
			t.Error(d)
		}
		if got, err := l.Verify(t.Context()); err != nil || got.Broken != nil || got.Start != ledger.StartPruned {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// rows counts the audit's rows without a ledger, which would prune.
func rows(tb testing.TB, path string) (n int) {
	tb.Helper()
	f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: os.DirFS("schema")}}
	defer f.Close()
	check(tb, f.View(tb.Context(), func(tx *sqlite.Tx) error { return tx.Row("SELECT count(*) FROM audit").Scan(&n) }))
	return n
}
