package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// A statement is parsed once and used again and again; nobody may notice.
func TestKeptStatements(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(2)})
	const put, ask = "INSERT INTO note (id, text) VALUES (?, ?)", "SELECT text FROM note WHERE id >= ? ORDER BY id"
	for i := range 3 {
		if err := run(db, put, i, fmt.Sprint("t", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(db, put, 1, "again"); err == nil { // a failure, and the same statement after it
		t.Error("the same id twice")
	}
	if err := run(db, put, 3, "t3"); err != nil {
		t.Error(err)
	}

	// The same query while its own rows are open.
	var got []string
	err := db.View(t.Context(), func(tx *sqlite.Tx) error {
		for row := range tx.Rows(ask, 2) {
			var a, b string
			if err := errors.Join(row.Scan(&a), tx.Row(ask, 0).Scan(&b)); err != nil {
				return err
			}
			got = append(got, a+b)
		}
		return nil
	})
	if d := cmp.Diff([]string{"t2t0", "t3t0"}, got); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}

	// Another process changes the schema in between.
	_ = mustOpen(t, sqlite.Config{Path: path, Migrations: schema(3)}).Close()
	if err := run(db, put, 4, "t4"); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]func(tx *sqlite.Tx) error{
		"row":  func(tx *sqlite.Tx) error { return tx.Row("SELECT nothing FROM nowhere").Scan() },
		"exec": func(tx *sqlite.Tx) error { _, err := tx.Exec("nothing"); return err },
		"rows": func(tx *sqlite.Tx) error {
			for row := range tx.Rows("SELECT nothing FROM nowhere") {
				return row.Scan()
			}
			return nil
		},
	} {
		if err := db.View(t.Context(), wrong); err == nil {
			t.Errorf("%s: a statement that cannot be parsed ran", name)
		}
	}
}

// Rows that are left in the middle keep nothing open.
func TestRowsLeftInTheMiddle(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db"), Migrations: schema(2)})
	for range 3 {
		err := db.Normal(t.Context(), func(tx *sqlite.Tx) error {
			if _, err := tx.Exec("INSERT INTO note (text) VALUES ('a'), ('b'), ('c')"); err != nil {
				return err
			}
			for row := range tx.Rows("SELECT id, text FROM note") {
				var id int64
				var text string
				return row.Scan(&id, &text)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	var n int
	if ask(t, db, "SELECT count(*) FROM note", &n); n != 9 {
		t.Errorf("%d rows", n)
	}
}

func TestManyStatements(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db"), Migrations: schema(2)})
	for i := range 200 {
		var got int
		if ask(t, db, fmt.Sprintf("SELECT %d + 1", i), &got); got != i+1 {
			t.Errorf("%d", got)
		}
	}
}

func TestCancelledSearchCanRunAgain(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db")})
	const long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?) SELECT max(i) FROM n"
	search := func(ctx context.Context, upTo int64, before func()) (got int64, err error) {
		err = db.View(ctx, func(tx *sqlite.Tx) (err error) {
			before()
			for row := range tx.Search(long, upTo) {
				err = row.Scan(&got)
			}
			return err
		})
		return got, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 2 { // in the middle, and before it begins
		if _, err := search(ctx, 1e12, func() { go cancel() }); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	if got, err := search(t.Context(), 10, func() {}); err != nil || got != 10 {
		t.Errorf("%d, %v", got, err)
	}
}
