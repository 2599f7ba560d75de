package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/child"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// Full syncs the -wal that its frames are in, and tells when it could not;
// Normal does not.
func TestFullSyncsAndNormalDoesNot(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(1)})
	if err := db.Full(t.Context(), increment); err != nil {
		t.Fatal(err)
	}
	ours, err := db.WAL().Stat()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.Stat(path + "-wal")
	if err != nil || !os.SameFile(ours, theirs) || ours.Size() == 0 {
		t.Errorf("the file that is synced is not the -wal, or it is empty: %v", err)
	}
	if err := db.BreakWAL(); err != nil {
		t.Fatal(err)
	}
	if err := db.Normal(t.Context(), increment); err != nil {
		t.Errorf("Normal syncs: %v", err)
	}
	if err := db.Full(t.Context(), increment); reason(sqlite.Coded(err)) != "storage" {
		t.Errorf("a Full that is not on the disk gives %v", err)
	}
}

// A file that is Alone has no -wal: each of its commits is on the disk.
func TestAloneIsAlwaysFull(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "switches.db"), Migrations: schema(1), Alone: true})
	if got := pragma(t, db, "synchronous"); got != "3" { // EXTRA
		t.Errorf("level %s", got)
	}
	if err := db.Full(t.Context(), increment); err != nil {
		t.Error(err)
	}
}

// However a function ends, its transaction has ended with it.
func TestNothingLeavesATransactionBehind(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(1)})
	var kept *sqlite.Tx
	for name, f := range map[string]func(tx *sqlite.Tx, cancel func()) error{
		"a panic":     func(tx *sqlite.Tx, _ func()) error { _ = increment(tx); panic("fault") },
		"the context": func(tx *sqlite.Tx, cancel func()) error { defer cancel(); return increment(tx) },
		"an own rollback": func(tx *sqlite.Tx, _ func()) error {
			_, err := tx.Exec("ROLLBACK")
			return errors.Join(err, errors.ErrUnsupported)
		},
		"a kept one": func(tx *sqlite.Tx, _ func()) error {
			kept = tx
			return errors.Join(increment(tx), errors.ErrUnsupported)
		},
	} {
		func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			defer func() { _ = recover() }()
			if err := db.Normal(ctx, func(tx *sqlite.Tx) error { return f(tx, cancel) }); err == nil {
				t.Errorf("%s: no error", name)
			}
		}()
		if err := db.Normal(t.Context(), nothing); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
	if kept == nil {
		t.Fatal("not every case ran")
	}
	if _, err := kept.Exec("DELETE FROM counter"); err == nil {
		t.Error("a transaction that is over runs statements")
	}
	if got := counter(t, path); got != 0 {
		t.Errorf("counter %d", got)
	}
}

func TestUseAfterClose(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db"), Migrations: schema(1)})
	for range 2 {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	for name, run := range map[string]func(context.Context, func(*sqlite.Tx) error) error{"normal": db.Normal, "full": db.Full, "view": db.View} {
		if err := run(t.Context(), nothing); err == nil {
			t.Errorf("%s: a closed database was used", name)
		}
	}
}

func TestTransactionsAreAllOrNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(1)})
	fault := errors.New("fault")
	failing := func(tx *sqlite.Tx) error { return errors.Join(increment(tx), fault) }
	for name, run := range map[string]func(context.Context, func(*sqlite.Tx) error) error{"normal": db.Normal, "full": db.Full, "view": db.View} {
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
	children := make([]*child.Process, 8)
	for i := range children {
		children[i] = child.Start(t, "count", path)
	}
	for _, c := range children {
		c.Wait(t)
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
		done <- other.Normal(context.WithoutCancel(t.Context()), func(*sqlite.Tx) error { close(held); <-enough; return nil })
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
	if err := run(db, tables); err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func(context.Context, func(*sqlite.Tx) error) error{"normal": db.Normal, "full": db.Full} {
		var inside error
		err := run(t.Context(), func(tx *sqlite.Tx) error {
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
