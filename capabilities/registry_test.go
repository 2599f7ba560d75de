package capabilities

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

// source answers with f.
type source func(ctx context.Context, etag string) (Manifest, error)

func (f source) Manifest(ctx context.Context, etag string) (Manifest, error) { return f(ctx, etag) }

// kernel is a source whose manifest a test changes.
type kernel struct {
	tb    testing.TB
	mu    sync.Mutex
	doc   string
	etags []string // asked with
	fail  error
}

func (k *kernel) set(doc string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.doc = doc
}

func (k *kernel) breakWith(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fail = err
}

func (k *kernel) Manifest(_ context.Context, etag string) (Manifest, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.etags = append(k.etags, etag)
	tag := fmt.Sprintf("%q", k.doc)
	switch {
	case k.fail != nil:
		return Manifest{}, k.fail
	case etag == tag:
		return Manifest{}, ErrNotModified
	}
	m := mustRead(k.tb, []byte(k.doc))
	m.ETag = tag
	return m, nil
}

func doc(version string, tools ...string) string {
	var list []string
	for _, n := range tools {
		name, off := strings.CutSuffix(n, "!")
		list = append(list, fmt.Sprintf(`{"name":%q,"title":%q,"enabled":%v}`, name, version, !off))
	}
	return fmt.Sprintf(`{"manifestVersion":%q,"capabilities":[{"id":"p","skillId":"p"}],"tools":[%s]}`, version, strings.Join(list, ","))
}

// TestStart: from the last good manifest, else the first, else the fallback;
// a corrupt last good one is ignored with a warning.
func TestStart(t *testing.T) {
	t.Parallel()
	first := mustRead(t, []byte(doc("first", "mnote.a.b")))
	tests := map[string]struct {
		first   Manifest
		load    func() ([]byte, error)
		version string
		warns   string
	}{
		"nothing at all":           {Manifest{}, nil, "fallback-1", ""},
		"a first one":              {first, nil, "first", ""},
		"a last good one":          {first, func() ([]byte, error) { return []byte(doc("last", "mnote.a.b")), nil }, "last", ""},
		"none kept yet":            {first, func() ([]byte, error) { return nil, fs.ErrNotExist }, "first", ""},
		"kept, but empty":          {first, func() ([]byte, error) { return nil, nil }, "first", ""},
		"kept, but corrupt":        {first, func() ([]byte, error) { return []byte(`{"tools":[{`), nil }, "first", "corrupt"},
		"kept, but not to be read": {first, func() ([]byte, error) { return nil, errors.New("denied") }, "first", "cannot be read"},
		"kept, but without tools":  {first, func() ([]byte, error) { return []byte(`{"tools":[]}`), nil }, "fallback-1", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			r := NewRegistry(Config{First: tt.first, Load: tt.load, Log: zerolog.New(&log)})
			if s := r.Snapshot(); s.Version() != tt.version || s.Generation() != 1 {
				t.Errorf("version %q, generation %d", s.Version(), s.Generation())
			}
			if tt.warns == "" && log.Len() > 0 || !strings.Contains(log.String(), tt.warns) {
				t.Errorf("log %q", log.String())
			}
			if err := r.Refresh(t.Context()); err != nil || !r.Seen().IsZero() {
				t.Errorf("a registry without a kernel: %v, seen %v", err, r.Seen())
			}
		})
	}
}

// TestReadFirst: the first manifest is read only by a start that needs it.
func TestReadFirst(t *testing.T) {
	t.Parallel()
	last := func() ([]byte, error) { return []byte(doc("last", "mnote.a.b")), nil }
	first := mustRead(t, []byte(doc("first", "mnote.a.b")))
	tests := map[string]struct {
		config  Config
		version string
		read    int
	}{
		"nothing better":      {Config{}, "read", 1},
		"a last good one":     {Config{Load: last}, "last", 0},
		"a first one at hand": {Config{First: first}, "first", 0},
	}
	for name, tt := range tests {
		read := 0
		tt.config.ReadFirst = func() Manifest {
			read++
			return mustRead(t, []byte(doc("read", "mnote.a.b")))
		}
		if v := NewRegistry(tt.config).Snapshot().Version(); v != tt.version || read != tt.read {
			t.Errorf("%s: version %s, read %d times", name, v, read)
		}
	}
}

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

