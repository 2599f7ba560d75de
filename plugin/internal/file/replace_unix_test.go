//go:build unix

package file_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/file"
)

func TestReplaceKeepsModeAndOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // only root can make a file another's
		if err := os.Chown(path, 12345, 12346); err != nil {
			t.Fatal(err)
		}
	}
	before := owner(t, path)
	if err := file.Replace(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s.Mode().Perm() != 0o640 {
		t.Errorf("mode %o", s.Mode().Perm())
	}
	if d := cmp.Diff(before, owner(t, path)); d != "" {
		t.Error(d)
	}
}

func owner(tb testing.TB, path string) [2]uint32 {
	tb.Helper()
	s, err := os.Stat(path)
	if err != nil {
		tb.Fatal(err)
	}
	sys := s.Sys().(*syscall.Stat_t)
	return [2]uint32{sys.Uid, sys.Gid}
}

func TestReplaceNewFileHasTheModeAskedFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new")
	if err := file.Replace(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := os.Stat(path); err != nil || s.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", s.Mode(), err)
	}
}

func TestReplaceFollowsLinks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "dotfiles"), 0o700); err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(folder, "dotfiles", "real")
	for link, to := range map[string]string{
		"absolute": real, "relative": filepath.Join("dotfiles", "real"), "twice": "relative", "loop": "loop",
	} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{"absolute", "relative", "twice"} { // the first makes the file
		if err := file.Replace(filepath.Join(folder, link), []byte(link), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := get(t, real); got != link {
			t.Errorf("%s: the file has %q", link, got)
		}
		if s, err := os.Lstat(filepath.Join(folder, link)); err != nil || s.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
	}
	if err := file.Replace(filepath.Join(folder, "loop"), []byte("x"), 0o600); err == nil {
		t.Error("a loop was replaced")
	}
}
