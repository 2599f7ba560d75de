package sqlite_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin/internal/child"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// damaged makes files that are no good database.
var damaged = map[string]func(testing.TB, string){
	"no database": func(tb testing.TB, path string) { put(tb, path, bytes.Repeat([]byte("not a database\n"), 99)) },
	"cut in half": func(tb testing.TB, path string) {
		make3(tb, path)
		data := get(tb, path)
		put(tb, path, data[:len(data)/2-100])
	},
	"schema overwritten": func(tb testing.TB, path string) {
		make3(tb, path)
		data := get(tb, path)
		copy(data[100:], bytes.Repeat([]byte{0xff}, 1000))
		put(tb, path, data)
	},
}

func TestOpenSetsACorruptFileAside(t *testing.T) {
	t.Parallel()
	for name, damage := range damaged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "state.db")
			damage(t, path)
			bad := get(t, path)
			var log strings.Builder
			db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(3), Now: noon, Log: zerolog.New(&log)})

			want := path + ".corrupt-20261130T120000Z"
			if got := db.SetAside(); got != want {
				t.Fatalf("set aside to %q, want %q", got, want)
			}
			if !bytes.Equal(get(t, want), bad) {
				t.Error("the bytes set aside are not those of the corrupt file")
			}
			if !strings.Contains(log.String(), want) {
				t.Errorf("no warning names the place: %s", log.String())
			}
			if err := db.Normal(t.Context(), increment); err != nil {
				t.Errorf("the fresh file: %v", err)
			}
		})
	}
}

func TestASecondCorruptFileKeepsTheFirst(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "state.db")
	for range 3 {
		put(t, path, []byte(strings.Repeat("garbage ", 200)))
		_ = mustOpen(t, sqlite.Config{Path: path, Now: noon}).Close()
	}
	want := []string{
		"state.db", "state.db.corrupt-20261130T120000Z", "state.db.corrupt-20261130T120000Z-2",
		"state.db.corrupt-20261130T120000Z-3",
	}
	if d := cmp.Diff(want, list(t, folder)); d != "" {
		t.Error(d)
	}
}

func TestOneOfManyProcessesSetsAside(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "state.db")
	put(t, path, []byte(strings.Repeat("garbage ", 200)))
	children := make([]*child.Process, 8)
	for i := range children {
		children[i] = child.Start(t, "open", path)
	}
	for _, c := range children {
		_ = c.In.Close()
	}
	moved := 0
	for _, c := range children {
		if c.Line(t) != "aside:" {
			moved++
		}
		c.Wait(t)
	}
	corrupt, err := filepath.Glob(path + ".corrupt-*")
	if err != nil || len(corrupt) != 1 || moved != 1 {
		t.Errorf("%d processes moved, files %v, %v", moved, corrupt, err)
	}
	if got := counter(t, path); got != 0 {
		t.Errorf("counter %d", got)
	}
}

// TestManyProcessesFindDamageAndWrite: what one process commits into the fresh
// file is not moved away, with its -wal, by another that sets the old one aside.
func TestManyProcessesFindDamageAndWrite(t *testing.T) {
	t.Parallel()
	for name, damage := range damaged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 5 {
				addToDamaged(t, damage)
			}
		})
	}
}

func addToDamaged(t *testing.T, damage func(testing.TB, string)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	damage(t, path)
	put(t, path+"-wal", []byte(strings.Repeat("garbage ", 2000)))
	children := make([]*child.Process, 6)
	for i := range children {
		children[i] = child.Start(t, "add", path)
	}
	for _, c := range children {
		_ = c.In.Close()
	}
	for _, c := range children {
		c.Wait(t)
	}
	corrupt, err := filepath.Glob(path + ".corrupt-*Z")
	if err != nil || len(corrupt) != 1 {
		t.Errorf("set aside: %v, %v", corrupt, err)
	}
	if got := counter(t, path); got != len(children)*addends {
		t.Errorf("counter %d of %d: a commit was moved away", got, len(children)*addends)
	}
}

func TestFileFindsDamageLater(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: schema(2), Now: noon}}
	t.Cleanup(func() { _ = f.Close() })
	fill := func(tx *sqlite.Tx) error {
		_, err := tx.Exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 2000) INSERT INTO note(text) SELECT hex(randomblob(100)) FROM n")
		return err
	}
	if err := f.Full(t.Context(), fill); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data := get(t, path)
	for page := 4096 * 8; page < len(data)-4096; page += 4096 { // page 1 to 8 hold the schema and the roots
		copy(data[page:], bytes.Repeat([]byte{0xee}, 64))
	}
	put(t, path, data)

	runs, rows := 0, 0
	err := f.Normal(t.Context(), func(tx *sqlite.Tx) error {
		runs++
		return tx.Row("SELECT count(text) FROM note WHERE text LIKE '%AB%'").Scan(&rows)
	})
	if err != nil || runs != 2 || rows != 0 {
		t.Errorf("%d runs, %d rows, %v", runs, rows, err)
	}
	if got, want := f.Aside(), path+".corrupt-20261130T120000Z"; got != want {
		t.Errorf("aside %q, want %q", got, want)
	}
}

func make3(tb testing.TB, path string) {
	tb.Helper()
	db, err := sqlite.Open(context.Background(), sqlite.Config{Path: path, Migrations: schema(3)})
	if err != nil {
		tb.Fatal(err)
	}
	if err := db.Close(); err != nil { // folds the -wal in
		tb.Fatal(err)
	}
}

func get(tb testing.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func put(tb testing.TB, path string, data []byte) {
	tb.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		tb.Fatal(err)
	}
}
