package ledger_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

const conflict = string(tools.CodeConflict)

// planned leaves a plan p_1 for the write with the key, and gives the write
// that names it.
func planned(tb testing.TB, l *ledger.Ledger, key string, now time.Time) ledger.Write {
	tb.Helper()
	w := write(key, now)
	_, err := l.KeepPlan(tb.Context(), ledger.Plan{ID: "p_1", Write: w, Revision: 7, Promise: []byte("promise")})
	check(tb, err)
	w.PlanID = "p_1"
	return w
}

func TestPlanServesItsWriteOnce(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	l := open(t, path, now)
	w := planned(t, l, "k", now.now())
	got, err := open(t, path, now).CheckPlan(t.Context(), w)
	if err != nil || got.Revision != 7 || string(got.Promise) != "promise" || got.Spent || !got.Made.Equal(now.now()) || !got.Expires.Equal(now.now().Add(24*time.Hour)) {
		t.Errorf("%+v, %v", got, err)
	}
	mustFinish(t, mustClaim(t, l, w), "c1")

	again := w
	again.Key.Key = "k2"
	_, err = l.CheckPlan(t.Context(), again)
	if code(err) != conflict+" used" {
		t.Errorf("check: %v", err)
	}
	if _, _, err := l.Claim(t.Context(), again); code(err) != conflict+" used" {
		t.Errorf("claim: %v", err)
	}
	if got, err := l.Find(t.Context(), again); got != nil || err != nil {
		t.Errorf("the refused claim left something: %v, %v", got, err)
	}
	// The same write is no second use.
	if _, stored, err := l.Claim(t.Context(), w); stored == nil || err != nil {
		t.Errorf("replay: %v, %v", stored, err)
	}
	if got, err := l.CheckPlan(t.Context(), w); err != nil || !got.Spent {
		t.Errorf("the retry of its own write: %+v, %v", got, err)
	}
}

func TestPlanIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*ledger.Write)
		after  time.Duration
		want   string
	}{
		"unknown":          {func(w *ledger.Write) { w.PlanID = "p_2" }, 0, "unknown"},
		"other arguments":  {func(w *ledger.Write) { w.BodyHash = "other" }, 0, "altered"},
		"another session":  {func(w *ledger.Write) { w.Session = "s_2" }, 0, "other_session"},
		"another document": {func(w *ledger.Write) { w.Document = "b.md" }, 0, "altered"},
		"another tool":     {func(w *ledger.Write) { w.Key.Tool = "mnote.page.update_title" }, 0, "altered"},
		"another actor":    {func(w *ledger.Write) { w.Key.Actor = "u_2" }, 0, "altered"},
		"a day later":      {func(*ledger.Write) {}, 24 * time.Hour, "expired"},
	} {
		now := newClock()
		l := open(t, dbPath(t), now)
		w := planned(t, l, "k", now.now())
		c.change(&w)
		now.pass(c.after)
		w.Deadline = now.now().Add(minute)
		if _, err := l.CheckPlan(t.Context(), w); code(err) != conflict+" "+c.want {
			t.Errorf("%s: check: %v", name, err)
		}
		if _, _, err := l.Claim(t.Context(), w); code(err) != conflict+" "+c.want {
			t.Errorf("%s: claim: %v", name, err)
		}
	}
}

func TestReleasedClaimGivesItsPlanBack(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	w := planned(t, l, "k", now.now())
	check(t, mustClaim(t, l, w).Release(t.Context(), refused("1")))
	w.Key.Key = "k2"
	c := mustClaim(t, l, w)
	if c.Plan().ID != "" {
		t.Errorf("a first write was sent on %q before", c.Plan().ID)
	}
	check(t, c.Doubt(t.Context(), tools.CodeTimeout, refused("2")))

	other := w
	other.Key.Key = "k3"
	if _, _, err := l.Claim(t.Context(), other); code(err) != conflict+" used" {
		t.Errorf("a plan in doubt serves another key: %v", err)
	}
	now.pass(48 * time.Hour) // the retry of what is in doubt needs no fresh plan
	w.Deadline = now.now().Add(minute)
	w.PlanID = "" // a retry may leave it out, and is the same write
	retry := mustClaim(t, l, w)
	if p := retry.Plan(); p.ID != "p_1" || p.Revision != 7 {
		t.Errorf("the retry's plan: %+v", p)
	}
	check(t, retry.Release(t.Context(), refused("3"))) // in doubt still
	other.Deadline = w.Deadline
	if _, _, err := l.Claim(t.Context(), other); code(err) != conflict+" used" {
		t.Errorf("a plan in doubt was given back: %v", err)
	}
}

func TestPlansWithoutState(t *testing.T) {
	t.Parallel()
	l := ledger.Open(ledger.Config{})
	w := write("k", time.Now())
	w.PlanID = "p"
	_, err1 := l.CheckPlan(t.Context(), w)
	_, err2 := l.Decided(t.Context(), w)
	_, err3 := l.Decide(t.Context(), "p", ledger.Approved, "terminal")
	_, err4 := l.Ask(t.Context(), w, ledger.Approval{})
	_, err5 := l.Approval(t.Context(), "p")
	_, err6 := l.KeepPlan(t.Context(), ledger.Plan{})
	for _, err := range []error{err1, err2, err3, err4, err5, err6} {
		if code(err) != string(tools.CodeKernelUnavailable)+" no_state" {
			t.Errorf("got %v", err)
		}
	}
	if all, err := l.Approvals(t.Context(), ledger.ApprovalFilter{}); all != nil || err != nil {
		t.Errorf("%v, %v", all, err)
	}
}

// A file of the first version keeps what it holds.
func TestFirstVersionIsBroughtUp(t *testing.T) {
	t.Parallel()
	first, err := fs.ReadFile(os.DirFS("schema"), "0001_claims_and_audit.sql")
	check(t, err)
	path, now := dbPath(t), newClock()
	f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: fstest.MapFS{"0001_x.sql": {Data: first}}}}
	err = f.Full(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec("INSERT INTO claim (id, twin, body, key, state, open, owner, signed, attempt, lease, reason, at) VALUES (x'00', x'00', '', 'old', 2, 1, '', 0, 1, 0, '', ?)", now.now().UnixMicro())
		return err
	})
	check(t, errors.Join(err, f.Close()))
	l := open(t, path, now)
	w := planned(t, l, "k", now.now())
	mustFinish(t, mustClaim(t, l, w), "c1")
	check(t, l.Close())
	var keys int
	f = &sqlite.File{Config: sqlite.Config{Path: path, Migrations: os.DirFS("schema")}}
	defer f.Close()
	check(t, f.View(t.Context(), func(tx *sqlite.Tx) error {
		return tx.Row("SELECT count(*) FROM claim WHERE key IN ('old', 'k')").Scan(&keys)
	}))
	if d := cmp.Diff(2, keys); d != "" {
		t.Error(d)
	}
}
