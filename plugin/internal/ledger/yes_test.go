package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/child"
	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// A kernel that names equal plans alike: what was decided before is not decided
// now.
func TestSameIDAgain(t *testing.T) {
	t.Parallel()
	_, l, w := asked(t)
	mustDecide(t, l, "p_1", ledger.Approved)
	w.ApprovalID = "p_1"
	mustFinish(t, mustClaim(t, l, w), "c1")
	w.Key.Key, w.ApprovalID = "k2", ""
	mustAsk(t, l, w, question("p_1"))
	if got := said(t, l, w); got != "" {
		t.Errorf("got %q", got)
	}
	if d := cmp.Diff([]string{"p_1"}, waiting(t, l, ledger.ApprovalFilter{Over: true})); d != "" {
		t.Error(d)
	}
}

func TestReleasedClaimGivesTheYesBack(t *testing.T) {
	t.Parallel()
	_, l, w := asked(t)
	mustDecide(t, l, "p_1", ledger.Approved)
	w.ApprovalID = "p_1"
	check(t, mustClaim(t, l, w).Release(t.Context(), refused("1")))
	if got := said(t, l, w); got != "p_1" {
		t.Errorf("after the release: %q", got)
	}
	check(t, mustClaim(t, l, w).Doubt(t.Context(), tools.CodeTimeout, refused("2")))
	if got := said(t, l, w); got != "p_1" {
		t.Errorf("the retry of what is in doubt: %q", got)
	}
	w2 := w
	w2.Key.Key = "k2"
	if got := said(t, l, w2); got != "" {
		t.Errorf("another write: %q", got)
	}
}

// What a person agreed to can not happen any more, for the page is another by
// now: that yes is over, and the same write is a new question.
func TestYesToWhatCannotHappenIsOver(t *testing.T) {
	t.Parallel()
	_, l, w := asked(t)
	mustDecide(t, l, "p_1", ledger.Approved)
	w.ApprovalID = "p_1"
	stale := refused("1")
	stale.Code = tools.CodeConflict
	check(t, mustClaim(t, l, w).Release(t.Context(), stale))
	for _, key := range []tools.Key{"k", "k2"} {
		w.Key.Key = key
		if got := said(t, l, w); got != "" {
			t.Errorf("key %s: %q", key, got)
		}
	}
	if got := mustAsk(t, l, w, question("p_2")); got.ID != "p_2" {
		t.Errorf("%+v", got)
	}
	mustDecide(t, l, "p_2", ledger.Approved)
	check(t, l.Void(t.Context(), "p_2")) // it is known before anything is sent
	if got := said(t, l, w); got != "" {
		t.Errorf("void: %q", got)
	}
	if _, err := l.Decide(t.Context(), "p_1", ledger.Approved, "console"); code(err) != conflict+" stale" {
		t.Errorf("it is decided once more: %v", err)
	}
}

// What a page says does not stay in the file once it is of no more use.
func TestPreviewsGo(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	for _, key := range []string{"spent", "open"} {
		w := write(key, now.now())
		w.BodyHash = key
		mustAsk(t, l, w, question(key))
		if key == "spent" {
			mustDecide(t, l, key, ledger.Approved)
			w.ApprovalID = key
			mustFinish(t, mustClaim(t, l, w), "c1")
		}
	}
	for _, c := range []struct {
		after time.Duration
		want  map[string]bool // the questions that still have their preview
	}{
		{2 * time.Hour, map[string]bool{"spent": false, "open": true}},
		{23 * time.Hour, map[string]bool{"spent": false, "open": false}},
		{31 * day, map[string]bool{}},
	} {
		now.pass(c.after)
		l.Record(t.Context(), refused("x"))
		calls(t, l, ledger.Filter{}) // a flush prunes
		got := map[string]bool{}
		for _, id := range []string{"spent", "open"} {
			if a, err := l.Approval(t.Context(), id); err == nil {
				if got[id] = a.Preview != nil; got[id] != (a.Question != "") {
					t.Errorf("%s: the preview is %q and the question %q", id, a.Preview, a.Question)
				}
			} else if code(err) != conflict+" unknown" {
				t.Error(err)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("after %v more: %s", c.after, d)
		}
	}
}

// Many processes see the same yes; one write goes through on it.
func TestOneYesOneWrite(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	l := open(t, path, nil)
	mustAsk(t, l, write("", time.Now()), question("p_1"))
	mustDecide(t, l, "p_1", ledger.Approved)
	children := make([]*child.Process, processes)
	for i := range children {
		children[i] = child.Start(t, "spend", path, fmt.Sprint(i))
	}
	for _, c := range children {
		_ = c.In.Close()
	}
	got := map[string]int{}
	for _, c := range children {
		got[c.Line(t)]++
		c.Wait(t)
	}
	if d := cmp.Diff(map[string]int{"spent": 1, conflict + " used": processes - 1}, got); d != "" {
		t.Error(d)
	}
}
