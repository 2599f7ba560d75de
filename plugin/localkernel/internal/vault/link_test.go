//go:build linux || darwin

package vault

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const canary = "CANARY-7391"

// TestLinks: case B19.
func TestLinks(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, filepath.Join(outside, "canary.md"), canary)
	f, dir := folder(t, map[string]string{"real.md": "real\n", "sub/deep.md": "deep\n", ".hidden/h.md": "hidden"})
	link := func(target, name string) { must(t, os.Symlink(target, filepath.Join(dir, name))) }
	link(filepath.Join(outside, "canary.md"), "abs.md")
	link(outside, "absdir")
	link("../"+filepath.Base(outside), "reldir")
	link("loop-b.md", "loop-a.md")
	link("loop-a.md", "loop-b.md")
	link("../real.md", "sub/up.md")
	link("../../"+filepath.Base(outside)+"/canary.md", "sub/out.md")
	link(filepath.Join(dir, "sub", "deep.md"), "inside-abs.md")
	link("sub", "insidedir")
	link("nowhere.md", "broken.md")
	link(".hidden/h.md", "peek.md")
	link("inside-abs.md", "chain.md")
	tests := []struct {
		id     ID
		text   string
		at     ID
		denied bool
	}{
		{id: "abs.md", denied: true},
		{id: "absdir/canary.md", denied: true},
		{id: "reldir/canary.md", denied: true},
		{id: "sub/out.md", denied: true},
		{id: "loop-a.md", denied: true},
		{id: "sub/up.md", text: "real\n", at: "real.md"},
		{id: "inside-abs.md", text: "deep\n", at: "sub/deep.md"},
		{id: "insidedir/deep.md", text: "deep\n", at: "sub/deep.md"},
		{id: "chain.md", text: "deep\n", at: "sub/deep.md"},
		{id: "broken.md"},
		{id: "peek.md"},
	}
	for _, tt := range tests {
		got, err := f.Read(tt.id)
		var denied *Denied
		switch {
		case tt.denied && (!errors.As(err, &denied) || denied.Reason != "link"):
			t.Errorf("Read(%q) = %v, want denied: link", tt.id, err)
		case tt.text == "" && !tt.denied && !errors.Is(err, ErrNotFound):
			t.Errorf("Read(%q) = %v, want not found", tt.id, err)
		case tt.text != "" && (err != nil || string(got.Data) != tt.text || got.ID != tt.at):
			t.Errorf("Read(%q) = %v, %v; want %q at %q", tt.id, got, err, tt.text, tt.at)
		}
	}
	must(t, f.Walk(Listing{}, func(e Entry) error {
		if strings.Contains(string(e.ID), "canary") {
			t.Errorf("the walk shows %q", e.ID)
		}
		return nil
	}))
}

// TestHardLink: a second name may be anywhere, so the file is read and not
// written.
func TestHardLink(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": "a\n"})
	other := filepath.Join(dir, ".second")
	must(t, os.Link(filepath.Join(dir, "a.md"), other))
	file, err := f.Read("a.md")
	must(t, err)
	var readOnly *ReadOnly
	if err := f.Writable(file); !errors.As(err, &readOnly) || readOnly.Reason != "hard_link" {
		t.Errorf("Writable = %v, want read only: hard_link", err)
	}
	w := Write{Path: "a.md", Temp: TempPrefix + "1", Before: file.Hash, After: HashOf([]byte("b\n"))}
	if err := f.Apply(w, []byte("b\n")); !errors.As(err, &readOnly) {
		t.Errorf("Apply = %v, want read only", err)
	}
	if got, _ := os.ReadFile(other); string(got) != "a\n" {
		t.Errorf("the other name holds %q", got)
	}
}

// TestSwappedLink: case B19, a link that takes a file's or a folder's place
// between the check and the open. Whatever the instant, what is read is the
// file or nothing.
func TestSwappedLink(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, filepath.Join(outside, "x.md"), canary)
	f, dir := folder(t, map[string]string{"d/x.md": "fine\n", "y.md": "fine\n", ".secret/x.md": canary})
	stop := make(chan struct{})
	var swaps sync.WaitGroup
	swap := func(name, evil string) {
		swaps.Go(func() {
			path, good := filepath.Join(dir, name), filepath.Join(dir, ".good-"+name)
			for {
				select {
				case <-stop:
					return
				default:
				}
				_ = os.Rename(path, good)
				_ = os.Symlink(evil, path)
				_ = os.Remove(path)
				_ = os.Rename(good, path)
			}
		})
	}
	swap("d", outside)
	swap("y.md", filepath.Join(".secret", "x.md"))
	deadline := time.Now().Add(700 * time.Millisecond)
	read := 0
	for time.Now().Before(deadline) {
		for _, id := range []ID{"d/x.md", "y.md"} {
			file, err := f.Read(id)
			if err != nil {
				continue
			}
			read++
			if string(file.Data) != "fine\n" {
				t.Fatalf("Read(%q) gave %q", id, file.Data)
			}
			data := []byte("fine\n")
			w := Write{Path: file.Path, Temp: TempPrefix + "s", Before: file.Hash, After: HashOf(data)}
			_ = f.Apply(w, data)
		}
	}
	close(stop)
	swaps.Wait()
	if read == 0 {
		t.Error("no read got through; the race was not run")
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "x.md")); string(got) != canary {
		t.Errorf("outside holds %q", got)
	}
	if got, _ := os.ReadDir(outside); len(got) != 1 {
		t.Errorf("outside holds %d files", len(got))
	}
}

// TestNoPlainFile: a pipe in a file's place does not make anybody wait.
func TestNoPlainFile(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, nil)
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o644))
	if _, err := f.Read("pipe.md"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Read = %v, want not found", err)
	}
}

func TestReadOnlyMode(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": "a\n"})
	must(t, os.Chmod(filepath.Join(dir, "a.md"), 0o444))
	file, err := f.Read("a.md")
	must(t, err)
	var readOnly *ReadOnly
	if err := f.Writable(file); !errors.As(err, &readOnly) || readOnly.Reason != "mode" {
		t.Errorf("Writable = %v, want read only: mode", err)
	}
}

// TestLinkNew: the way of file systems that cannot rename without overwriting.
func TestLinkNew(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": before, "taken.md": "mine\n"})
	s, err := f.spot("a.md")
	must(t, err)
	defer s.close()
	if err := linkNew(s.dir, "a.md", "taken.md"); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a taken name: %v", err)
	}
	must(t, linkNew(s.dir, "a.md", "b.md"))
	if text(t, filepath.Join(dir, "b.md")) != before || text(t, filepath.Join(dir, "a.md")) != "" || text(t, filepath.Join(dir, "taken.md")) != "mine\n" {
		t.Error("the file did not move, or overwrote another")
	}
}
