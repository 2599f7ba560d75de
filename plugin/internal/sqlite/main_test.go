package sqlite_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// TestMain lets the test binary play other processes: `child ROLE PATH` runs a
// role instead of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "child" {
		if err := roles[os.Args[2]](os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(path string) error{
	"open":  openRole,
	"count": countRole,
	"hold":  holdRole,
}

// openRole opens the file when told to and says what it found.
func openRole(path string) error {
	await(os.Stdin)
	db, err := sqlite.Open(context.Background(), sqlite.Config{Path: path, Migrations: schema(2)})
	if err != nil {
		return err
	}
	fmt.Println("aside:" + db.SetAside())
	return db.Close()
}

// countRole adds 100 to the counter, one read and one write at a time.
func countRole(path string) error {
	db, err := sqlite.Open(context.Background(), sqlite.Config{Path: path, Migrations: schema(2)})
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

// holdRole takes the write lock, says so and keeps it until its input ends.
func holdRole(path string) error {
	db, err := sqlite.Open(context.Background(), sqlite.Config{Path: path, Migrations: schema(2)})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Normal(context.Background(), func(*sql.Tx) error {
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
}

func increment(tx *sql.Tx) error {
	var n int
	if err := tx.QueryRow("SELECT n FROM counter").Scan(&n); err != nil {
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

// child is another process of this test binary.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err strings.Builder
}

func start(tb testing.TB, role, path string) *child {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	c := &child{cmd: exec.Command(exe, "child", role, path)}
	c.cmd.Stderr = &c.err
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.cmd.Process.Kill(); _ = c.cmd.Wait() })
	return c
}

func (c *child) line(tb testing.TB) string {
	tb.Helper()
	s, err := c.out.ReadString('\n')
	if err != nil {
		tb.Fatalf("child: %v: %s", err, c.err.String())
	}
	return strings.TrimSpace(s)
}

func (c *child) wait(tb testing.TB) {
	tb.Helper()
	_ = c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		tb.Errorf("child: %v: %s", err, c.err.String())
	}
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

func nothing(tx *sql.Tx) error { return tx.QueryRow("SELECT n FROM counter").Scan(new(int)) }
