package ledger_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

func question(id string) ledger.Approval {
	return ledger.Approval{
		ID: id, AtKernel: true, Agent: "hermes", Revision: 7, Question: "保存 a.md？", Preview: json.RawMessage(`{"diff":"+` + id + `"}`),
	}
}

func mustAsk(tb testing.TB, l *ledger.Ledger, w ledger.Write, a ledger.Approval) ledger.Approval {
	tb.Helper()
	stands, err := l.Ask(tb.Context(), w, a)
	check(tb, err)
	return stands
}

func mustDecide(tb testing.TB, l *ledger.Ledger, id string, d ledger.Decision) {
	tb.Helper()
	if _, err := l.Decide(tb.Context(), id, d, "terminal"); err != nil {
		tb.Fatal(err)
	}
}

// asked opens a ledger in which the write with the key k waits for a yes as p_1.
func asked(t *testing.T) (*clock, *ledger.Ledger, ledger.Write) {
	t.Helper()
	now := newClock()
	l := open(t, dbPath(t), now)
	w := write("k", now.now())
	mustAsk(t, l, w, question("p_1"))
	return now, l, w
}

// said gives the id of the yes that a write has, or the code of its refusal.
func said(tb testing.TB, l *ledger.Ledger, w ledger.Write) string {
	tb.Helper()
	yes, err := l.Decided(tb.Context(), w)
	if err != nil {
		return code(err)
	}
	return yes.ID
}

// waiting gives the ids of what waits for a person.
func waiting(tb testing.TB, l *ledger.Ledger, f ledger.ApprovalFilter) (ids []string) {
	tb.Helper()
	all, err := l.Approvals(tb.Context(), f)
	check(tb, err)
	for _, a := range all {
		ids = append(ids, a.ID)
	}
	return ids
}

// A write waits, a person says yes in another process, and the same arguments
// then pass once.
func TestApprovedWritePassesOnce(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	host, terminal := open(t, path, now), open(t, path, now)
	w := write("k", now.now())
	if got := said(t, host, w); got != "" {
		t.Fatalf("before anyone was asked: %q", got)
	}
	asked := mustAsk(t, host, w, question("p_1"))
	if got := said(t, host, w); got != "" {
		t.Errorf("before anyone spoke: %q", got)
	}

	want := question("p_1")
	want.Tool, want.Workspace, want.Actor, want.Session, want.Document = "mnote.page.save", "ws_1", "u_1", "s_1", "a.md"
	want.Asked, want.Expires = now.now(), now.now().Add(24*time.Hour)
	got, err := terminal.Approval(t.Context(), "p_1")
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	if d := cmp.Diff(want, asked); d != "" {
		t.Error(d)
	}
	got, err = terminal.Decide(t.Context(), "p_1", ledger.Approved, "terminal")
	if err != nil || got.Decision != ledger.Approved || got.By != "terminal" || !got.Decided.Equal(now.now()) {
		t.Errorf("%+v, %v", got, err)
	}
	if ids := waiting(t, host, ledger.ApprovalFilter{}); ids != nil {
		t.Errorf("still waiting: %v", ids)
	}

	second := write("k2", now.now()) // the model sends it again, under a new key
	yes, err := host.Decided(t.Context(), second)
	if second.ApprovalID = yes.ID; yes.ID != "p_1" || !yes.AtKernel || err != nil {
		t.Fatalf("%+v, %v", yes, err)
	}
	mustFinish(t, mustClaim(t, host, second), "c1")
	third := write("k3", now.now())
	if got := said(t, host, third); got != "" {
		t.Errorf("the yes serves twice: %q", got)
	}
	third.ApprovalID = "p_1"
	if _, _, err := host.Claim(t.Context(), third); code(err) != conflict+" used" {
		t.Errorf("the yes is spent twice: %v", err)
	}
	if got, err := host.Approval(t.Context(), "p_1"); !got.Used || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestYesIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do    func(*testing.T, *ledger.Ledger, *ledger.Write)
		after time.Duration
		want  string
	}{
		"unknown":      {func(_ *testing.T, _ *ledger.Ledger, w *ledger.Write) { w.ApprovalID = "p_2" }, 0, conflict + " unknown"},
		"nobody spoke": {func(*testing.T, *ledger.Ledger, *ledger.Write) {}, 0, conflict + " undecided"},
		"declined":     {func(t *testing.T, l *ledger.Ledger, _ *ledger.Write) { mustDecide(t, l, "p_1", ledger.Declined) }, 0, string(tools.CodeConfirmationDeclined)},
		"taken back": {func(t *testing.T, l *ledger.Ledger, _ *ledger.Write) {
			mustDecide(t, l, "p_1", ledger.Approved)
			mustDecide(t, l, "p_1", ledger.Declined)
		}, 0, string(tools.CodeConfirmationDeclined)},
		"other arguments": {func(t *testing.T, l *ledger.Ledger, w *ledger.Write) {
			mustDecide(t, l, "p_1", ledger.Approved)
			w.BodyHash = "other"
		}, 0, conflict + " altered"},
		"another session": {func(t *testing.T, l *ledger.Ledger, w *ledger.Write) {
			mustDecide(t, l, "p_1", ledger.Approved)
			w.Session = "s_2"
		}, 0, conflict + " altered"},
		"a day later": {func(t *testing.T, l *ledger.Ledger, _ *ledger.Write) { mustDecide(t, l, "p_1", ledger.Approved) }, 24 * time.Hour, conflict + " expired"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, l, w := asked(t)
			w.ApprovalID = "p_1"
			c.do(t, l, &w)
			now.pass(c.after)
			w.Deadline = now.now().Add(minute)
			if _, _, err := l.Claim(t.Context(), w); code(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			w.ApprovalID = ""
			if key, err := l.MatchInDoubt(t.Context(), w); key != "" || err != nil {
				t.Errorf("the refused claim left something: %q, %v", key, err)
			}
		})
	}
}

