package main

import (
	"runtime"
	"testing"
)

// A word that a person pastes into a shell arrives there as it was.
func TestShellWord(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		if got := shellWord(`C:\My Notes`); got != `"C:\My Notes"` {
			t.Error(got)
		}
		return
	}
	for word, want := range map[string]string{
		"/home/a/notes": "/home/a/notes", "/tmp/st_z s": "'/tmp/st_z s'", "": "''", "/a/$HOME;`x`": "'/a/$HOME;`x`'",
		"/it's": `'/it'\''s'`, "~/x": "'~/x'", "/笔记": "'/笔记'", "a\\b": `'a\b'`,
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q is %s, not %s", word, got, want)
		}
	}
}
