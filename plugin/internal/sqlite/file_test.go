package sqlite_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

func newFile(tb testing.TB, path string) *sqlite.File {
	f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: schema(1)}}
	tb.Cleanup(func() { _ = f.Close() })
	return f
}

func TestFileOpensAtItsFirstUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "below", "state.db")
	f := newFile(t, path)
	if f.Opened() || f.Close() != nil || f.Aside() != "" {
		t.Error("an unused file is not closed and clean")
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was made before the first use: %v", err)
	}
	for range 2 { // it opens again after Close
		if err := f.Normal(t.Context(), increment); err != nil || !f.Opened() {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil || f.Opened() {
			t.Fatal(err)
		}
	}
	if got := counter(t, path); got != 2 {
		t.Errorf("counter %d", got)
	}
}

func TestFileTriesAFailedOpenAgain(t *testing.T) {
	t.Parallel()
	inTheWay := filepath.Join(t.TempDir(), "folder")
	put(t, inTheWay, nil)
	f := newFile(t, filepath.Join(inTheWay, "state.db"))
	if got := reason(f.Normal(t.Context(), increment)); got != "no_state" {
		t.Errorf("reason %q", got)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	if err := f.Normal(t.Context(), increment); err != nil {
		t.Error(err)
	}
}

func TestFileIsUsedOneAtATime(t *testing.T) {
	t.Parallel()
	f := newFile(t, filepath.Join(t.TempDir(), "state.db"))
	held, let := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- f.View(context.Background(), func(*sqlite.Tx) error { close(held); <-let; return nil })
	}()
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if got := reason(f.Normal(ctx, increment)); got != "busy" {
		t.Errorf("reason %q", got)
	}
	close(let)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A connection of which nobody knows what state it is in is left for a new one.
func TestFileLeavesABrokenConnection(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	f := newFile(t, path)
	for range 3 {
		if err := f.Full(t.Context(), increment); err != nil {
			t.Fatal(err)
		}
		f.Break()
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got := counter(t, path); got != 3 {
		t.Errorf("counter %d", got)
	}
}

// reason gives details.reason of a coded error, and the code itself where
// there is none.
func reason(err error) string {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return "not coded"
	}
	if r, ok := e.Details["reason"].(string); ok && e.Code == tools.CodeKernelUnavailable {
		return r
	}
	return string(e.Code)
}
