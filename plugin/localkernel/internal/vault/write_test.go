package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const (
	before = "the old bytes\n"
	after  = "the new bytes, and some more of them\n"
)

// replaceSteps are the steps of a write over a file that is there.
var replaceSteps = []Step{StepStart, StepTemp, StepHalf, StepWritten, StepSynced, StepSwapped, StepChecked, StepDurable, StepCleaned}

// hooked opens a folder whose writes call hook.
func hooked(tb testing.TB, dir string, hook func(Step) error) *Folder {
	tb.Helper()
	f, err := Open(dir, Config{Hook: hook})
	must(tb, err)
	tb.Cleanup(func() { _ = f.Close() })
	return f
}

func write(path string) Write {
	return Write{Path: path, Temp: TempPrefix + "t", Before: HashOf([]byte(before)), After: HashOf([]byte(after))}
}

func text(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	must(tb, err)
	return string(data)
}

// clean fails where a temp file was left.
func clean(tb testing.TB, dir string) {
	tb.Helper()
	left, err := filepath.Glob(filepath.Join(dir, TempPrefix+"*"))
	must(tb, err)
	if len(left) > 0 {
		tb.Errorf("left behind: %q", left)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"d/a.md": before})
	path := filepath.Join(dir, "d", "a.md")
	must(t, os.Chmod(path, 0o640))
	must(t, f.Apply(write("d/a.md"), []byte(after)))
	if got := text(t, path); got != after {
		t.Errorf("the file holds %q", got)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	clean(t, filepath.Dir(path))
}

func TestApplyCreates(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"taken.md": "mine\n"})
	w := Write{Path: "new/deep/a.md", Temp: TempPrefix + "t", After: HashOf([]byte(after))}
	must(t, f.Apply(w, []byte(after)))
	if got := text(t, filepath.Join(dir, "new", "deep", "a.md")); got != after {
		t.Errorf("the file holds %q", got)
	}
	w.Path = "taken.md"
	if err := f.Apply(w, []byte(after)); !errors.Is(err, ErrExists) {
		t.Errorf("over another file: %v", err)
	}
	if got := text(t, filepath.Join(dir, "taken.md")); got != "mine\n" {
		t.Errorf("the other file holds %q", got)
	}
	clean(t, dir)
}

func TestApplyRemoves(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": before, "b.md": "edited\n"})
	w := write("a.md")
	w.After = ""
	must(t, f.Apply(w, nil))
	if exists := text(t, filepath.Join(dir, "a.md")); exists != "" {
		t.Errorf("the file holds %q", exists)
	}
	w.Path = "b.md"
	var changed *Changed
	if err := f.Apply(w, nil); !errors.As(err, &changed) {
		t.Errorf("an edited file: %v", err)
	}
	if got := text(t, filepath.Join(dir, "b.md")); got != "edited\n" {
		t.Errorf("the edited file holds %q", got)
	}
	clean(t, dir)
}

// TestApplyConflict: what another program does between our look and each step
// is never lost, and the write says so.
func TestApplyConflict(t *testing.T) {
	t.Parallel()
	const theirs = "what the person just saved\n"
	saves := map[string]func(path string) error{
		"in place": func(path string) error { return os.WriteFile(path, []byte(theirs), 0o644) },
		"by rename": func(path string) error {
			temp := filepath.Join(filepath.Dir(path), "editor.tmp")
			return errors.Join(os.WriteFile(temp, []byte(theirs), 0o644), os.Rename(temp, path))
		},
	}
	for name, save := range saves {
		for _, step := range []Step{StepStart, StepTemp, StepHalf, StepWritten, StepSynced} {
			t.Run(name+" at "+string(step), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path := filepath.Join(dir, "a.md")
				put(t, path, before)
				f := hooked(t, dir, func(s Step) error {
					if s == step {
						return save(path)
					}
					return nil
				})
				var changed *Changed
				if err := f.Apply(write("a.md"), []byte(after)); !errors.As(err, &changed) || changed.Hash != HashOf([]byte(theirs)) {
					t.Errorf("Apply = %v, want changed to their hash", err)
				}
				if got := text(t, path); got != theirs {
					t.Errorf("the file holds %q", got)
				}
				clean(t, dir)
			})
		}
	}
}

// TestApplyReturns: a save that lands while an earlier one is being put back is
// put back in turn; what the person saved last stands.
func TestApplyReturns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	put(t, path, before)
	f := hooked(t, dir, func(s Step) error {
		switch s {
		case StepSynced:
			return os.WriteFile(path, []byte("first save\n"), 0o644)
		case StepSwapped: // ours is in place now; the editor saves over it
			return os.WriteFile(path, []byte("second save\n"), 0o644)
		}
		return nil
	})
	var changed *Changed
	if err := f.Apply(write("a.md"), []byte(after)); !errors.As(err, &changed) {
		t.Errorf("Apply = %v, want changed", err)
	}
	if got := text(t, path); got != "second save\n" {
		t.Errorf("the file holds %q", got)
	}
	clean(t, dir)
}

func TestApplyGone(t *testing.T) {
	t.Parallel()
	for _, step := range []Step{StepStart, StepSynced} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.md")
		put(t, path, before)
		f := hooked(t, dir, func(s Step) error {
			if s == step {
				return os.Remove(path)
			}
			return nil
		})
		err := f.Apply(write("a.md"), []byte(after))
		if err == nil {
			t.Errorf("at %s: a file that was deleted is written", step)
		}
		if got := text(t, path); got != "" {
			t.Errorf("at %s: the deleted file is back: %q", step, got)
		}
		clean(t, dir)
	}
}

// TestApplyFails: a step that fails leaves the old bytes or the new ones, and
// Settle says which.
func TestApplyFails(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left on device")
	for _, step := range replaceSteps {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "a.md")
			put(t, path, before)
			f := hooked(t, dir, func(s Step) error {
				if s == step {
					return full
				}
				return nil
			})
			w := write("a.md")
			var storage *Storage
			if err := f.Apply(w, []byte(after)); !errors.As(err, &storage) {
				t.Fatalf("Apply = %v, want storage", err)
			}
			settle(t, dir, w)
		})
	}
}

func TestLargeWrite(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": before})
	big := []byte(strings.Repeat("字", 1<<20))
	w := write("a.md")
	w.After = HashOf(big)
	must(t, f.Apply(w, big))
	if got := text(t, filepath.Join(dir, "a.md")); got != string(big) {
		t.Errorf("%d bytes", len(got))
	}
}
