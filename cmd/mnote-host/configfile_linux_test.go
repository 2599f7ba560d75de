package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A config.toml that a user without root's powers may not read allows nothing,
// and so does one in a folder that may not be entered.
func TestUnreadableConfigAllowsNothing(t *testing.T) {
	t.Parallel()
	f := newFlat(t)
	page := filepath.Join(f.dir, "notes", "a.md")
	if err := os.WriteFile(page, []byte("# A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.give("notes/a.md")
	write := func() (string, int) {
		cmd := f.as(nil, f.host, "call", "mnote.page.save", "documentId=a.md", "content=x", "mode=append", "--workspace", ".", "--state", "../state")
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	config := filepath.Join(f.dir, "state", "config.toml")
	if err := os.WriteFile(config, []byte(`confirm = "writes"`), 0o600); err != nil {
		t.Fatal(err)
	}
	f.give("state/config.toml")
	for name, mode := range map[string]os.FileMode{config: 0, filepath.Join(f.dir, "state"): 0o600} {
		before, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if said, code := write(); code != exitRefused || !strings.Contains(said, "this session may do nothing") || !strings.Contains(said, "permission denied") {
			t.Errorf("%s: exit %d, %s", name, code, said)
		}
		if err := os.Chmod(name, before.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	if said, code := write(); code != exitDone {
		t.Errorf("without one: exit %d, %s", code, said)
	}
}
