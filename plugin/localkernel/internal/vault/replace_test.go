package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplacePlainly: the way of file systems that cannot exchange.
func TestReplacePlainly(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": before})
	s, err := f.spot("a.md")
	must(t, err)
	defer s.close()
	w := write("a.md")
	put(t, filepath.Join(dir, w.Temp), after)
	must(t, s.replacePlainly(w))
	if got := text(t, filepath.Join(dir, "a.md")); got != after {
		t.Errorf("the file holds %q", got)
	}
	put(t, filepath.Join(dir, w.Temp), after)
	put(t, filepath.Join(dir, "a.md"), "theirs\n")
	var changed *Changed
	if err := s.replacePlainly(w); !errors.As(err, &changed) {
		t.Errorf("over a changed file: %v", err)
	}
	if got := text(t, filepath.Join(dir, "a.md")); got != "theirs\n" {
		t.Errorf("the file holds %q", got)
	}
	clean(t, dir)
}

func TestMoveNew(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": before, "taken.md": "mine\n"})
	s, err := f.spot("a.md")
	must(t, err)
	defer s.close()
	if err := moveNew(s.dir, "a.md", "taken.md"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a taken name: %v", err)
	}
	must(t, moveNew(s.dir, "a.md", "b.md"))
	if text(t, filepath.Join(dir, "b.md")) != before || text(t, filepath.Join(dir, "a.md")) != "" || text(t, filepath.Join(dir, "taken.md")) != "mine\n" {
		t.Error("the file did not move, or overwrote another")
	}
}

// TestRacingSaves: evidence/local-kernel §1.6. An editor saves without any lock
// while we write. Whoever is first, its save stands at the end; with a plain
// rename some would be destroyed after our check.
func TestRacingSaves(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, nil)
	path := filepath.Join(dir, "a.md")
	first, second := 0, 0
	for round := range 400 {
		put(t, path, before)
		theirs := "save " + strings.Repeat("x", round%7) + "\n"
		temp := filepath.Join(dir, "editor.tmp")
		put(t, temp, theirs)
		saved := make(chan error)
		go func() {
			for range round % 200 { // so that the save lands all over our write
				_, _ = os.Lstat(path)
			}
			saved <- os.Rename(temp, path)
		}()
		w := write("a.md")
		err := f.Apply(w, []byte(after))
		must(t, <-saved)
		var changed *Changed
		switch {
		case err == nil:
			first++
		case errors.As(err, &changed):
			second++
		default:
			t.Fatal(err)
		}
		if got := text(t, path); got != theirs {
			t.Fatalf("round %d: Apply = %v and the file holds %q; the editor's save is gone", round, err, got)
		}
	}
	t.Logf("ours first in %d rounds, the editor's in %d", first, second)
	if first == 0 || second == 0 {
		t.Error("the race had one outcome only; nothing was tried")
	}
	clean(t, dir)
}
