package vault

import (
	"os"
	"path/filepath"
	"testing"
)

func workspaceID(tb testing.TB, dir, state string) string {
	tb.Helper()
	f, err := Open(dir, Config{})
	must(tb, err)
	defer f.Close()
	id, err := f.WorkspaceID(state)
	must(tb, err)
	if !workspaceForm().MatchString(id) {
		tb.Fatalf("%q is no workspace id", id)
	}
	return id
}

// settledIn remembers and marks a workspace, as its first write does.
func settledIn(tb testing.TB, dir, state string) string {
	tb.Helper()
	f, err := Open(dir, Config{})
	must(tb, err)
	defer f.Close()
	id, err := f.WorkspaceID(state)
	must(tb, err)
	must(tb, f.Remember(state, id))
	must(tb, f.Mark(id))
	return id
}

func TestWorkspaceID(t *testing.T) {
	t.Parallel()
	state, base := t.TempDir(), t.TempDir()
	home := filepath.Join(base, "notes")
	put(t, filepath.Join(home, "a.md"), "a")
	id := workspaceID(t, home, state)
	if again := workspaceID(t, home, state); again != id {
		t.Errorf("a second look gives %s", again)
	}
	if entries, _ := os.ReadDir(home); len(entries) != 1 {
		t.Errorf("looking wrote something: %v", entries)
	}
	if got := settledIn(t, home, state); got != id {
		t.Errorf("the first write gives %s", got)
	}

	// A copy gets its own id while the original is there, and keeps it.
	copied := filepath.Join(base, "copy")
	must(t, os.CopyFS(copied, os.DirFS(home)))
	own := settledIn(t, copied, state)
	if own == id {
		t.Error("the copy has the original's id")
	}
	if got := workspaceID(t, home, state); got != id {
		t.Errorf("the original is %s now", got)
	}

	// A folder that moved keeps its id, here and on a machine with no state.
	moved := filepath.Join(base, "moved")
	must(t, os.Rename(home, moved))
	if got := workspaceID(t, moved, state); got != id {
		t.Errorf("the moved folder is %s", got)
	}
	if got := workspaceID(t, moved, t.TempDir()); got != id {
		t.Errorf("on another machine it is %s", got)
	}
	if got := workspaceID(t, copied, state); got != own {
		t.Errorf("the copy is %s now", got)
	}

	// Another way to the same folder is the same folder.
	if err := os.Symlink(moved, filepath.Join(base, "link")); err == nil {
		if got := workspaceID(t, filepath.Join(base, "link"), state); got != id {
			t.Errorf("through a link it is %s", got)
		}
	}

	// A mark that is no id is none.
	put(t, filepath.Join(moved, markFile), `{"workspaceId":"../../etc"}`)
	if got := workspaceID(t, moved, state); got == "../../etc" {
		t.Error("a forged mark is taken")
	}
}
