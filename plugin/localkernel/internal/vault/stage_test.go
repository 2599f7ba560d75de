package vault

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree lists all that a folder holds, hidden names too.
func tree(tb testing.TB, dir string) (names []string) {
	tb.Helper()
	must(tb, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if rel, relErr := filepath.Rel(dir, path); relErr == nil && rel != "." {
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	}))
	return names
}

var createSteps = []Step{StepStart, StepFolder, StepTemp, StepHalf, StepWritten, StepSynced, StepSwapped, StepDurable, StepCleaned}

// TestSettleCreation: a creation that was cut off at any step is whole, or has
// left nothing: no file, no folder, no temp file. What a person made meanwhile
// stays.
func TestSettleCreation(t *testing.T) {
	t.Parallel()
	whole := []string{"there", "there/new", "there/new/deep", "there/new/deep/a.md"}
	for _, step := range createSteps {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.Mkdir(filepath.Join(dir, "there"), 0o755))
			w := Write{Path: "there/new/deep/a.md", Temp: TempPrefix + "t", After: HashOf([]byte(after))}
			crashed(t, dir, w, []byte(after), step, nil)
			if _, err := os.Stat(filepath.Join(dir, "there", "new")); err == nil && text(t, filepath.Join(dir, whole[3])) != after {
				t.Error("the new folder is there and the document is not")
			}
			for range 2 { // the second time nothing is left to do
				got, err := hooked(t, dir, nil).Settle(w, []byte(after))
				must(t, err)
				want, outcome := whole[:1], Dropped
				if text(t, filepath.Join(dir, whole[3])) == after {
					want, outcome = whole, Done
				}
				if d := cmp.Diff(want, tree(t, dir)); d != "" || got.Outcome != outcome {
					t.Errorf("settled as %s: %s", got.Outcome, d)
				}
			}
		})
		t.Run("a person, "+string(step), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := Write{Path: "new/deep/a.md", Temp: TempPrefix + "t", After: HashOf([]byte(after))}
			crashed(t, dir, w, []byte(after), step, nil)
			must(t, os.MkdirAll(filepath.Join(dir, "new", "deep"), 0o755))
			put(t, filepath.Join(dir, "new", "mine.md"), "mine\n")
			there := text(t, filepath.Join(dir, "new", "deep", "a.md"))
			_, err := hooked(t, dir, nil).Settle(w, []byte(after))
			must(t, err)
			want := []string{"new", "new/deep", "new/mine.md"}
			if there != "" {
				want = []string{"new", "new/deep", "new/deep/a.md", "new/mine.md"}
			}
			if d := cmp.Diff(want, tree(t, dir)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestCreateFails: a creation whose step fails leaves nothing, or all.
func TestCreateFails(t *testing.T) {
	t.Parallel()
	for _, step := range createSteps {
		dir := t.TempDir()
		f := hooked(t, dir, func(s Step) error {
			if s == step {
				return errors.New("no space left on device")
			}
			return nil
		})
		w := Write{Path: "new/deep/a.md", Temp: TempPrefix + "t", After: HashOf([]byte(after))}
		var storage *Storage
		if err := f.Apply(w, []byte(after)); !errors.As(err, &storage) {
			t.Errorf("at %s: %v, want storage", step, err)
		}
		got := tree(t, dir)
		if all := []string{"new", "new/deep", "new/deep/a.md"}; len(got) > 0 && cmp.Diff(all, got) != "" {
			t.Errorf("at %s there is %q", step, got)
		}
	}
}

// TestCreateFolderCame: folders that somebody makes while a document is made in
// them are used as they are.
func TestCreateFolderCame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	came := []string{"new", "new/deep"}
	f := hooked(t, dir, func(s Step) error {
		if s != StepSynced || len(came) == 0 {
			return nil
		}
		next := came[0]
		came = came[1:]
		put(t, filepath.Join(dir, next, "mine.md"), "mine\n")
		return nil
	})
	w := Write{Path: "new/deep/er/a.md", Temp: TempPrefix + "t", After: HashOf([]byte(after))}
	must(t, f.Apply(w, []byte(after)))
	want := []string{"new", "new/deep", "new/deep/er", "new/deep/er/a.md", "new/deep/mine.md", "new/mine.md"}
	if d := cmp.Diff(want, tree(t, dir)); d != "" {
		t.Error(d)
	}

	// A file in a folder's place is nobody's to overwrite.
	put(t, filepath.Join(dir, "file"), "mine\n")
	w.Path = "file/a.md"
	if err := f.Apply(w, []byte(after)); err == nil || text(t, filepath.Join(dir, "file")) != "mine\n" {
		t.Errorf("below a file: %v", err)
	}
	clean(t, dir)
}
