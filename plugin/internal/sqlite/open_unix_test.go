//go:build unix

package sqlite_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// oddNames gives file names that only this system allows.
func oddNames() []string { return []string{"what?x=1.db", "a#b.db", `back\slash.db`} }

func TestOpenKeepsOthersOut(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(folder, "state.db")
	db := mustOpen(t, sqlite.Config{Path: path, Migrations: schema(1)})
	if err := db.Normal(t.Context(), increment); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{folder: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		if got := mode(t, name); got != want {
			t.Errorf("%s has mode %o, want %o", name, got, want)
		}
	}
}

func TestOpenTightensAnOpenFileButNoFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "state.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	before := mode(t, folder)
	mustOpen(t, sqlite.Config{Path: path})
	if got := mode(t, path); got != 0o600 {
		t.Errorf("file has mode %o", got)
	}
	if got := mode(t, folder); got != before {
		t.Errorf("the folder's mode went from %o to %o", before, got)
	}
}

func mode(tb testing.TB, name string) fs.FileMode {
	tb.Helper()
	s, err := os.Stat(name)
	if err != nil {
		tb.Fatal(err)
	}
	return s.Mode().Perm()
}

func TestFileNoticesThatItWasDeleted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	f := newFile(t, path)
	if err := f.Normal(t.Context(), increment); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + part); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Full(t.Context(), increment); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if got := counter(t, path); got != 1 {
		t.Errorf("counter %d: the increment went into the deleted file", got)
	}
}
