package proofs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// saves are the ways in which editors put a file in place.
var saves = map[string]func(name string, data []byte) error{
	// a new file is renamed over the old one (VS Code on some systems, Obsidian sync, most scripts)
	"rename": func(name string, data []byte) error {
		temp := filepath.Join(filepath.Dir(name), ".editor-save")
		if err := os.WriteFile(temp, data, 0o644); err != nil {
			return err
		}
		return os.Rename(temp, name)
	},
	// the old file becomes a backup first (vim, emacs)
	"backup": func(name string, data []byte) error {
		if err := os.Rename(name, name+"~"); err != nil {
			return err
		}
		return os.WriteFile(name, data, 0o644)
	},
	// truncated and written in place (most small editors, the shell)
	"in place": func(name string, data []byte) error { return os.WriteFile(name, data, 0o644) },
	// the same with a pause in between, as a big page or a slow program makes
	"in place slowly": func(name string, data []byte) error {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		for _, half := range [][]byte{data[:len(data)/2], data[len(data)/2:]} {
			time.Sleep(2 * time.Millisecond)
			if _, err := f.Write(half); err != nil {
				return err
			}
		}
		return f.Close()
	},
}

// TestRacingSaves: a person's editor saves in the same instant in which an agent
// writes, over and over, in every way editors save. Whatever the agent is told,
// the person's save stands: in the page, or in what the agent wrote on top of
// it. It is never replaced by something that was made before it.
func TestRacingSaves(t *testing.T) {
	t.Parallel()
	for way, save := range saves {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			n := size(150, 3_000)
			r := race{box: newBox(t), roll: newRoll(len(way)), save: save}
			r.agent = r.box.agent()
			r.box.put("a.md", []byte("save 0 of the person\n"))
			for i := 1; i <= n; i++ {
				if i%600 == 0 { // a session's calls in one go are bounded
					r.box.must(r.agent.leave())
					r.agent = r.box.agent()
				}
				if err := r.once(i); err != nil {
					t.Fatalf("race %d: %v", i, err)
				}
			}
			t.Logf("%d racing saves, none lost: the agent's write came first %d times, on top %d times, was refused %d times", n, r.under, r.over, r.refused)
			if r.refused == 0 || r.over == 0 || r.under == 0 {
				t.Errorf("nothing raced: %d under, %d over, %d refused", r.under, r.over, r.refused)
			}
			r.box.swept()
		})
	}
}

type race struct {
	box                  *box
	roll                 roll
	agent                *agent
	save                 func(name string, data []byte) error
	under, over, refused int
	// pace is how long a write took of late: saves are spread over it.
	pace time.Duration
}

// raced are the refusals that a race may end in. Not found is said while an
// editor that keeps a backup has moved the page away, denied while one that
// saves in place has it open all too long.
var raced = []string{"mnote_tool_conflict", "mnote_tool_document_not_found", "mnote_tool_permission_denied"}

var serial = regexp.MustCompile(`^save (\d+) of the person\n`)

// once lets one save and one write race, and looks when both are over.
func (r *race) once(i int) error {
	name := r.box.path("a.md")
	want := []byte(fmt.Sprintf("save %d of the person\n", i))
	saved := make(chan error, 1)
	wait := time.Duration(r.roll.Int64N(int64(r.pace)*5/4 + 1))
	start := time.Now()
	go func() {
		for time.Since(start) < wait { // finer than a sleep
		}
		saved <- r.save(name, want)
	}()
	env, err := r.agent.call("mnote_page_save", map[string]any{
		"documentId": "a.md", "mode": "append", "dryRun": false, "content": []any{map[string]any{"text": fmt.Sprintf("agent %d.", i)}},
	})
	r.pace = (r.pace*7 + time.Since(start)) / 8
	if err = joined(err, <-saved); err != nil {
		return err
	}
	got := r.box.bytes("a.md")
	mine := strings.Count(string(got), fmt.Sprintf("agent %d.", i))
	if m := serial.FindSubmatch(got); m == nil || string(m[1]) != fmt.Sprint(i) || mine > 1 {
		return fmt.Errorf("the person saved %q and the page is %q; the agent was told %s", want, got, env.raw)
	}
	switch {
	case env.OK && mine == 1:
		r.over++
	case env.OK:
		r.under++
	case mine == 0 && slices.Contains(raced, env.code()):
		r.refused++
	default:
		return fmt.Errorf("the agent was told %s and the page is %q", env.raw, got)
	}
	return nil
}