// TestSubscribe: only what a client would notice is told, and once. What was
// taken back at once is told too: a client may have looked in between.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	base := doc("v", "mnote.a.b", "mnote.a.c!")
	tests := map[string]struct {
		docs []string
		told int32
	}{
		"nothing new":                 {[]string{base}, 0},
		"a version only":              {[]string{strings.Replace(base, `"manifestVersion":"v"`, `"manifestVersion":"w"`, 1)}, 0},
		"a tool that is off, changed": {[]string{strings.Replace(base, `"name":"mnote.a.c","title":"v"`, `"name":"mnote.a.c","title":"w"`, 1)}, 0},
		"a planned tool":              {[]string{strings.Replace(base, `"tools":[`, `"tools":[{"name":"mnote.a.d","status":"planned"},`, 1)}, 0},
		"a new tool":                  {[]string{doc("v", "mnote.a.b", "mnote.a.c!", "mnote.a.d")}, 1},
		"a tool switched on":          {[]string{doc("v", "mnote.a.b", "mnote.a.c")}, 1},
		"a pack switched off":         {[]string{strings.Replace(base, `"id":"p"`, `"id":"p","enabled":false`, 1)}, 1},
		"three changes in one breath": {[]string{doc("w", "mnote.a.b"), doc("x", "mnote.a.b"), doc("y", "mnote.a.b")}, 1},
		"a switch flicked to and fro": {[]string{doc("v", "mnote.a.b!", "mnote.a.c!"), base}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := &kernel{tb: t, doc: base}
				r := NewRegistry(Config{First: mustRead(t, []byte(base)), Source: k})
				var told, other atomic.Int32
				cancel := r.Subscribe(func() { told.Add(1) })
				unsubscribed := r.Subscribe(func() { other.Add(1) })
				unsubscribed()
				for _, d := range tt.docs {
					k.set(d)
					if err := r.Refresh(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if told.Load() != tt.told || other.Load() != 0 {
					t.Errorf("told %d times, want %d; after cancel %d", told.Load(), tt.told, other.Load())
				}
				cancel()
			})
		})
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

// TestSingleFlight: calls that come together share a fetch, and none gets the
// answer of a fetch that began before it asked.
func TestSingleFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int32
		state := atomic.Value{}
		state.Store("old")
		src := source(func(ctx context.Context, _ string) (Manifest, error) {
			fetches.Add(1)
			d := doc(state.Load().(string), "mnote.a.b") // read at once, answered late
			select {
			case <-time.After(time.Second):
				return Read([]byte(d))
			case <-ctx.Done():
				return Manifest{}, ctx.Err()
			}
		})
		r := NewRegistry(Config{Source: src})
		var wg sync.WaitGroup
		wg.Go(func() { _ = r.Refresh(t.Context()) })
		synctest.Wait() // the first fetch is out and has read "old"
		state.Store("new")
		for range 50 {
			wg.Go(func() {
				if err := r.Refresh(t.Context()); err != nil || r.Snapshot().Version() != "new" {
					t.Errorf("%v, version %s", err, r.Snapshot().Version())
				}
			})
		}
		wg.Wait()
		if n := fetches.Load(); n != 2 {
			t.Errorf("%d fetches", n)
		}
	})
}

// TestGivingUp: a caller that leaves does not take the fetch from the others;
// the last one that leaves cancels it, and later calls are served.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var cancelled atomic.Int32
		src := source(func(ctx context.Context, _ string) (Manifest, error) {
			select {
			case <-time.After(10 * time.Second):
				return Read([]byte(doc("late", "mnote.a.b")))
			case <-ctx.Done():
				cancelled.Add(1)
				return Manifest{}, ctx.Err()
			}
		})
		r := NewRegistry(Config{Source: src})
		ask := func(patience time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			return r.Refresh(ctx)
		}
		var wg sync.WaitGroup
		var first, second, third error
		wg.Go(func() { first = ask(time.Second) })
		synctest.Wait()
		wg.Go(func() { second = ask(500 * time.Millisecond) }) // waits for the next flight and leaves it
		synctest.Wait()
		time.Sleep(600 * time.Millisecond)
		wg.Go(func() { third = ask(time.Minute) }) // must not board the flight that was left
		wg.Wait()
		if !errors.Is(first, context.DeadlineExceeded) || !errors.Is(second, context.DeadlineExceeded) || third != nil {
			t.Errorf("first %v, second %v, third %v", first, second, third)
		}
		if cancelled.Load() != 1 || r.Snapshot().Version() != "late" {
			t.Errorf("%d fetches cancelled, version %s", cancelled.Load(), r.Snapshot().Version())
		}
	})
}

