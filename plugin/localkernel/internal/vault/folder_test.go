package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folder makes a folder with the files and opens it.
func folder(tb testing.TB, files map[string]string) (*Folder, string) {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		put(tb, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	f, err := Open(dir, Config{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close() })
	return f, dir
}

func put(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"财务/季度.md": "# Q\n", "disk/yes.md": "yes\n", "cafe\u0301.md": "é\n", ".git/x.md": "g", "node_modules/p/r.md": "n"})
	must(t, os.Mkdir(filepath.Join(dir, "folder.md"), 0o755))

	got, err := f.Read("财务/季度.md")
	must(t, err)
	if string(got.Data) != "# Q\n" || got.Hash != HashOf([]byte("# Q\n")) || got.ID != "财务/季度.md" {
		t.Errorf("Read = %q %s %s", got.Data, got.Hash, got.ID)
	}
	decomposed, err := f.Read("caf\u00e9.md")
	must(t, err)
	if decomposed.ID != "caf\u00e9.md" || decomposed.Path != "cafe\u0301.md" {
		t.Errorf("a name in another Unicode form: id %q at %q", decomposed.ID, decomposed.Path)
	}
	// B16: the exact name or nothing; never a file that looks like it.
	for _, id := range []ID{"disk/nope.md", "disk/Yes.md", "DISK/yes.md", "disk/yes", "yes.md", "disk/yes.md/x.md", ".git/x.md", "node_modules/p/r.md", "folder.md", "disk"} {
		if got, err := f.Read(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("Read(%q) = %v, %v; want not found", id, got, err)
		}
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "big.md"), "123456")
	f, err := Open(dir, Config{MaxBytes: 5})
	must(t, err)
	defer f.Close()
	if _, err := f.Read("big.md"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Read = %v, want too large", err)
	}
}

// TestIgnored: what .mnoteignore lists is no document, by any path.
func TestIgnored(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"drafts/a.md": "a", "private.md": "p", "keep.md": "k", "deep/private.md": "d", "x/secret/y.md": "s"})
	put(t, filepath.Join(dir, IgnoreFile), "# drafts stay home\ndrafts/\nprivate.md\r\n!/deep/private.md\nx/**/y.md\n")
	for id, want := range map[ID]error{
		"drafts/a.md": ErrNotFound, "private.md": ErrNotFound, "keep.md": nil, "deep/private.md": nil, "x/secret/y.md": ErrNotFound,
	} {
		if _, err := f.Read(id); !errors.Is(err, want) {
			t.Errorf("Read(%q) = %v, want %v", id, err, want)
		}
	}
	if _, err := f.Vacant("drafts/new.md"); !errors.Is(err, ErrIgnored) {
		t.Errorf("Vacant in an ignored folder = %v", err)
	}
	must(t, os.Remove(filepath.Join(dir, IgnoreFile)))
	must(t, os.Mkdir(filepath.Join(dir, IgnoreFile), 0o755))
	if _, err := f.Read("keep.md"); !errors.Is(err, ErrIgnoreFile) {
		t.Errorf("an unreadable list lets %v through", err)
	}
}

// TestIgnoreRules was held against git check-ignore, line by line.
func TestIgnoreRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rules, path string
		dir, want   bool
	}{
		{"*.log", "a.log", false, true},
		{"*.log", "a/b.log", false, true},
		{"*.log", "a/b.logs", false, false},
		{"/top.md", "top.md", false, true},
		{"/top.md", "a/top.md", false, false},
		{"a/b.md", "a/b.md", false, true},
		{"a/b.md", "x/a/b.md", false, false},
		{"build/", "build", true, true},
		{"build/", "build", false, false},
		{"build/", "x/build/y.md", false, true},
		{"**/foo", "a/b/foo", false, true},
		{"**/foo", "foo", false, true},
		{"abc/**", "abc/x/y", false, true},
		{"abc/**", "abc", true, false},
		{"a/**/b", "a/b", false, true},
		{"a/**/b", "a/x/y/b", false, true},
		{"a?c", "abc", false, true},
		{"a?c", "a/c", false, false},
		{"a*c", "a/c", false, false},
		{"[ab].md", "b.md", false, true},
		{"[!ab].md", "b.md", false, false},
		{"[!ab].md", "c.md", false, true},
		{"[a-c].md", "b.md", false, true},
		{"[].md", "].md", false, false},
		{`\#x`, "#x", false, true},
		{`\!x`, "!x", false, true},
		{"x ", "x", false, true},
		{`x\ `, "x ", false, true},
		{"*.md\n!keep.md", "keep.md", false, false},
		{"!keep.md\n*.md", "keep.md", false, true},
		{"d/\n!d/keep.md", "d/keep.md", false, true},
		{"财务", "财务/季度.md", false, true},
		{"a.md", "axmd", false, false},
		{"(x", "(x", false, true},
		{"#comment", "#comment", false, false},
		{"", "x", false, false},
	}
	for _, tt := range tests {
		if got := parseRules(tt.rules, exactCase).match(tt.path, tt.dir); got != tt.want {
			t.Errorf("%q on %q (folder %v) = %v, want %v", tt.rules, tt.path, tt.dir, got, tt.want)
		}
	}
}

