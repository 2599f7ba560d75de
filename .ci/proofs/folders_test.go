package proofs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestFolders: greeting a host and reading a first page cost the same in a
// folder of ten pages, of 10,000 real ones and of 100,000: no folder beside the
// page's own way is opened, which inotify watches. doc.list gives each page once
// over its cursors, and writing works.
func TestFolders(t *testing.T) {
	real := size(2_000, 10_000)
	made := size(10_000, 100_000)
	files := corpus(t, size(100, 0))
	for _, f := range []struct {
		name  string
		pages int
		data  func(i int) []byte
	}{
		{"small", 10, func(i int) []byte { return files[i].data }},
		{"real", real, func(i int) []byte { return files[i%len(files)].data }},
		{"made", made, func(i int) []byte { return fmt.Appendf(nil, "# 页 %d\n\nText %d.\n", i, i) }},
	} {
		t.Run(f.name, func(t *testing.T) {
			b := newBox(t)
			for i := range f.pages {
				b.put(pageName(i), f.data(i))
			}
			name := pageName(f.pages / 2)
			w := watchFolders(t, b.notes)
			start := time.Now()
			a := b.agent()
			greeted := time.Since(start)
			list, err := a.ask("tools/list", map[string]any{})
			b.must(err)
			listed := time.Since(start)
			b.reads(a, name)
			read := time.Since(start)
			way := []string{filepath.Dir(filepath.Dir(name)), filepath.Dir(name)}
			if opened := w.opened(); !slices.Equal(opened, way) {
				t.Errorf("greeting and a first read of %s opened %v", name, opened)
			}
			t.Logf("%d pages in %d folders: greeted after %v, tools listed (%d bytes) after %v, first page read after %v", f.pages, w.count, round(greeted), len(list), round(listed), round(read))
			b.usable(a, f.pages, name)
		})
	}
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// pageName spreads pages over folders, 100 in each.
func pageName(i int) string { return fmt.Sprintf("%02d/%02d/page %d.md", i/10_000, i/100%100, i) }

// usable lists all pages and writes to one.
func (b *box) usable(a *agent, pages int, name string) {
	b.t.Helper()
	start := time.Now()
	seen := map[string]bool{}
	calls, worst := 0, time.Duration(0)
	for cursor := ""; ; calls++ {
		args := map[string]any{"depth": 5, "limit": 200}
		if cursor != "" {
			args["cursor"] = cursor
		}
		began := time.Now()
		env, err := a.call("mnote_doc_list", args)
		b.must(err)
		worst = max(worst, time.Since(began))
		if !env.OK {
			b.t.Fatalf("doc.list at %q: %s", cursor, env.raw)
		}
		for _, e := range env.Result.Entries {
			if e.Kind != "page" {
				continue
			}
			if seen[e.DocumentID] {
				b.t.Errorf("%s is listed twice", e.DocumentID)
			}
			seen[e.DocumentID] = true
		}
		if cursor = env.Result.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != pages {
		b.t.Errorf("doc.list gives %d of %d pages", len(seen), pages)
	}
	b.t.Logf("doc.list gave each page once in %d calls and %v, the longest %v", calls+1, round(time.Since(start)), round(worst))
	before := string(b.bytes(name))
	env, err := a.call("mnote_page_save", map[string]any{"documentId": name, "mode": "append", "dryRun": false, "content": []any{map[string]any{"text": "one more"}}})
	b.must(err)
	if !env.OK && env.code() != "mnote_tool_invalid_block" {
		b.t.Errorf("writing: %s", env.raw)
	}
	if env.OK && hashOf(b.bytes(name)) != env.Result.ContentHash || !env.OK && string(b.bytes(name)) != before {
		b.t.Errorf("writing: %s", env.raw)
	}
}

// watched is an inotify instance over every folder of a tree.
type watched struct {
	t     *testing.T
	fd    int
	count int
	names map[int32]string
}

// watchFolders watches all folders but the root for being opened.
func watchFolders(t *testing.T, root string) *watched {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, fd: fd, names: map[int32]string{}}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == root {
			return err
		}
		id, err := syscall.InotifyAddWatch(fd, path, syscall.IN_OPEN|syscall.IN_ACCESS|syscall.IN_ONLYDIR)
		w.names[int32(id)], _ = filepath.Rel(root, path)
		w.count++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = w.opened() // what the walk itself did
	return w
}

// opened gives the folders that were opened since the last look, each once.
func (w *watched) opened() []string {
	w.t.Helper()
	var list []string
	buf := make([]byte, 1<<20)
	for {
		n, err := syscall.Read(w.fd, buf)
		if err != nil || n <= 0 {
			slices.Sort(list)
			return slices.Compact(list)
		}
		for at := 0; at+syscall.SizeofInotifyEvent <= n; {
			id, mask, length := word(buf[at:]), word(buf[at+4:]), word(buf[at+12:])
			if mask&syscall.IN_ISDIR != 0 && length == 0 { // the folder itself, not something in it
				list = append(list, w.names[int32(id)])
			}
			at += syscall.SizeofInotifyEvent + int(length)
		}
	}
}

func word(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
