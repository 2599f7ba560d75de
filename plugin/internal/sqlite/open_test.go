package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/child"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

func TestOpenSetsEveryPragma(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db")})
	want := map[string]string{
		"busy_timeout": "0", "journal_mode": "wal", "synchronous": "1", "foreign_keys": "1", "cache_size": "-256",
	}
	got := map[string]string{}
	for name := range want {
		got[name] = pragma(t, db, name)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func pragma(tb testing.TB, db *sqlite.DB, name string) (s string) {
	tb.Helper()
	ask(tb, db, "PRAGMA "+name, &s)
	return s
}

// ask scans the one row of a query.
func ask(tb testing.TB, db *sqlite.DB, query string, into any) {
	tb.Helper()
	if err := db.View(tb.Context(), func(tx *sqlite.Tx) error { return tx.Row(query).Scan(into) }); err != nil {
		tb.Fatal(err)
	}
}

// run runs one statement in a transaction.
func run(db *sqlite.DB, query string, args ...any) error {
	return db.Normal(context.Background(), func(tx *sqlite.Tx) error { _, err := tx.Exec(query, args...); return err })
}

func TestOpenTakesEveryPath(t *testing.T) {
	t.Parallel()
	names := []string{"plain.db", "a b.db", "50%25.db", "笔记 📝.db", "a&b=c;d.db", "a+b.db"}
	names = append(names, oddNames()...)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), name+" folder")
			db := mustOpen(t, sqlite.Config{Path: filepath.Join(folder, name), Migrations: schema(1)})
			if got := pragma(t, db, "journal_mode"); got != "wal" {
				t.Errorf("settings were lost: journal_mode %s", got)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{name}, list(t, folder)); d != "" {
				t.Error(d)
			}
		})
	}
}

func list(tb testing.TB, folder string) (names []string) {
	tb.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".lock") { // Windows needs one beside each file
			names = append(names, e.Name())
		}
	}
	return names
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"a folder": folder, "below a file": filepath.Join(file, "state.db"), "nothing": ""} {
		if _, err := sqlite.Open(t.Context(), sqlite.Config{Path: path}); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}

func TestMigrateStepByStep(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	for version := 1; version <= 3; version++ {
		db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(version)})
		if got := pragma(t, db, "user_version"); got != string(rune('0'+version)) {
			t.Errorf("version %s after %d steps", got, version)
		}
		if err := db.Normal(t.Context(), increment); err != nil {
			t.Fatal(err)
		}
		_ = db.Close()
	}
	if got := counter(t, path); got != 3 {
		t.Errorf("a migration lost rows: counter %d", got)
	}
}

func counter(tb testing.TB, path string) (n int) {
	tb.Helper()
	db := mustOpen(tb, sqlite.Config{Path: path, Migrations: schema(3)})
	defer db.Close()
	ask(tb, db, "SELECT n FROM counter", &n)
	return n
}

func TestMigrateAllOrNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	broken := schema(1)
	broken["0002_bad.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE half (n INTEGER); CREATE TABLE half (n INTEGER)")}
	_, err := sqlite.Open(t.Context(), sqlite.Config{Path: path, Migrations: broken})
	if err == nil || !strings.Contains(err.Error(), "migrate to version 2") {
		t.Fatalf("got %v", err)
	}
	db := mustOpen(t, sqlite.Config{Path: path})
	if got := pragma(t, db, "user_version"); got != "0" {
		t.Errorf("version %s is left", got)
	}
	var tables int
	if ask(t, db, "SELECT count(*) FROM sqlite_schema", &tables); tables != 0 {
		t.Errorf("%d tables are left", tables)
	}
}

// fading is a context that ends when it was asked so often.
type fading struct {
	context.Context
	left int
}

