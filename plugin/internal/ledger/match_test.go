package ledger_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// leftover is a write that was left behind, and says whether an equal one
// without a key is its retry, for the process that made it and for another one.
type leftover struct {
	leave        func(*testing.T, *ledger.Ledger, ledger.Write)
	after        time.Duration
	own, another bool
}

func finish(t *testing.T, l *ledger.Ledger, w ledger.Write) { mustFinish(t, mustClaim(t, l, w), "c1") }

var leftovers = map[string]leftover{
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
}

// each runs f on every leftover, as its own process and as another one; want is
// the key that a retry has, "" where the write is no retry.
func eachLeftover(t *testing.T, f func(t *testing.T, l *ledger.Ledger, now *clock, want tools.Key)) {
	for name, c := range leftovers {
		for who, retries := range map[string]bool{"own": c.own, "another": c.another} {
			t.Run(name+", "+who+" process", func(t *testing.T) {
				t.Parallel()
				path, now := dbPath(t), newClock()
				l := open(t, path, now)
				c.leave(t, l, write("k", now.now()))
				now.pass(c.after)
				if who == "another" {
					l = open(t, path, now)
				}
				want := tools.Key("")
				if retries {
					want = "k"
				}
				f(t, l, now, want)
			})
		}
	}
}

func TestMatchInDoubt(t *testing.T) {
	t.Parallel()
	eachLeftover(t, func(t *testing.T, l *ledger.Ledger, now *clock, want tools.Key) {
		if got, err := l.MatchInDoubt(t.Context(), write("ignored", now.now())); got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	})
}

// A bare write finds out in its claim what it repeats, and goes under that key.
func TestBareClaim(t *testing.T) {
	t.Parallel()
	eachLeftover(t, func(t *testing.T, l *ledger.Ledger, now *clock, want tools.Key) {
		w := write("made", now.now())
		w.Bare, w.Deadline = true, now.now() // waits for nobody
		if want == "" {
			want = "made"
		}
		c, _, err := l.Claim(t.Context(), w)
		if e, held := errors.AsType[*tools.Error](err); held && e.Code == tools.CodeTimeout { // the other one has it still
			if key := e.Details["idempotencyKey"]; key != string(want) {
				t.Errorf("waits for the key %v, want %s", key, want)
			}
			return
		}
		if err != nil || c.Key() != want {
			t.Errorf("%v, %v, want %s", c, err, want)
		}
	})
}

// One that waited for an equal write is that write, although its answer was
// delivered to the other caller meanwhile.
func TestBareClaimKeepsTheKeyItWaitsFor(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	l := open(t, path, nil)
	c := mustClaim(t, l, write("k", time.Now()))
	var looks atomic.Int64
	waits := make(chan struct{})
	other := ledger.Open(ledger.Config{Path: path, Now: func() time.Time {
		if looks.Add(1) == 4 { // two in the first look, two when it begins to wait
			close(waits)
		}
		return time.Now()
	}})
	defer other.Close()
	got := make(chan *ledger.Claim)
	bare := write("made", time.Now())
	bare.Bare, bare.ToolCallID = true, "call_other"
	go func() {
		claim, stored, err := other.Claim(t.Context(), bare)
		if stored == nil || err != nil {
			t.Errorf("%v, %v", stored, err)
		}
		got <- claim
	}()
	<-waits
	mustFinish(t, c, "c1")
	l.Delivered("call_k")
	calls(t, l, ledger.Filter{})
	if claim := <-got; claim.Key() != "k" {
		t.Errorf("it went under %q", claim.Key())
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