func FuzzIgnoreRules(f *testing.F) {
	f.Add("a/**/b\n[!x]\n\\", "a/b")
	f.Fuzz(func(t *testing.T, rules, path string) {
		parseRules(rules, exactCase).match(path, false)
		parseRules(rules, anyCase).match(path, false)
	})
}

func TestPresent(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": "a"})
	must(t, f.Present())
	must(t, os.Rename(dir, dir+"-moved"))
	if err := f.Present(); !errors.Is(err, ErrGone) {
		t.Errorf("a moved folder: %v", err)
	}
	must(t, os.Mkdir(dir, 0o755))
	if err := f.Present(); !errors.Is(err, ErrGone) {
		t.Errorf("a replaced folder: %v", err)
	}
	must(t, os.Remove(dir))
	must(t, os.Rename(dir+"-moved", dir))
	must(t, f.Present())
}

func TestWalk(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{
		"a/x.md": "", "a/b/y.md": "", "a-b.md": "", "a.md": "", "m.mindmap.json": "{}", "r.docx": "", "note.txt": "", ".h/z.md": "",
		"node_modules/q.md": "", "ignored/i.md": "", IgnoreFile: "ignored/\n",
	})
	must(t, os.Symlink("a.md", filepath.Join(dir, "link.md")))
	must(t, os.Symlink("a", filepath.Join(dir, "linkdir")))
	must(t, os.Symlink(t.TempDir(), filepath.Join(dir, "outdir")))
	must(t, os.Symlink(".", filepath.Join(dir, "a", "loop")))
	all := []string{"a folder", "a/b folder", "a/b/y.md page", "a/loop folder", "a/x.md page", "a-b.md page", "a.md page", "link.md page", "linkdir folder", "m.mindmap.json mindmap", "r.docx office"}
	list := func(l Listing, limit int) (got []string, last ID) {
		t.Helper()
		must(t, f.Walk(l, func(e Entry) error {
			got, last = append(got, string(e.ID)+" "+string(e.Kind)), e.ID
			if len(got) == limit {
				return fs.SkipAll
			}
			return nil
		}))
		return got, last
	}
	got, _ := list(Listing{}, 0)
	if d := cmp.Diff(all, got); d != "" {
		t.Errorf("whole walk (-want +got):\n%s", d)
	}
	for size := 1; size <= len(all); size++ {
		var pages []string
		for after := ID(""); ; {
			part, last := list(Listing{After: after}, size)
			pages = append(pages, part...)
			if len(part) < size {
				break
			}
			after = last
		}
		if d := cmp.Diff(all, pages); d != "" {
			t.Errorf("in pages of %d (-want +got):\n%s", size, d)
		}
	}
	got, _ = list(Listing{Folder: "a", Depth: 1}, 0)
	if d := cmp.Diff([]string{"a/b folder", "a/loop folder", "a/x.md page"}, got); d != "" {
		t.Errorf("one level of a (-want +got):\n%s", d)
	}
	if err := f.Walk(Listing{Folder: "nope"}, nil); !errors.Is(err, ErrNotFound) {
		t.Errorf("a missing folder: %v", err)
	}
}
