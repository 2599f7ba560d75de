package proofs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCorrupt: each database of the state folder is damaged, under a running
// host and between two, at its start, in its middle, cut short, and emptied. It
// is set aside with a message; reading goes on; no revision that was told is
// told again for other bytes; writing works.
func TestCorrupt(t *testing.T) {
	damages := map[string]func([]byte) []byte{
		"head":   func(d []byte) []byte { return append(bytes.Repeat([]byte("damage! "), 16), d[128:]...) },
		"middle": func(d []byte) []byte { copy(d[4096:], bytes.Repeat([]byte{0xa5}, len(d)-4096)); return d },
		"text":   func([]byte) []byte { return []byte("this is no database\n") },
		"short":  func(d []byte) []byte { return d[:len(d)/2] },
	}
	for damage, f := range damages {
		for _, file := range []string{"state.db", "host.db"} {
			t.Run(damage+" "+file, func(t *testing.T) { corrupt(t, file, f) })
		}
	}
}

func corrupt(t *testing.T, file string, damage func([]byte) []byte) {
	b := newBox(t)
	b.put("a.md", []byte("# A\n"))
	a := b.agent()
	env, err := a.call("mnote_page_save", appendTo("a.md", "one", "k1"))
	b.must(err)
	told := env.Result.Revision
	b.must(a.leave())
	path := b.stateFile(file)
	data, err := os.ReadFile(path)
	b.must(err)
	for _, log := range []string{"-wal", "-shm"} {
		_ = os.Remove(path + log)
	}
	b.must(os.WriteFile(path, damage(bytes.Clone(data)), 0o600))
	a = b.agent()
	b.reads(a, "a.md")
	page, err := a.call("mnote_page_get", map[string]any{"documentId": "a.md"})
	b.must(err)
	b.put("a.md", []byte("# A\n\nby a person\n"))
	env, err = a.call("mnote_page_save", map[string]any{"documentId": "a.md", "mode": "append", "dryRun": false, "expectedRevision": told, "content": []any{map[string]any{"text": "two"}}})
	b.must(err)
	if env.OK {
		t.Errorf("a revision told before the damage was taken for other bytes: %s, then %s", page.raw, env.raw)
	}
	env, err = a.call("mnote_page_save", appendTo("a.md", "two", "k2"))
	b.must(err)
	if !env.OK || string(b.bytes("a.md")) != "# A\n\nby a person\n\ntwo\n" {
		t.Errorf("writing: %s", env.raw)
	}
	b.must(a.leave())
	aside, err := filepath.Glob(path + ".corrupt-*")
	b.must(err)
	if len(aside) == 0 || !strings.Contains(a.stderr.String(), ".corrupt-") {
		t.Errorf("set aside: %q; said: %s", aside, a.stderr)
	}
}

// stateFile finds a database below the state folder.
func (b *box) stateFile(name string) string {
	b.t.Helper()
	for _, pattern := range []string{name, filepath.Join("ws_*", name)} {
		if found, _ := filepath.Glob(filepath.Join(b.state, pattern)); len(found) == 1 {
			return found[0]
		}
	}
	b.t.Fatalf("no %s in the state folder", name)
	return ""
}