// Until the write has happened a person may say otherwise; then, and after its
// time, nobody says anything to it any more.
func TestAPersonMaySayOtherwise(t *testing.T) {
	t.Parallel()
	now, l, w := asked(t)
	for _, d := range []ledger.Decision{ledger.Declined, ledger.Approved, ledger.Declined, ledger.Approved, ledger.Approved} {
		mustDecide(t, l, "p_1", d)
		yes, err := l.Decided(t.Context(), w)
		if d == ledger.Approved != (yes.ID == "p_1" && err == nil) || d == ledger.Declined != (code(err) == string(tools.CodeConfirmationDeclined)) {
			t.Errorf("%v: %q, %v", d, yes.ID, err)
		}
	}
	w.ApprovalID = "p_1"
	mustFinish(t, mustClaim(t, l, w), "c1")
	other := write("late", now.now())
	other.BodyHash = "other"
	mustAsk(t, l, other, question("p_2"))
	now.pass(24 * time.Hour)
	for id, want := range map[string]string{"p_1": "used", "p_2": "expired", "p_3": "unknown"} {
		for _, d := range []ledger.Decision{ledger.Approved, ledger.Declined} {
			if a, err := l.Decide(t.Context(), id, d, "console"); code(err) != conflict+" "+want || a.ID != "" {
				t.Errorf("%s: %+v, %v", id, a, err)
			}
		}
	}
	if ids := waiting(t, l, ledger.ApprovalFilter{}); ids != nil {
		t.Errorf("an expired question waits: %v", ids)
	}
}

func TestNoStandsUntilTheQuestionExpires(t *testing.T) {
	t.Parallel()
	now, l, w := asked(t)
	mustDecide(t, l, "p_1", ledger.Declined)
	for range 2 {
		if got := said(t, l, w); got != string(tools.CodeConfirmationDeclined) {
			t.Errorf("got %q", got)
		}
	}
	now.pass(24 * time.Hour)
	if got := said(t, l, w); got != "" {
		t.Errorf("a day later: %q", got)
	}
}

// A caller that asks again and again gets one question, whose id stays good
// while it promises the same; another promise takes its place.
func TestAskingAgain(t *testing.T) {
	t.Parallel()
	now, l, w := asked(t)
	now.pass(time.Second)
	same := question("p_2")
	same.Preview = question("p_1").Preview
	if got := mustAsk(t, l, w, same); got.ID != "p_1" || !got.Asked.Equal(now.now().Add(-time.Second)) {
		t.Errorf("the same again: %+v", got)
	}
	if got := mustAsk(t, l, w, question("p_3")); got.ID != "p_3" {
		t.Errorf("another promise: %+v", got)
	}
	other := w
	other.Document = "b.md"
	now.pass(time.Second)
	mustAsk(t, l, other, question("p_4"))
	for _, c := range []struct {
		filter ledger.ApprovalFilter
		want   []string
	}{
		{ledger.ApprovalFilter{}, []string{"p_3", "p_4"}},
		{ledger.ApprovalFilter{Document: "b.md"}, []string{"p_4"}},
		{ledger.ApprovalFilter{Session: "s_1", Document: "a.md"}, []string{"p_3"}},
		{ledger.ApprovalFilter{Session: "s_2", Over: true}, nil},
	} {
		if d := cmp.Diff(c.want, waiting(t, l, c.filter)); d != "" {
			t.Errorf("%+v: %s", c.filter, d)
		}
	}
	now.pass(24 * time.Hour) // an expired question is put anew, the same or not
	if got := mustAsk(t, l, w, question("p_5")); got.ID != "p_5" {
		t.Errorf("a day later: %+v", got)
	}
	if d := cmp.Diff([]string{"p_4", "p_5"}, waiting(t, l, ledger.ApprovalFilter{Over: true})); d != "" {
		t.Error(d)
	}
}
