package capabilities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

// TestRefresh: a new manifest is in force when Refresh returns, kept for the
// next start, and asked for by its etag; an equal one changes nothing.
func TestRefresh(t *testing.T) {
	t.Parallel()
	k := &kernel{tb: t, doc: doc("one", "mnote.a.b")}
	var kept []string
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := NewRegistry(Config{Source: k, Save: func(d []byte) error { kept = append(kept, string(d)); return errors.New("disk full") }, Now: func() time.Time { return now }})
	for range 3 {
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s := r.Snapshot(); s.Version() != "one" || s.Generation() != 2 || !r.Seen().Equal(now) {
		t.Errorf("version %s, generation %d, seen %v", s.Version(), s.Generation(), r.Seen())
	}
	k.set(doc("two", "mnote.a.b", "mnote.a.c"))
	k.breakWith(errors.New("refused"))
	if err := r.Refresh(t.Context()); err == nil || r.Snapshot().Version() != "one" {
		t.Errorf("a kernel that fails: %v, version %s", err, r.Snapshot().Version())
	}
	k.breakWith(nil)
	held := r.Snapshot()
	if err := r.Refresh(t.Context()); err != nil || r.Snapshot().Generation() != 3 {
		t.Errorf("%v, generation %d", err, r.Snapshot().Generation())
	}
	if diff := cmp.Diff([]string{"mnote.a.b"}, namesOf(held.Tools())); diff != "" {
		t.Errorf("a snapshot changed: %s", diff)
	}
	if diff := cmp.Diff([]string{doc("one", "mnote.a.b"), doc("two", "mnote.a.b", "mnote.a.c")}, kept); diff != "" {
		t.Error(diff)
	}
	one := fmt.Sprintf("%q", doc("one", "mnote.a.b"))
	if diff := cmp.Diff([]string{"", one, one, one, one}, k.etags); diff != "" {
		t.Error(diff)
	}
}

// TestRefreshWithoutETag: a kernel that knows no etag sends the same bytes
// again; that is no change, and its warnings are not told again.
func TestRefreshWithoutETag(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	saved := 0
	src := source(func(context.Context, string) (Manifest, error) {
		return Read([]byte(`{"tools":[{"name":"mnote.a.b"},{"name":"no"}]}`))
	})
	r := NewRegistry(Config{Source: src, Log: zerolog.New(&log), Save: func([]byte) error { saved++; return nil }})
	for range 5 {
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || saved != 1 || r.Snapshot().Generation() != 2 {
		t.Errorf("%d lines, saved %d times, generation %d", n, saved, r.Snapshot().Generation())
	}
}

// TestGeneration: it grows by a real difference only.
func TestGeneration(t *testing.T) {
	t.Parallel()
	k := &kernel{tb: t, doc: doc("v", "mnote.a.b")}
	r := NewRegistry(Config{Source: k})
	steps := []struct {
		what, doc string
		grows     bool
	}{
		{"first answer", doc("v", "mnote.a.b"), true},
		{"blanks and a new member", strings.Replace(doc("v", "mnote.a.b"), "{", `{ "seen":1,`, 1), false},
		{"a new tool", doc("v", "mnote.a.b", "mnote.a.c"), true},
		{"a tool switched off", doc("v", "mnote.a.b", "mnote.a.c!"), true},
		{"another order", doc("v", "mnote.a.c!", "mnote.a.b"), true},
		{"another title", doc("w", "mnote.a.c!", "mnote.a.b"), true},
		{"a pack switched off", strings.Replace(doc("w", "mnote.a.c!", "mnote.a.b"), `"id":"p"`, `"id":"p","enabled":false`, 1), true},
	}
	for _, step := range steps {
		before := r.Snapshot().Generation()
		k.set(step.doc)
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if grew := r.Snapshot().Generation() == before+1; grew != step.grows {
			t.Errorf("%s: generation %d after %d", step.what, r.Snapshot().Generation(), before)
		}
	}
}

// TestPoll: fetched at once, then every 30 s; a failing kernel is logged when it
// begins and when it ends, not at every poll; and the end of the session ends it.
func TestPoll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &kernel{tb: t, doc: doc("one", "mnote.a.b")}
		var log bytes.Buffer
		r := NewRegistry(Config{Source: k, Log: zerolog.New(&log)})
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		synctest.Wait()
		if v := r.Snapshot().Version(); v != "one" {
			t.Errorf("after the first fetch: %s", v)
		}
		k.set(doc("two", "mnote.a.b"))
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if v := r.Snapshot().Version(); v != "one" {
			t.Errorf("before the poll: %s", v)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if v := r.Snapshot().Version(); v != "two" {
			t.Errorf("after the poll: %s", v)
		}
		k.breakWith(errors.New("refused"))
		time.Sleep(5 * time.Minute)
		k.breakWith(nil)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if lines := strings.Count(log.String(), "\n"); lines != 2 {
			t.Errorf("log:\n%s", log.String())
		}
		cancel()
		synctest.Wait() // the bubble ends only when Run has
	})
}

// TestRunWithoutKernel waits for the end and does nothing else.
func TestRunWithoutKernel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		start := time.Now()
		NewRegistry(Config{}).Run(ctx)
		if time.Since(start) != time.Hour {
			t.Errorf("ended after %v", time.Since(start))
		}
	})
}