func (f *fading) Err() error {
	if f.left--; f.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// A migration that has the lock goes on to its end when the call that opened the
// file does not: else each call would begin it anew.
func TestMigrationOutlastsItsCall(t *testing.T) {
	t.Parallel()
	long := fstest.MapFS{}
	for n := range 30 {
		long[fmt.Sprintf("%04d_step.sql", n+1)] = &fstest.MapFile{Data: fmt.Appendf(nil, "CREATE TABLE t%d (n INTEGER)", n)}
	}
	path := filepath.Join(t.TempDir(), "state.db")
	for asked := 0; ; asked++ {
		db, err := sqlite.Open(&fading{t.Context(), asked}, sqlite.Config{Path: path, Migrations: long})
		if errors.Is(err, context.DeadlineExceeded) && asked < 30 {
			continue
		}
		if err != nil {
			t.Fatalf("asked %d times: %v", asked, err)
		}
		if got := pragma(t, db, "user_version"); got != "30" {
			t.Errorf("version %s", got)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		return
	}
}

func TestMigrationsAreNumbered(t *testing.T) {
	t.Parallel()
	for name, names := range map[string][]string{
		"gap": {"0001_a.sql", "0003_b.sql"}, "twice": {"0001_a.sql", "0001_b.sql"}, "from zero": {"0000_a.sql"}, "no number": {"first.sql"},
	} {
		f := fstest.MapFS{}
		for _, n := range names {
			f[n] = &fstest.MapFile{Data: []byte("SELECT 1")}
		}
		path := filepath.Join(t.TempDir(), "state.db")
		if _, err := sqlite.Open(t.Context(), sqlite.Config{Path: path, Migrations: f}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the file was made", name)
		}
	}
}

func TestNewerFileIsReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	_ = mustOpen(t, sqlite.Config{Path: path, Migrations: schema(3)}).Close()
	db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(2)})

	var newer *sqlite.NewerError
	if err := db.ReadOnly(); !errors.As(err, &newer) || newer.Have != 3 || newer.Known != 2 {
		t.Fatalf("ReadOnly gives %v", err)
	}
	for name, run := range map[string]func() error{
		"normal": func() error { return db.Normal(t.Context(), increment) },
		"full":   func() error { return db.Full(t.Context(), increment) },
	} {
		if err := run(); !errors.As(err, &newer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := db.View(t.Context(), func(tx *sqlite.Tx) error { _, err := tx.Exec("UPDATE counter SET n = 9"); return err }); err == nil {
		t.Error("a bare Exec wrote")
	}
	var n int
	err := db.View(t.Context(), func(tx *sqlite.Tx) error { return tx.Row("SELECT n FROM counter").Scan(&n) })
	if err != nil || n != 0 {
		t.Errorf("reading gives %d, %v", n, err)
	}
}

func TestFirstStartOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	for range 5 {
		path := filepath.Join(t.TempDir(), "state.db")
		children := make([]*child.Process, 8)
		for i := range children {
			children[i] = child.Start(t, "open", path)
		}
		for _, c := range children { // all at once
			_ = c.In.Close()
		}
		for _, c := range children {
			if got := c.Line(t); got != "aside:" {
				t.Errorf("child says %q", got)
			}
			c.Wait(t)
		}
		if got := counter(t, path); got != 0 {
			t.Errorf("the first step ran more than once: %d", got)
		}
	}
}

// TestOpenGivesUpOnAStoppedOpener: another process stopped in the middle of its
// own first opening holds the file whole; whoever comes is told that it is busy
// and does not wait a hundred times as long as for any other lock.
func TestOpenGivesUpOnAStoppedOpener(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	other := mustOpen(t, sqlite.Config{Path: path, Alone: true})
	held, enough, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	defer func() { close(enough); <-over }()
	go func() {
		defer close(over)
		_ = other.Normal(context.Background(), func(tx *sqlite.Tx) error {
			_, err := tx.Exec("ROLLBACK; BEGIN EXCLUSIVE")
			close(held)
			<-enough
			return err
		})
	}()
	<-held
	ended := make(chan error, 1)
	go func() {
		_, err := sqlite.Open(t.Context(), sqlite.Config{Path: path, Migrations: schema(2)})
		ended <- err
	}()
	select {
	case err := <-ended:
		if got := reason(sqlite.Coded(err)); got != "busy" {
			t.Errorf("the opening ended with %q: %v", got, err)
		}
	case <-time.After(2 * time.Minute): // told from hanging, not from slow
		t.Error("the opening hangs")
	}
}
