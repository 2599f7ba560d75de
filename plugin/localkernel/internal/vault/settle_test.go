package vault

import (
	"os"
	"path/filepath"
	"testing"
)

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
	for _, step := range replaceSteps {
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
