package sqlite_test

import (
	"context"
	"database/sql"
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
		if err := db.Normal(t.Context(), func(tx *sql.Tx) error { _, err := tx.Exec(put, i, fmt.Sprint("t", i)); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec(put, 1, "again"); err == nil { // a failure, and the same statement after it
		t.Error("the same id twice")
	}
	if _, err := db.Exec(put, 3, "t3"); err != nil {
		t.Error(err)
	}

	// The same query while its own rows are open.
	var got []string
	err := db.View(t.Context(), func(tx *sql.Tx) error {
		outer, err := tx.Query(ask, 2)
		if err != nil {
			return err
		}
		defer outer.Close()
		for outer.Next() {
			var a, b string
			if err := outer.Scan(&a); err != nil {
				return err
			}
			if err := tx.QueryRow(ask, 0).Scan(&b); err != nil {
				return err
			}
			got = append(got, a+b)
		}
		return outer.Err()
	})
	if d := cmp.Diff([]string{"t2t0", "t3t0"}, got); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}

	// Another process changes the schema in between.
	_ = mustOpen(t, sqlite.Config{Path: path, Migrations: schema(3)}).Close()
	if _, err := db.Exec(put, 4, "t4"); err != nil {
		t.Error(err)
	}
	if _, err := db.Query("SELECT nothing FROM nowhere"); err == nil {
		t.Error("a statement that cannot be parsed ran")
	}
}

func TestManyStatements(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db"), Migrations: schema(2)})
	for i := range 200 {
		var got int
		if err := db.QueryRow(fmt.Sprintf("SELECT %d + ?", i), 1).Scan(&got); err != nil || got != i+1 {
			t.Errorf("%d, %v", got, err)
		}
	}
}

func TestCancelledStatementCanRunAgain(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db")})
	const long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ?) SELECT max(i) FROM n"
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var got int
	if err := db.QueryRowContext(ctx, long, 1e9).Scan(&got); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := db.QueryRow(long, 10).Scan(&got); err != nil || got != 10 {
		t.Errorf("%d, %v", got, err)
	}
}