func joined(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestTiptap: tiptap's own serializer, of the editor that MNote is built on,
// saves a page between an agent's read and its write. It rewrites nearly all of
// a page. The agent's write is refused, the editor's bytes stand, and they have
// a revision of their own with the source external.
func TestTiptap(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	tiptap := startTiptap(t)
	a := b.agent()
	changed, opened := 0, 0
	for i, src := range corpus(t, size(80, 1_000)) {
		if i%300 == 299 {
			b.must(a.leave())
			a = b.agent()
		}
		name := fmt.Sprintf("%d.md", i)
		b.put(name, src.data)
		page := readWhole(b, a, name)
		if !page.OK {
			t.Fatalf("%s: %s", src.name, page.raw)
		}
		tiptap.save(b.path(name))
		saved := b.bytes(name)
		if bytes.Equal(saved, src.data) {
			continue // the editor changed nothing: there is no conflict to see
		}
		changed++
		env, err := a.call("mnote_page_save", map[string]any{
			"documentId": name, "mode": "append", "dryRun": false, "expectedRevision": page.Result.Revision, "content": []any{map[string]any{"text": "the agent's"}},
		})
		b.must(err)
		if env.code() != "mnote_tool_conflict" || !bytes.Equal(b.bytes(name), saved) {
			t.Errorf("%s: the editor saved in between, and the agent was told %s", src.name, env.raw)
		}
		now := readWhole(b, a, name)
		if now.Result.ContentHash != hashOf(saved) || now.Result.Revision != page.Result.Revision+1 {
			t.Errorf("%s: read again gives %.300s", src.name, now.raw)
		}
		history, err := a.call("mnote_doc_history", map[string]any{"documentId": name, "limit": 5})
		b.must(err)
		if list := history.Result.Revisions; len(list) != 2 || list[0].Source != "external" || list[0].ContentHash != hashOf(saved) {
			t.Errorf("%s: the history is %s", src.name, history.raw)
		}
		if env, err := a.call("mnote_page_save", map[string]any{
			"documentId": name, "mode": "append", "dryRun": false, "expectedRevision": now.Result.Revision, "content": []any{map[string]any{"text": "the agent's"}},
		}); err == nil && env.OK && bytes.HasPrefix(b.bytes(name), bytes.TrimRight(saved, "\n")) {
			opened++
		} else if env.code() != "mnote_tool_invalid_block" || !bytes.Equal(b.bytes(name), saved) {
			t.Errorf("%s: the write after the second read: %v %s", src.name, err, env.raw)
		}
	}
	t.Logf("%d pages rewritten by tiptap between read and write: each write refused, each save kept as an external revision; after reading again %d of %d writes were made", changed, opened, changed)
	if changed < size(40, 500) {
		t.Errorf("tiptap changed %d pages only", changed)
	}
}

// readWhole reads a page as far as one answer goes.
func readWhole(b *box, a *agent, name string) envelope {
	b.t.Helper()
	env, err := a.call("mnote_page_get", map[string]any{"documentId": name, "maxChars": 2000})
	b.must(err)
	return env
}

// tiptap is the editor's process: a path in, the page parsed and serialized and
// saved, a line out.
type tiptap struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func startTiptap(t *testing.T) *tiptap {
	t.Helper()
	script, err := os.ReadFile("tiptap.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "--input-type=module", "-e", string(script))
	cmd.Dir = editors(t)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &tiptap{t, in, bufio.NewReader(out)}
}

func (e *tiptap) save(path string) {
	e.t.Helper()
	if _, err := fmt.Fprintln(e.in, path); err != nil {
		e.t.Fatal(err)
	}
	if line, err := e.out.ReadString('\n'); err != nil || line != "saved\n" {
		e.t.Fatalf("tiptap says %q: %v", line, err)
	}
}
