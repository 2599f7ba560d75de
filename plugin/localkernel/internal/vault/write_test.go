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
	for _, step := range []Step{StepStart, StepTemp, StepHalf, StepWritten, StepSynced, StepSwapped, StepChecked, StepDurable, StepCleaned} {
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

// settle settles a write and holds what it says against the file.
func settle(tb testing.TB, dir string, w Write) Settlement {
	tb.Helper()
	got, err := hooked(tb, dir, nil).Settle(w, []byte(after))
	must(tb, err)
	want := map[string]Outcome{before: Dropped, after: Done}[text(tb, filepath.Join(dir, "a.md"))]
	if want == "" {
		want = Conflicted
	}
	if got.Outcome != want {
		tb.Errorf("settled as %s, want %s: the file holds %q", got.Outcome, want, text(tb, filepath.Join(dir, "a.md")))
	}
	clean(tb, dir)
	return got
}

// crash is what a hook panics with, so that nothing behind the step runs.
type crash struct{}

// crashed runs a write that ends at a step as a kill would end it.
func crashed(tb testing.TB, dir string, w Write, data []byte, at Step, then func()) {
	tb.Helper()
	f := hooked(tb, dir, func(s Step) error {
		if s == at {
			panic(crash{})
		}
		return nil
	})
	defer func() {
		if _, was := recover().(crash); was && then != nil {
			then()
		}
	}()
	_ = f.Apply(w, data)
}

// TestSettle: a crash at each step, with and without a person who saves before
// anybody settles.
func TestSettle(t *testing.T) {
	t.Parallel()
	const theirs = "saved after the crash\n"
	for _, step := range []Step{StepStart, StepTemp, StepHalf, StepWritten, StepSynced, StepSwapped, StepChecked, StepDurable, StepCleaned} {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "a.md")
			put(t, path, before)
			crashed(t, dir, write("a.md"), []byte(after), step, nil)
			if got := text(t, path); got != before && got != after {
				t.Fatalf("a mix: %q", got)
			}
			settle(t, dir, write("a.md"))
			settle(t, dir, write("a.md")) // again: nothing is left to do

			put(t, path, before)
			crashed(t, dir, write("a.md"), []byte(after), step, func() { put(t, path, theirs) })
			if step != StepStart { // there the hook stands before the temp file
				settle(t, dir, write("a.md"))
			}
			if got := text(t, path); got != theirs {
				t.Errorf("what was saved after the crash is gone: %q", got)
			}
		})
	}
}

// TestSettleSave: an editor's save came out of the exchange and the process
// died before it could look. Settling gives it its place again.
func TestSettleSave(t *testing.T) {
	t.Parallel()
	const theirs = "saved in the instant before the exchange\n"
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	put(t, path, before)
	f := hooked(t, dir, func(s Step) error {
		switch s {
		case StepSynced:
			return os.WriteFile(path, []byte(theirs), 0o644)
		case StepSwapped:
			panic(crash{})
		}
		return nil
	})
	func() {
		defer func() { _ = recover() }()
		_ = f.Apply(write("a.md"), []byte(after))
	}()
	if got := text(t, path); got != after {
		t.Fatalf("the crash left %q", got)
	}
	if got := settle(t, dir, write("a.md")); got.Outcome != Conflicted || got.Stray != nil {
		t.Errorf("settled as %+v", got)
	}
	if got := text(t, path); got != theirs {
		t.Errorf("the file holds %q", got)
	}

	// The same, and the person saves once more over ours: the newest stands, and
	// the one before is handed out.
	put(t, path, before)
	func() {
		defer func() { _ = recover() }()
		_ = f.Apply(write("a.md"), []byte(after))
	}()
	put(t, path, "newest\n")
	if got := settle(t, dir, write("a.md")); string(got.Stray) != theirs {
		t.Errorf("settled as %+v", got)
	}
	if got := text(t, path); got != "newest\n" {
		t.Errorf("the file holds %q", got)
	}
}

// TestSettleNew: creations and removals that were cut off.
func TestSettleNew(t *testing.T) {
	t.Parallel()
	for _, step := range []Step{StepStart, StepSwapped, StepDurable, StepCleaned} {
		t.Run("remove "+string(step), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "a.md"), before)
			w := Write{Path: "a.md", Temp: TempPrefix + "t", Before: HashOf([]byte(before))}
			crashed(t, dir, w, nil, step, nil)
			got, err := hooked(t, dir, nil).Settle(w, nil)
			must(t, err)
			here := text(t, filepath.Join(dir, "a.md"))
			if here != "" && here != before || (here == "") != (got.Outcome == Done) {
				t.Errorf("settled as %s with %q", got.Outcome, here)
			}
			clean(t, dir)
		})
	}
}

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
