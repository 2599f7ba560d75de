package ledger_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

func TestFinishedWriteIsReplayed(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	l := open(t, path, now)
	w := write("k", now.now())
	if got, err := l.Find(t.Context(), w); got != nil || err != nil {
		t.Fatalf("before: %v, %v", got, err)
	}
	mustFinish(t, mustClaim(t, l, w), "c1")

	want := answer("c1")
	want.Audit.Replayed = true
	for name, look := range map[string]*ledger.Ledger{"same process": l, "another process": open(t, path, now)} {
		got, err := look.Find(t.Context(), w)
		if err != nil || got == nil {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		if d := cmp.Diff(string(want.JSON()), string(got.JSON())); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		c, again, err := look.Claim(t.Context(), w)
		if err != nil || c.Key() != "k" || cmp.Diff(got.JSON(), again.JSON()) != "" {
			t.Errorf("%s: claim gives %v, %v, %v", name, c, again, err)
		}
	}
}

func TestAKeyBelongsToOneWrite(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	mustFinish(t, mustClaim(t, l, write("k", now.now())), "c1")

	other := write("k", now.now())
	other.BodyHash = "other"
	_, err := l.Find(t.Context(), other)
	if got, want := code(err), string(tools.CodeIdempotencyConflict)+" other_content"; got != want {
		t.Errorf("find: %s", got)
	}
	_, _, err = l.Claim(t.Context(), other)
	if got, want := code(err), string(tools.CodeIdempotencyConflict)+" other_content"; got != want {
		t.Errorf("claim: %s", got)
	}
	for name, change := range map[string]func(*ledger.Key){
		"kernel":    func(k *ledger.Key) { k.Kernel = "https://x" },
		"workspace": func(k *ledger.Key) { k.Workspace = "ws_2" },
		"actor":     func(k *ledger.Key) { k.Actor = "u_2" },
		"profile":   func(k *ledger.Key) { k.Profile = "q" },
		"tool":      func(k *ledger.Key) { k.Tool = "mnote.page.update_title" },
		"key":       func(k *ledger.Key) { k.Key = "K" },
		"a shifted border": func(k *ledger.Key) {
			k.Workspace, k.Actor = k.Workspace+k.Actor[:1], k.Actor[1:]
		},
	} {
		w := write("k", now.now())
		change(&w.Key)
		if got, err := l.Find(t.Context(), w); got != nil || err != nil {
			t.Errorf("another %s is the same write: %v, %v", name, got, err)
		}
	}
}

func TestConflictIsSeenWhileTheFirstIsUnderWay(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	mustClaim(t, l, write("k", now.now()))
	other := write("k", now.now())
	other.BodyHash = "other"
	if _, _, err := l.Claim(t.Context(), other); !errors.Is(err, &tools.Error{Code: tools.CodeIdempotencyConflict}) {
		t.Errorf("got %v", err)
	}
}

func TestReleasedKeyIsFree(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	w := write("k", now.now())
	check(t, mustClaim(t, l, w).Release(t.Context(), refused("1")))
	if key, err := l.MatchInDoubt(t.Context(), w); key != "" || err != nil {
		t.Errorf("a released write is a retry of %q, %v", key, err)
	}
	w.BodyHash = "other" // nothing happened under the key, so it is free for anything
	if c := mustClaim(t, l, w); c.Again() || c.Key() != "k" {
		t.Errorf("again %v, key %q", c.Again(), c.Key())
	}
}

func TestDoubtKeepsTheKeyForTheRetry(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	w := write("k", now.now())
	l := open(t, path, now)
	check(t, mustClaim(t, l, w).Doubt(t.Context(), tools.CodeTimeout, refused("1")))

	// A retry that sends nothing leaves the doubt as it is.
	retry := mustClaim(t, open(t, path, now), w)
	if !retry.Again() {
		t.Error("the retry does not know that it is one")
	}
	check(t, retry.Release(t.Context(), refused("2")))
	if key, err := l.MatchInDoubt(t.Context(), w); key != "k" || err != nil {
		t.Errorf("after the release: %q, %v", key, err)
	}
	mustFinish(t, mustClaim(t, l, w), "c1")
	if got, err := l.Find(t.Context(), w); got == nil || err != nil {
		t.Errorf("after the retry: %v, %v", got, err)
	}
}

func TestLateAnswerServesTheRetry(t *testing.T) {
	t.Parallel()
	now := newClock()
	l := open(t, dbPath(t), now)
	w := write("k", now.now())
	c := mustClaim(t, l, w)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the call was cancelled: its end is written all the same
	check(t, c.Doubt(ctx, tools.CodeCancelled, refused("1")))
	check(t, c.Late(ctx, answer("late")))

	key, err := l.MatchInDoubt(t.Context(), w)
	if key != "k" || err != nil {
		t.Fatalf("no retry: %q, %v", key, err)
	}
	got, err := l.Find(t.Context(), w)
	if err != nil || got == nil || *got.Audit.CommandID != "late" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestLeaseRunsOut(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	w := write("k", now.now())
	dead := mustClaim(t, open(t, path, now), w)

	now.pass(minute + 5*time.Second - time.Microsecond)
	l := open(t, path, now)
	w.Deadline = now.now() // no time to wait
	if _, _, err := l.Claim(t.Context(), w); code(err) != string(tools.CodeTimeout) {
		t.Fatalf("before the lease ran out: %v", err)
	}
	now.pass(time.Microsecond)
	w.Deadline = now.now().Add(minute)
	heir := mustClaim(t, l, w)
	if !heir.Again() {
		t.Error("the heir does not know that the write may have been sent")
	}

	// Whatever the one who lost the key still does, it is not his to give away.
	check(t, dead.Release(t.Context(), refused("1")))
	check(t, dead.Doubt(t.Context(), tools.CodeTimeout, refused("2")))
	third := write("k", now.now())
	third.Deadline = now.now()
	if _, _, err := l.Claim(t.Context(), third); code(err) != string(tools.CodeTimeout) {
		t.Errorf("the heir's key was given away: %v", err)
	}

	// The first answer stays, whoever brings it.
	mustFinish(t, dead, "first")
	mustFinish(t, heir, "second")
	got, err := l.Find(t.Context(), w)
	if err != nil || got == nil || *got.Audit.CommandID != "first" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestWaitersGetTheAnswer(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	l := open(t, path, nil)
	w := write("k", time.Now())
	c := mustClaim(t, l, w)
	var wg sync.WaitGroup
	for _, waiter := range []*ledger.Ledger{l, l, open(t, path, nil)} {
		wg.Go(func() {
			c, stored, err := waiter.Claim(t.Context(), w)
			if err != nil || c.Key() != "k" || stored == nil || *stored.Audit.CommandID != "c1" {
				t.Errorf("waiter got %v, %v, %v", c, stored, err)
			}
		})
	}
	mustFinish(t, c, "c1")
	wg.Wait()
}

func TestAWaiterTakesWhatIsReleased(t *testing.T) {
	t.Parallel()
	l := open(t, dbPath(t), nil)
	w := write("k", time.Now())
	c := mustClaim(t, l, w)
	got := make(chan *ledger.Claim)
	go func() {
		c, _, err := l.Claim(context.Background(), w)
		if err != nil {
			t.Error(err)
		}
		got <- c
	}()
	check(t, c.Release(t.Context(), refused("1")))
	if c := <-got; c == nil || c.Again() {
		t.Errorf("got %v", c)
	}
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	l := open(t, dbPath(t), nil)
	mustClaim(t, l, write("k", time.Now()))
	const soon = 30 * time.Millisecond
	plain := func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }
	for name, c := range map[string]struct {
		context func(context.Context) (context.Context, context.CancelFunc)
		left    time.Duration
		want    string
	}{
		"its deadline": {plain, soon, string(tools.CodeTimeout)},
		"its context": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, soon)
		}, minute, string(tools.CodeTimeout)},
		"it was cancelled": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, stop := context.WithCancel(ctx)
			time.AfterFunc(soon, stop)
			return ctx, stop
		}, minute, string(tools.CodeCancelled)},
		"it comes too late": {plain, -minute, string(tools.CodeTimeout)},
	} {
		t.Run(name, func(t *testing.T) {
			w := write("k", time.Now())
			w.Deadline = time.Now().Add(c.left)
			ctx, stop := c.context(t.Context())
			defer stop()
			_, _, err := l.Claim(ctx, w)
			if code(err) != c.want {
				t.Fatalf("got %v", err)
			}
			e := tools.AsError(err)
			if e.Code == tools.CodeTimeout && (e.Details["outcome"] != "unknown" || e.Details["idempotencyKey"] != "k") {
				t.Errorf("details %v", e.Details)
			}
		})
	}
}

