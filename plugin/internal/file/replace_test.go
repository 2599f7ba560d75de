package file_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/file"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "配置.toml")
	for _, text := range []string{"first", "", strings.Repeat("long ", 9999), "last"} {
		if err := file.Replace(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := get(t, path); got != text {
			t.Errorf("got %d bytes, want %d", len(got), len(text))
		}
		if d := cmp.Diff([]string{"配置.toml"}, list(t, folder)); d != "" {
			t.Error(d)
		}
	}
}

func TestReplaceRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "sub", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a folder":            filepath.Join(folder, "sub"),
		"in no folder":        filepath.Join(folder, "nowhere", "x"),
		"a name that is none": filepath.Join(folder, "x\x00y"),
	} {
		if err := file.Replace(path, []byte("x"), 0o600); err == nil {
			t.Errorf("%s: replaced", name)
		}
	}
	if d := cmp.Diff([]string{"sub"}, list(t, folder)); d != "" {
		t.Errorf("something is left: %s", d)
	}
}

// A reader sees one whole version at every moment.
func TestReplaceIsAtomic(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	version := func(n int) string { return strings.Repeat(string(rune('a'+n)), 5000+n) }
	if err := file.Replace(path, []byte(version(0)), 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 200 {
			if err := file.Replace(path, []byte(version(n%26)), 0o600); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for {
		if got := get(t, path); got != version(int(got[0]-'a')) {
			t.Fatalf("a mix of %d bytes", len(got))
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

func TestLockLetsOneIn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	var inside, turns atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				unlock, err := file.Lock(context.Background(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				turns.Add(1)
				inside.Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
	if n := turns.Load(); n != 160 {
		t.Errorf("%d turns", n)
	}
}

func TestLockWaitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := file.Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := file.Lock(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := file.Lock(t.Context(), filepath.Join(path, "below a file")); err == nil {
		t.Error("locked what cannot be")
	}
}

func get(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

func list(tb testing.TB, folder string) (names []string) {
	tb.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
