package ledger_test

import (
	"slices"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// How a person spoke is in the row and under its hash.
func TestAgreedIsRecorded(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	l := open(t, path, now)
	yes, no := wrote("a"), refused("b")
	yes.Agreed, no.Agreed, no.Code = "terminal", "client", tools.CodeConfirmationDeclined
	for _, r := range []ledger.Row{yes, no, wrote("c")} {
		l.Record(t.Context(), r)
	}
	var got []string
	for r, err := range l.Rows(t.Context(), ledger.Filter{}) {
		check(t, err)
		got = append(got, r.Agreed)
	}
	if len(got) != 3 || got[0] != "terminal" || got[1] != "client" || got[2] != "" {
		t.Errorf("agreed %q", got)
	}
	check(t, l.Close())
	for seq, to := range map[string]string{"1": "''", "2": "'console'", "3": "'terminal'"} {
		copied := dbPath(t)
		l := open(t, copied, now)
		for _, r := range []ledger.Row{yes, no, wrote("c")} {
			l.Record(t.Context(), r)
		}
		check(t, l.Close())
		tamper(t, copied, "UPDATE audit SET agreed = "+to+" WHERE seq = "+seq)
		chain, err := open(t, copied, now).Verify(t.Context())
		check(t, err)
		if chain.Broken == nil || chain.Broken.Kind != ledger.Altered {
			t.Errorf("row %s says %s and nobody sees it: %+v", seq, to, chain)
		}
	}
}

// A chain from before the column still is whole, and goes on.
func TestChainFromBeforeAgreed(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	tamper(t, path, slices.Concat(before4, []string{
		"ALTER TABLE audit DROP COLUMN agreed", "ALTER TABLE approval DROP COLUMN owner", "PRAGMA user_version = 2",
	})...)
	l := open(t, path, now)
	later := wrote("later")
	later.Agreed = "console"
	l.Record(t.Context(), later)
	chain, err := l.Verify(t.Context())
	check(t, err)
	if chain.Broken != nil || chain.Rows != 11 {
		t.Errorf("%+v", chain)
	}
}

// A decision is of what the person was shown: not of what stands under the same
// id by now.
func TestDecideShown(t *testing.T) {
	t.Parallel()
	now, l, w := asked(t)
	shown, err := l.Approval(t.Context(), "p_1")
	check(t, err)
	other := question("p_1")
	other.Preview = []byte(`{"diff":"+something else"}`)
	mustAsk(t, l, w, other) // a kernel may give one id to plans that it takes for equal
	if _, err := l.DecideShown(t.Context(), "p_1", ledger.Approved, "console", shown.Digest()); code(err) != conflict+" changed" {
		t.Errorf("a yes to what was not shown: %v", err)
	}
	if got := said(t, l, w); got != "" {
		t.Errorf("it passes on %q", got)
	}
	now.pass(minute)
	again, err := l.Approval(t.Context(), "p_1")
	check(t, err)
	if _, err := l.DecideShown(t.Context(), "p_1", ledger.Approved, "console", again.Digest()); err != nil {
		t.Error(err)
	}
}

// A question whose session ended with its process can never be used: it is told
// so, nobody is asked it, and it cannot be decided.
func TestSessionEnded(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	agent := open(t, path, now)
	w := write("k", now.now())
	passing, lasting := question("p_1"), question("p_2")
	passing.Passing = true
	mustAsk(t, agent, w, passing)
	w.Document = "b.md"
	mustAsk(t, agent, w, lasting)
	person := open(t, path, now)
	if got := waiting(t, person, ledger.ApprovalFilter{}); len(got) != 2 {
		t.Errorf("while the agent lives %v wait", got)
	}
	check(t, agent.Close())
	if got := waiting(t, person, ledger.ApprovalFilter{}); len(got) != 1 || got[0] != "p_2" {
		t.Errorf("%v wait after its end", got)
	}
	if a, err := person.Approval(t.Context(), "p_1"); err != nil || !a.Ended {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := person.Decide(t.Context(), "p_1", ledger.Approved, "console"); code(err) != conflict+" session_ended" {
		t.Errorf("decided: %v", err)
	}
	if a, err := person.Approval(t.Context(), "p_2"); err != nil || a.Ended {
		t.Errorf("%+v, %v", a, err)
	}
}

// A yes that was given in the call serves its write and the retries, once.
func TestAgree(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	w := write("k", now.now())
	yes := question("p_1")
	yes.By = "client"
	_, err := l.Agree(t.Context(), w, yes)
	check(t, err)
	if got := said(t, l, w); got != "p_1" {
		t.Errorf("it waits: %q", got)
	}
	w.ApprovalID = "p_1"
	mustFinish(t, mustClaim(t, l, w), "cmd")
	a, err := l.Approval(t.Context(), "p_1")
	if check(t, err); !a.Used || a.By != "client" || a.Decision != ledger.Approved || a.Decided.IsZero() {
		t.Errorf("%+v", a)
	}
	w.Key.Key, w.ApprovalID = "k2", ""
	if got := said(t, l, w); got != "" {
		t.Errorf("it serves twice: %q", got)
	}
}