func TestClaimWantsAKeyABodyAndADeadline(t *testing.T) {
	t.Parallel()
	l := open(t, dbPath(t), nil)
	for name, change := range map[string]func(*ledger.Write){
		"key":      func(w *ledger.Write) { w.Key.Key = "" },
		"body":     func(w *ledger.Write) { w.BodyHash = "" },
		"deadline": func(w *ledger.Write) { w.Deadline = time.Time{} },
	} {
		w := write("k", time.Now())
		change(&w)
		if c, _, err := l.Claim(t.Context(), w); c != nil || tools.AsError(err).Code != tools.CodeInternal {
			t.Errorf("without %s: %v, %v", name, c, err)
		}
	}
}

func TestEmptyClaimOnlyRecords(t *testing.T) {
	t.Parallel()
	l := open(t, dbPath(t), nil)
	c := l.Empty()
	if c.Again() || c.Key() != "" {
		t.Error("the empty claim has a key")
	}
	check(t, c.Finish(t.Context(), answer("x"), read("1")))
	check(t, l.Empty().Doubt(t.Context(), tools.CodeTimeout, refused("2")))
	check(t, l.Empty().Release(t.Context(), refused("3")))
	check(t, l.Empty().Late(t.Context(), answer("x")))
	got := calls(t, l, ledger.Filter{})
	slices.Sort(got) // the read joins when its batch is due
	if d := cmp.Diff([]string{"1", "2", "3"}, got); d != "" {
		t.Error(d)
	}
}
