package sqlite_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/child"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// TestMain lets the test binary play other processes.
func TestMain(m *testing.M) {
	child.Main(m, map[string]child.Role{"open": openRole, "count": countRole, "hold": holdRole, "add": addRole})
}

// openRole opens the file when told to and says what it found.
func openRole(args []string) error {
	await(os.Stdin)
	db, err := sqlite.Open(context.Background(), sqlite.Config{Path: args[0], Migrations: schema(2)})
	if err != nil {
		return err
	}
	fmt.Println("aside:" + db.SetAside())
	return db.Close()
}

// countRole adds 100 to the counter, one read and one write at a time.
func countRole(args []string) error {
	db, err := sqlite.Open(context.Background(), sqlite.Config{Path: args[0], Migrations: schema(2)})
	if err != nil {
		return err
	}
	defer db.Close()
	for range 100 {
		if err := db.Normal(context.Background(), increment); err != nil {
			return err
		}
	}
	return nil
}

// addRole adds to the counter when told to, each time for good.
func addRole(args []string) error {
	await(os.Stdin)
	f := &sqlite.File{Config: sqlite.Config{Path: args[0], Migrations: schema(2)}}
	for range addends {
		if err := f.Full(context.Background(), increment); err != nil {
			return err
		}
	}
	return f.Close()
}

// addends is how often addRole adds.
const addends = 20

// holdRole takes the write lock, says so and keeps it until its input ends.
func holdRole(args []string) error {
	db, err := sqlite.Open(context.Background(), sqlite.Config{Path: args[0], Migrations: schema(2)})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Normal(context.Background(), func(*sqlite.Tx) error {
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
}

func increment(tx *sqlite.Tx) error {
	var n int
	if err := tx.Row("SELECT n FROM counter").Scan(&n); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE counter SET n = ?", n+1)
	return err
}

// schema gives the first n migrations of the tests' database.
func schema(n int) fstest.MapFS {
	all := []string{
		"CREATE TABLE counter (n INTEGER NOT NULL) STRICT; INSERT INTO counter VALUES (0)",
		"CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
		"ALTER TABLE note ADD COLUMN seen INTEGER NOT NULL DEFAULT 0",
	}
	f := fstest.MapFS{}
	for i, text := range all[:n] {
		f[fmt.Sprintf("%04d_step.sql", i+1)] = &fstest.MapFile{Data: []byte(text)}
	}
	return f
}

func await(r io.Reader) { _, _ = io.Copy(io.Discard, r) }

func mustOpen(tb testing.TB, c sqlite.Config) *sqlite.DB {
	tb.Helper()
	db, err := sqlite.Open(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func nothing(tx *sqlite.Tx) error { return tx.Row("SELECT n FROM counter").Scan(new(int)) }
