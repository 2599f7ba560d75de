package ledger_test

import (
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// Each case leaves one write behind and says whether an equal one without a key
// is its retry, for the process that made it and for another one.
func TestMatchInDoubt(t *testing.T) {
	t.Parallel()
	finish := func(t *testing.T, l *ledger.Ledger, w ledger.Write) { mustFinish(t, mustClaim(t, l, w), "c1") }
	for name, c := range map[string]struct {
		leave        func(*testing.T, *ledger.Ledger, ledger.Write)
		after        time.Duration
		own, another bool
	}{
		"nothing": {leave: func(*testing.T, *ledger.Ledger, ledger.Write) {}},
		"in doubt": {leave: func(t *testing.T, l *ledger.Ledger, w ledger.Write) {
			check(t, mustClaim(t, l, w).Doubt(t.Context(), tools.CodeTimeout, refused("1")))
		}, own: true, another: true},
		"under way": {leave: func(t *testing.T, l *ledger.Ledger, w ledger.Write) { mustClaim(t, l, w) }, another: true},
		"lease ran out": {
			leave: func(t *testing.T, l *ledger.Ledger, w ledger.Write) { mustClaim(t, l, w) },
			after: minute + 5*time.Second, own: true, another: true,
		},
		"answer on its way": {leave: finish, another: true},
		"answer never came": {leave: finish, after: 11 * time.Minute, own: true, another: true},
		"answer delivered": {leave: func(t *testing.T, l *ledger.Ledger, w ledger.Write) {
			finish(t, l, w)
			l.Delivered(w.ToolCallID)
			calls(t, l, ledger.Filter{}) // reading records what waits
		}},
		"answer delivered, long ago": {leave: func(t *testing.T, l *ledger.Ledger, w ledger.Write) {
			finish(t, l, w)
			l.Delivered(w.ToolCallID)
			calls(t, l, ledger.Filter{})
		}, after: time.Hour},
		"released": {leave: func(t *testing.T, l *ledger.Ledger, w ledger.Write) {
			check(t, mustClaim(t, l, w).Release(t.Context(), refused("1")))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, now := dbPath(t), newClock()
			w := write("k", now.now())
			own := open(t, path, now)
			c.leave(t, own, w)
			now.pass(c.after)
			for who, l := range map[string]*ledger.Ledger{"own": own, "another": open(t, path, now)} {
				want := tools.Key("")
				if who == "own" && c.own || who == "another" && c.another {
					want = "k"
				}
				w := write("ignored", now.now())
				if got, err := l.MatchInDoubt(t.Context(), w); got != want || err != nil {
					t.Errorf("%s process: %q, %v, want %q", who, got, err, want)
				}
			}
		})
	}
}

func TestDeliveredCountsAtOnce(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	w := write("k", now.now())
	mustFinish(t, mustClaim(t, l, w), "c1")
	l.Delivered(w.ToolCallID)
	if key, err := l.MatchInDoubt(t.Context(), w); key != "" || err != nil {
		t.Errorf("got %q, %v", key, err)
	}
	l.Delivered("a call of no write")
}

// A replayed answer that arrives ends the doubt as well.
func TestDeliveredReplay(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	w := write("k", now.now())
	mustFinish(t, mustClaim(t, open(t, path, now), w), "c1") // and this process dies

	l := open(t, path, now)
	retry := w
	retry.ToolCallID = "call_2"
	if got, err := l.Find(t.Context(), retry); got == nil || err != nil {
		t.Fatalf("%v, %v", got, err)
	}
	l.Delivered("call_2")
	check(t, l.Close())
	if key, err := open(t, path, now).MatchInDoubt(t.Context(), w); key != "" || err != nil {
		t.Errorf("got %q, %v", key, err)
	}
}

func TestMatchInDoubtIsOnlyForAnEqualWrite(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	check(t, mustClaim(t, l, write("k", now.now())).Doubt(t.Context(), tools.CodeTimeout, refused("1")))
	for name, change := range map[string]func(*ledger.Write){
		"session":   func(w *ledger.Write) { w.Session = "s_2" },
		"document":  func(w *ledger.Write) { w.Document = "b.md" },
		"arguments": func(w *ledger.Write) { w.BodyHash = "other" },
		"tool":      func(w *ledger.Write) { w.Key.Tool = "mnote.page.update_title" },
		"actor":     func(w *ledger.Write) { w.Key.Actor = "u_2" },
		"kernel":    func(w *ledger.Write) { w.Key.Kernel = "other" },
		"workspace": func(w *ledger.Write) { w.Key.Workspace = "ws_2" },
		"profile":   func(w *ledger.Write) { w.Key.Profile = "q" },
	} {
		w := write("", now.now())
		change(&w)
		if key, err := l.MatchInDoubt(t.Context(), w); key != "" || err != nil {
			t.Errorf("another %s: %q, %v", name, key, err)
		}
	}
	if key, err := l.MatchInDoubt(t.Context(), write("", now.now())); key != "k" || err != nil {
		t.Errorf("equal: %q, %v", key, err)
	}
}

// B12: the kernel commits and its answer is lost on the way. The retry with the
// same key, and the one with no key but the same content, are that write; the
// same key with other content is refused. One page is made.
func TestB12LostAnswer(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	w := write("k", now.now())
	pages := map[tools.Key]bool{} // the kernel's own memory of keys
	create := func(l *ledger.Ledger, w ledger.Write, lost bool) {
		c, stored, err := l.Claim(t.Context(), w)
		check(t, err)
		if stored != nil {
			return
		}
		pages[c.Key()] = true
		if lost {
			check(t, c.Doubt(t.Context(), tools.CodeTimeout, refused("lost")))
			return
		}
		mustFinish(t, c, "c1")
	}
	create(open(t, path, now), w, true)
	create(open(t, path, now), w, true)

	l := open(t, path, now)
	bare := w
	key, err := l.MatchInDoubt(t.Context(), bare)
	check(t, err)
	bare.Key.Key = key
	create(l, bare, false)
	l.Delivered(bare.ToolCallID)
	if len(pages) != 1 {
		t.Errorf("pages under the keys %v", pages)
	}
	other := w
	other.BodyHash = "other"
	if _, _, err := l.Claim(t.Context(), other); code(err) != string(tools.CodeIdempotencyConflict)+" other_content" {
		t.Errorf("got %v", err)
	}
	if key, err := l.MatchInDoubt(t.Context(), w); key != "" || err != nil {
		t.Errorf("the next equal write is no new one: %q, %v", key, err)
	}
}
