package vault

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestVacant(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": "a", "Sub/x.md": "x", "Über/e\u0301.md": "é"})
	must(t, os.Symlink("Sub", filepath.Join(dir, "link")))
	must(t, os.Symlink("/", filepath.Join(dir, "out")))
	tests := []struct {
		id   ID
		disk string
		err  error
	}{
		{"b.md", "b.md", nil},
		{"Sub/y.md", "Sub/y.md", nil},
		{"link/y.md", "Sub/y.md", nil},
		{"new/deep/y.md", "new/deep/y.md", nil},
		{"a.md", "", ErrExists},
		{"A.MD", "", ErrExists},
		{"Über/\u00e9.md", "", ErrExists},
		{"sub/y.md", "", ErrExists}, // a second Sub would be the same one elsewhere
		{"a.md/b.md", "", ErrExists},
		{".hidden/b.md", "", ErrIgnored},
	}
	for _, tt := range tests {
		disk, err := f.Vacant(tt.id)
		if disk != tt.disk || !errors.Is(err, tt.err) {
			t.Errorf("Vacant(%q) = %q, %v; want %q, %v", tt.id, disk, err, tt.disk, tt.err)
		}
	}
	var denied *Denied
	if _, err := f.Vacant("out/x.md"); !errors.As(err, &denied) {
		t.Errorf("Vacant through a link out = %v", err)
	}
}

// TestVacantTellsOfNoIgnoredFile: a place that differs from what is listed in
// case only is ignored, and it makes no difference whether a file is there.
func TestVacantTellsOfNoIgnoredFile(t *testing.T) {
	t.Parallel()
	const list = "private.md\nsecret/\n/x/*.tmp.md\n*-DRAFT.md\n!keep-DRAFT.md\n[A-Z]*\n"
	files := map[string]string{"private.md": "p", "secret/a.md": "s", "x/1.tmp.md": "t", "a-DRAFT.md": "d", "Big.md": "b"}
	for name, there := range map[string]map[string]string{"there": files, "not there": nil} {
		f, dir := folder(t, there)
		put(t, filepath.Join(dir, IgnoreFile), list)
		for id, want := range map[ID]error{
			"private.md": ErrIgnored, "Private.md": ErrIgnored, "PRIVATE.MD": ErrIgnored, "new/pRivate.md": ErrIgnored,
			"secret/b.md": ErrIgnored, "Secret/b.md": ErrIgnored, "x/1.TMP.md": ErrIgnored, "X/1.tmp.md": ErrIgnored,
			"a-draft.md": ErrIgnored, "keep-draft.md": nil, "privates.md": nil, "y/1.tmp.md": nil,
		} {
			if _, err := f.Vacant(id); !errors.Is(err, want) {
				t.Errorf("%s: Vacant(%q) = %v, want %v", name, id, err, want)
			}
		}
		// A class of letters is written to tell the cases apart. What is in the way is
		// not told of even so.
		if _, err := f.Vacant("big.md"); !errors.Is(err, map[string]error{"there": ErrIgnored}[name]) {
			t.Errorf("%s: Vacant beside a class of letters = %v", name, err)
		}
	}
}

// TestVacantBehindLinks: a link to what is ignored has a name that is taken and
// that no reader is told of.
func TestVacantBehindLinks(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"secret/a.md": "s"})
	put(t, filepath.Join(dir, IgnoreFile), "secret\n")
	must(t, os.Symlink("secret", filepath.Join(dir, "way")))
	must(t, os.Symlink("secret/a.md", filepath.Join(dir, "a.md")))
	for _, id := range []ID{"way/a.md", "way/new.md", "WAY/a.md", "a.md", "A.md"} {
		if _, err := f.Vacant(id); !errors.Is(err, ErrIgnored) {
			t.Errorf("Vacant(%q) = %v", id, err)
		}
	}
}
