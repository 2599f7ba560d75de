package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

func TestFullSyncsAndNormalDoesNot(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db"), Migrations: schema(1)})
	level := func(run func(context.Context, func(*sql.Tx) error) error, ctx context.Context) (s string) {
		if err := run(ctx, func(tx *sql.Tx) error { s = pragma(t, tx, "synchronous"); return nil }); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if got := level(db.Full, t.Context()); got != "3" { // EXTRA
		t.Errorf("Full runs at level %s", got)
	}
	if got := level(db.Normal, t.Context()); got != "1" {
		t.Errorf("Normal runs at level %s after Full", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	err := db.Full(ctx, func(*sql.Tx) error { cancel(); return ctx.Err() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Full gives %v", err)
	}
	if got := level(db.Normal, t.Context()); got != "1" {
		t.Errorf("Normal runs at level %s after a cancelled Full", got)
	}
}

func TestTransactionsAreAllOrNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(1)})
	fault := errors.New("fault")
	failing := func(tx *sql.Tx) error { return errors.Join(increment(tx), fault) }
	for name, run := range map[string]func(context.Context, func(*sql.Tx) error) error{"normal": db.Normal, "full": db.Full, "view": db.View} {
		if err := run(t.Context(), failing); !errors.Is(err, fault) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := db.View(t.Context(), increment); err != nil {
		t.Errorf("view: %v", err)
	}
	if err := db.Full(t.Context(), increment); err != nil {
		t.Fatal(err)
	}
	if got := counter(t, path); got != 1 {
		t.Errorf("counter %d, want the one full increment", got)
	}
}

func TestReadThenWriteInManyProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	children := make([]*child, 8)
	for i := range children {
		children[i] = start(t, "count", path)
	}
	for _, c := range children {
		c.wait(t)
	}
	if got := counter(t, path); got != 800 {
		t.Errorf("counter %d, want 800: increments were lost", got)
	}
}

// A wait for another's lock ends with the context, and leaves a connection that
// is in no transaction.
func TestBeginThatIsCancelled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db, other := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(1)}), mustOpen(t, sqlite.Config{Path: path, Migrations: schema(1)})
	held, enough := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- other.Normal(context.WithoutCancel(t.Context()), func(*sql.Tx) error { close(held); <-enough; return nil })
	}()
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := db.Normal(ctx, increment); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	close(enough)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := db.Normal(t.Context(), increment); err != nil {
		t.Error(err)
	}
	if got := counter(t, path); got != 1 {
		t.Errorf("counter %d", got)
	}
}

// A commit that fails leaves nothing behind, and the connection usable.
func TestCommitThatFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(1)})
	const tables = "CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)"
	if _, err := db.Exec(tables); err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func(context.Context, func(*sql.Tx) error) error{"normal": db.Normal, "full": db.Full} {
		var inside error
		err := run(t.Context(), func(tx *sql.Tx) error {
			_, inside = tx.Exec("INSERT INTO child (parent) VALUES (77)")
			return errors.Join(inside, increment(tx))
		})
		if err == nil || inside != nil {
			t.Errorf("%s: the commit gives %v, what is in it %v", name, err, inside)
		}
		if err := run(t.Context(), increment); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := counter(t, path); got != 2 {
		t.Errorf("counter %d, want the two that held", got)
	}
}
