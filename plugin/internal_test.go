package plugin

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

func aWrite(call, key string) trail {
	return trail{call: tools.Call{ToolCallID: call, IdempotencyKey: tools.Key(key), SessionID: "s"}, hash: "h"}
}

// An allowance of two a second with a burst of three, moment by moment.
func TestRate(t *testing.T) {
	t.Parallel()
	r := newRate(Limits{CallsPerSecond: 2, Burst: 3})
	start := time.Date(2026, 6, 7, 12, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		after time.Duration
		wait  int64 // ms; 0 is allowed
	}{
		{0, 0}, {0, 0}, {0, 0}, {0, 500}, {100 * time.Millisecond, 400}, {500 * time.Millisecond, 0}, {500 * time.Millisecond, 500},
		{400 * time.Millisecond, 600}, // the clock went back: nothing is gained or lost
		{time.Hour, 0}, {time.Hour, 0}, {time.Hour, 0}, {time.Hour, 500},
	} {
		err := r.take(start.Add(c.after))
		if err == nil && c.wait == 0 {
			continue
		}
		if e := tools.AsError(err); err == nil || e.Code != tools.CodeRateLimited || e.Details["retryAfterMs"] != c.wait {
			t.Errorf("call %d: %v, want a wait of %d ms", i, err, c.wait)
		}
	}
	if err := newRate(Limits{CallsPerSecond: -1}.filled()).take(start); err != nil {
		t.Error(err)
	}
	for perSecond, burst := range map[int]int{0: 2000, 5: 50} {
		if got := (Limits{CallsPerSecond: perSecond}).filled().Burst; got != burst {
			t.Errorf("at %d a second the burst is %d, want %d: ten seconds' worth", perSecond, got, burst)
		}
	}
}

// What is pending for equal writes, and what an equal one without a key is
// told.
func TestPending(t *testing.T) {
	t.Parallel()
	match := func(t *testing.T, p *pending) string {
		key, err := p.match(t.Context(), sameWrite(aWrite("", "")))
		if err != nil {
			t.Error(err)
		}
		return string(key)
	}
	for name, c := range map[string]struct {
		do   func(p *pending)
		want string
		took time.Duration
	}{
		"nothing":              {func(*pending) {}, "", 0},
		"handed and delivered": {func(p *pending) { p.hand(aWrite("c", "k")); p.delivered("c") }, "", 0},
		"handed and dropped":   {func(p *pending) { p.hand(aWrite("c", "k")) }, "k", deliveryPatience},
		"delivered meanwhile": {func(p *pending) {
			p.hand(aWrite("c", "k"))
			time.AfterFunc(time.Millisecond, func() { p.delivered("c") })
		}, "", time.Millisecond},
		"left and answered":      {func(p *pending) { p.leave(aWrite("c", "k"))(true) }, "k", 0},
		"left and not answered":  {func(p *pending) { p.leave(aWrite("c", "k"))(false) }, "", 0},
		"left, answered in time": {func(p *pending) { f := p.leave(aWrite("c", "k")); time.AfterFunc(time.Second, func() { f(true) }) }, "k", time.Second},
		"delivered to its retry": {func(p *pending) { p.leave(aWrite("c", "k"))(true); p.hand(aWrite("r", "k")); p.delivered("r") }, "", 0},
		"another write":          {func(p *pending) { w := aWrite("c", "k"); w.hash = "other"; p.hand(w) }, "", 0},
		"one of two delivered":   {func(p *pending) { p.hand(aWrite("a", "ka")); p.hand(aWrite("b", "kb")); p.delivered("a") }, "kb", deliveryPatience},
		"a call nobody knows":    {func(p *pending) { p.delivered("x") }, "", 0},
		"more than it remembers": {func(p *pending) {
			p.hand(aWrite("c", "k"))
			for range maxPending {
				w := aWrite("d", "l")
				w.hash = "other"
				p.hand(w)
			}
		}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &pending{}
				c.do(p)
				start := time.Now()
				if got := match(t, p); got != c.want || time.Since(start) != c.took {
					t.Errorf("got %q after %v", got, time.Since(start))
				}
			})
		})
	}
}

// Waiting for what is pending ends with the caller.
func TestPendingCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := &pending{}
	p.leave(aWrite("c", "k"))
	if _, err := p.match(ctx, sameWrite(aWrite("", ""))); err == nil {
		t.Error("no error")
	}
}

// Every step is passed only by what the step before gave; an end goes past all
// that follow.
func TestThen(t *testing.T) {
	t.Parallel()
	ran := 0
	step := func(_ context.Context, c callArrived) (callArrived, error) {
		ran++
		c.hash += "x"
		if c.hash == "xx" {
			return callArrived{}, gaveUp(context.Background())
		}
		return c, nil
	}
	ctx := context.Background()
	end := then(ctx, then(ctx, then(ctx, begin(callArrived{}), step), step), step)
	if ran != 2 || end.end == nil || end.last.hash != "x" {
		t.Errorf("%d steps, %+v", ran, end)
	}
}

// The header that goes out is a W3C one whatever came in, and the trace id is
// its own where it was taken over.
func FuzzTrace(f *testing.F) {
	for _, seed := range []string{"", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-x", "ff-0-0-0"} {
		f.Add(seed)
	}
	s := New(Config{}).Session(SessionConfig{})
	f.Fuzz(func(t *testing.T, parent string) {
		id, header := s.trace(parent, "call_1")
		m := traceForm().FindStringSubmatch(header)
		if m == nil || strings.ContainsAny(header, "\r\n") {
			t.Fatalf("%q gives %q", parent, header)
		}
		if header == parent && m[1] != id {
			t.Errorf("%q gives the id %q", parent, id)
		}
	})
}
