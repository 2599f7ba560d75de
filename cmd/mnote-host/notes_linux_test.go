package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// One name that is not UTF-8 keeps nobody from trying: it is left out and told.
func TestCopyLeavesOutNamesThatAreNoText(t *testing.T) {
	t.Parallel()
	notes, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.md", "b\xff.md", "c\xfe/d.md"} {
		if err := writeNote(filepath.Join(notes, name), []byte("# A\n")); err != nil {
			t.Fatal(err)
		}
	}
	pages, left, err := copyNotes(os.DirFS(notes), to)
	if err != nil || !slices.Equal(pages, []string{"a.md"}) || !slices.Equal(left, []string{"b\xff.md", "c\xfe"}) {
		t.Errorf("pages %q, left out %q, %v", pages, left, err)
	}
}
