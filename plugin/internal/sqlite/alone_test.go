package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

func alone(tb testing.TB, path string) *sqlite.File {
	f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: schema(1), Alone: true}}
	tb.Cleanup(func() { _ = f.Close() })
	return f
}

// TestAloneIsDeletedTimeAndAgain: who has a deleted file open neither reads it on
// nor harms, by closing it, the one that another made in its place.
func TestAloneIsDeletedTimeAndAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "switches.db")
	running := alone(t, path)
	for round := range 5 {
		if err := running.Full(t.Context(), increment); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if d := cmp.Diff([]string{"switches.db"}, list(t, filepath.Dir(path))); d != "" {
			t.Errorf("round %d: %s", round, d)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		other := alone(t, path)
		for range 3 {
			if err := other.Full(t.Context(), increment); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if err := running.View(t.Context(), nothing); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		if got := counter(t, path); got != 3 {
			t.Errorf("round %d: counter %d", round, got)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAloneTakesOver: a file of before keeps its rows and loses what was beside it.
func TestAloneTakesOver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "switches.db")
	make3(t, path)
	f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: schema(3), Alone: true}}
	t.Cleanup(func() { _ = f.Close() })
	if err := f.Full(t.Context(), increment); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"switches.db"}, list(t, filepath.Dir(path))); d != "" {
		t.Error(d)
	}
}
