package ledger_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

func question(id string, w ledger.Write) ledger.Approval {
	return ledger.Approval{
		ID: id, Write: w, Agent: "hermes", Revision: 7, Question: "保存 a.md？", Preview: json.RawMessage(`{"diff":"+x"}`),
	}
}

func mustDecide(tb testing.TB, l *ledger.Ledger, id string, d ledger.Decision) {
	tb.Helper()
	if _, err := l.Decide(tb.Context(), id, d, "terminal"); err != nil {
		tb.Fatal(err)
	}
}

// A write waits, a person says yes in another process, and the same arguments
// then pass once.
func TestApprovedWritePassesOnce(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	host, terminal := open(t, path, now), open(t, path, now)
	w := write("k", now.now())
	if id, err := host.Decided(t.Context(), w); id != "" || err != nil {
		t.Fatalf("before anyone was asked: %q, %v", id, err)
	}
	check(t, host.Ask(t.Context(), question("p_1", w)))
	if id, err := host.Decided(t.Context(), w); id != "" || err != nil {
		t.Errorf("before anyone spoke: %q, %v", id, err)
	}

	waiting, err := terminal.Waiting(t.Context())
	check(t, err)
	want := question("p_1", ledger.Write{
		Key:     ledger.Key{Tool: "mnote.page.save", Workspace: "ws_1", Actor: "u_1"},
		Session: "s_1", Document: "a.md",
	})
	want.Asked, want.Expires = now.now(), now.now().Add(24*time.Hour)
	if d := cmp.Diff([]ledger.Approval{want}, waiting); d != "" {
		t.Error(d)
	}
	got, err := terminal.Decide(t.Context(), "p_1", ledger.Approved, "terminal")
	if err != nil || got.Decision != ledger.Approved || got.By != "terminal" || !got.Decided.Equal(now.now()) {
		t.Errorf("%+v, %v", got, err)
	}
	if waiting, err := host.Waiting(t.Context()); len(waiting) != 0 || err != nil {
		t.Errorf("still waiting: %v, %v", waiting, err)
	}

	second := write("k2", now.now()) // the model sends it again, under a new key
	if second.ApprovalID, err = host.Decided(t.Context(), second); second.ApprovalID != "p_1" || err != nil {
		t.Fatalf("%q, %v", second.ApprovalID, err)
	}
	mustFinish(t, mustClaim(t, host, second), "c1")
	third := write("k3", now.now())
	if id, err := host.Decided(t.Context(), third); id != "" || err != nil {
		t.Errorf("the yes serves twice: %q, %v", id, err)
	}
	third.ApprovalID = "p_1"
	if _, _, err := host.Claim(t.Context(), third); code(err) != conflict+" used" {
		t.Errorf("the yes is spent twice: %v", err)
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
			now := newClock()
			l := open(t, dbPath(t), now)
			w := write("k", now.now())
			check(t, l.Ask(t.Context(), question("p_1", w)))
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

func TestAPersonSpeaksOnce(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	for id, key := range map[string]string{"yes": "k1", "no": "k2", "late": "k3"} {
		w := write(key, now.now())
		w.BodyHash = key
		check(t, l.Ask(t.Context(), question(id, w)))
	}
	mustDecide(t, l, "yes", ledger.Approved)
	mustDecide(t, l, "no", ledger.Declined)
	for id, want := range map[string]string{"yes": "decided", "no": "decided", "none": "unknown"} {
		for _, d := range []ledger.Decision{ledger.Approved, ledger.Declined} {
			if _, err := l.Decide(t.Context(), id, d, "console"); code(err) != conflict+" "+want {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
	now.pass(24 * time.Hour)
	if _, err := l.Decide(t.Context(), "late", ledger.Approved, "console"); code(err) != conflict+" expired" {
		t.Errorf("late: %v", err)
	}
	if waiting, err := l.Waiting(t.Context()); len(waiting) != 0 || err != nil {
		t.Errorf("an expired question waits: %v, %v", waiting, err)
	}
}

func TestNoStandsUntilTheQuestionExpires(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	w := write("k", now.now())
	check(t, l.Ask(t.Context(), question("p_1", w)))
	mustDecide(t, l, "p_1", ledger.Declined)
	for range 2 {
		if _, err := l.Decided(t.Context(), w); code(err) != string(tools.CodeConfirmationDeclined) {
			t.Errorf("got %v", err)
		}
	}
	now.pass(24 * time.Hour)
	if id, err := l.Decided(t.Context(), w); id != "" || err != nil {
		t.Errorf("a day later: %q, %v", id, err)
	}
}

// Asking again about the same write shows the newest dry run, once.
func TestAskingAgainReplacesTheQuestion(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	w := write("k", now.now())
	check(t, l.Ask(t.Context(), question("p_1", w)))
	check(t, l.Ask(t.Context(), question("p_2", w)))
	other := w
	other.Document = "b.md"
	now.pass(time.Second)
	check(t, l.Ask(t.Context(), question("p_3", other)))
	waiting, err := l.Waiting(t.Context())
	check(t, err)
	var ids []string
	for _, a := range waiting {
		ids = append(ids, a.ID)
	}
	if d := cmp.Diff([]string{"p_2", "p_3"}, ids); d != "" {
		t.Error(d)
	}
}

func TestReleasedClaimGivesTheYesBack(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	w := write("k", now.now())
	check(t, l.Ask(t.Context(), question("p_1", w)))
	mustDecide(t, l, "p_1", ledger.Approved)
	w.ApprovalID = "p_1"
	check(t, mustClaim(t, l, w).Release(t.Context(), refused("1")))
	if id, err := l.Decided(t.Context(), w); id != "p_1" || err != nil {
		t.Errorf("after the release: %q, %v", id, err)
	}
	check(t, mustClaim(t, l, w).Doubt(t.Context(), tools.CodeTimeout, refused("2")))
	if id, err := l.Decided(t.Context(), w); id != "p_1" || err != nil {
		t.Errorf("the retry of what is in doubt: %q, %v", id, err)
	}
	w2 := w
	w2.Key.Key = "k2"
	if id, err := l.Decided(t.Context(), w2); id != "" || err != nil {
		t.Errorf("another write: %q, %v", id, err)
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
		check(t, l.Ask(t.Context(), question(key, w)))
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
				got[id] = a.Preview != nil
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
	check(t, l.Ask(t.Context(), question("p_1", write("", time.Now()))))
	mustDecide(t, l, "p_1", ledger.Approved)
	children := make([]*child, processes)
	for i := range children {
		children[i] = start(t, "spend", path, fmt.Sprint(i))
	}
	for _, c := range children {
		_ = c.in.Close()
	}
	got := map[string]int{}
	for _, c := range children {
		got[c.line(t)]++
		c.wait(t)
	}
	if d := cmp.Diff(map[string]int{"spent": 1, conflict + " used": processes - 1}, got); d != "" {
		t.Error(d)
	}
}