// TestSchemasOfOurs: a tool without a schema gets the one of our own manifests,
// which is asked for only then; a stranger takes any object.
func TestSchemasOfOurs(t *testing.T) {
	t.Parallel()
	asked := 0
	shipped := func() Manifest {
		asked++
		return mustRead(t, []byte(`{"tools":[{"name":"mnote.doc.list","inputSchema":{"ours":1}}]}`))
	}
	NewRegistry(Config{First: mustRead(t, []byte(`{"tools":[{"name":"mnote.page.get","inputSchema":{"theirs":1}}]}`)), Shipped: shipped})
	if asked != 0 {
		t.Error("asked for nothing")
	}
	r := NewRegistry(Config{First: mustRead(t, []byte(`{"tools":[{"name":"mnote.doc.list"},{"name":"mnote.new.thing"},{"name":"mnote.page.get","inputSchema":{"theirs":1}}]}`)), Shipped: shipped})
	var got []string
	for _, tool := range r.Snapshot().All() {
		got = append(got, string(tool.InputSchema))
	}
	if diff := cmp.Diff([]string{`{"ours":1}`, `{"type":"object","properties":{}}`, `{"theirs":1}`}, got); diff != "" || asked != 1 {
		t.Errorf("asked %d times: %s", asked, diff)
	}
	bare := NewRegistry(Config{First: mustRead(t, []byte(`{"tools":[{"name":"mnote.new.thing"}]}`))})
	if got := string(bare.Snapshot().All()[0].InputSchema); got != `{"type":"object","properties":{}}` {
		t.Errorf("got %s", got)
	}
}

// TestConcurrentUse: readers, refreshers and subscribers at once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	src := source(func(context.Context, string) (Manifest, error) {
		return Read([]byte(doc(fmt.Sprint(n.Add(1)), "mnote.a.b")))
	})
	r := NewRegistry(Config{Source: src})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			cancel := r.Subscribe(func() {})
			defer cancel()
			for range 20 {
				if err := r.Refresh(t.Context()); err != nil {
					t.Error(err)
				}
				if tool, err := r.Snapshot().Resolve("mnote_a_b"); err != nil {
					t.Error(err)
				} else {
					r.Snapshot().Switched(tool)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkStart: what lies between the process's start and its first list.
func BenchmarkStart(b *testing.B) {
	doc := document(b, "../plugin/localkernel/manifest.json")
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Read(doc); err != nil {
				b.Fatal(err)
			}
		}
	})
	m := mustRead(b, doc)
	b.Run("registry", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewRegistry(Config{First: m})
		}
	})
}

// TestStamp: what was kept is served while nothing changed since, and not for one
// answer longer; a stamp that moved without the manifest is kept anew.
func TestStamp(t *testing.T) {
	t.Parallel()
	var kept []byte
	now := "one"
	k := &kernel{tb: t, doc: doc("on", "mnote.a.b")}
	open := func() *Registry {
		return NewRegistry(Config{
			Source: k, Stamp: func() string { return now },
			Load:      func() ([]byte, error) { return kept, nil },
			Save:      func(d []byte) error { kept = d; return nil },
			ReadFirst: func() Manifest { return mustRead(t, []byte(doc("asked", "mnote.a.b!"))) },
		})
	}
	first := open()
	if v := first.Snapshot(); v.Version() != "asked" || !v.Certain() {
		t.Errorf("with nothing kept: %s", v.Version())
	}
	if err := first.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := open().Snapshot(); v.Version() != "on" || !v.Certain() {
		t.Errorf("kept under the stamp in force: %s", v.Version())
	}
	now = "two"
	if v := open().Snapshot(); v.Version() != "asked" || len(v.Tools()) != 0 {
		t.Errorf("kept under another stamp: %s", v.Version())
	}
	if err := first.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := open().Snapshot(); v.Version() != "on" {
		t.Errorf("kept anew: %s", v.Version())
	}
}

// TestCertain: without a stamp what was kept is a guess until the kernel said so,
// also where it only says that nothing changed.
func TestCertain(t *testing.T) {
	t.Parallel()
	k := &kernel{tb: t, doc: doc("on", "mnote.a.b")}
	r := NewRegistry(Config{Source: k, Load: func() ([]byte, error) { return []byte(k.doc), nil }})
	if r.Snapshot().Certain() {
		t.Error("nobody said so yet")
	}
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := r.Snapshot(); !s.Certain() || s.Generation() != 1 {
		t.Errorf("confirmed: generation %d", s.Generation())
	}
}
