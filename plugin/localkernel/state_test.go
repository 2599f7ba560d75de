package localkernel

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// TestNoState: without a state folder pages are read, dry runs show what would
// be, and every write is refused before anything is touched.
func TestNoState(t *testing.T) {
	t.Parallel()
	unusable := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(unusable, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, state := range map[string]string{"none": "", "a file": unusable} {
		b := begin(t, map[string]string{"a.md": "x\n"}, func(o *Options) { o.StateDir = state })
		if got := b.ok("mnote.page.get", "a.md", nil); got.revision() != 0 || got.result["contentHash"] == "" {
			t.Errorf("%s: %s", name, got.raw)
		}
		b.ok("mnote.context.get", "a.md", nil)
		b.ok("mnote.doc.list", "", nil)
		if got := b.ok("mnote.artifact.list", "a.md", nil).strings("artifacts", "kind"); len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
		for tool, args := range map[string]map[string]any{
			"mnote.page.save": appended("y"), "mnote.doc.create": {"title": "t"}, "mnote.artifact.create_summary": {"summary": "s"},
			"mnote.command.undo": {"commandId": "c"}, "mnote.doc.restore": {"revision": 1},
		} {
			b.refused(tools.CodeKernelUnavailable, "no_state", tool, "a.md", args)
		}
		b.holds("a.md", "x\n")
		if entries, _ := os.ReadDir(b.dir); len(entries) != 1 {
			t.Errorf("%s: something was written: %v", name, entries)
		}
		if state == "" {
			dry := b.ok("mnote.page.save", "a.md", appended("y"), dryRun)
			if dry.result["planId"] != nil || dry.strings("warnings", "reason")[0] != "no_state" || !strings.Contains(dry.result["unifiedDiff"].(string), "+y") {
				t.Errorf("%s", dry.raw)
			}
		}
	}
}

// TestCorruptState: a damaged state.db is set aside with a word in the log,
// reads and writes go on, and no revision that was told before fits again.
func TestCorruptState(t *testing.T) {
	t.Parallel()
	damages := map[string]func(path string) error{
		"garbage": func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("garbage "), 4096), 0o600) },
		"middle": func(path string) error {
			data, err := os.ReadFile(path)
			copy(data[len(data)/3:], bytes.Repeat([]byte{0xff}, len(data)/2))
			return errors.Join(err, os.WriteFile(path, data, 0o600))
		},
		"deleted":          os.Remove,
		"emptied":          func(path string) error { return os.Truncate(path, 0) },
		"the whole folder": func(path string) error { return os.RemoveAll(filepath.Dir(filepath.Dir(path))) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			b := begin(t, map[string]string{"a.md": "agent's view\n"})
			stale := b.ok("mnote.page.save", "a.md", appended("more")).revision()
			b.must(b.Close())
			state := filepath.Join(b.state, b.id, "state.db")
			for _, side := range []string{"-wal", "-shm"} {
				_ = os.Remove(state + side)
			}
			b.must(damage(state))
			b.put("a.md", "a person's edit\n")
			b.Kernel = b.open(func(o *Options) { o.Log = zerolog.New(&log) })
			got := b.ok("mnote.page.get", "a.md", nil)
			if got.revision() <= stale {
				t.Errorf("the revision starts again at %d: one told before would fit", got.revision())
			}
			b.refused(tools.CodeConflict, "revision", "mnote.page.save", "a.md", replaced(stale, "agent"))
			b.holds("a.md", "a person's edit\n")
			b.ok("mnote.page.save", "a.md", replaced(got.revision(), "agent"))
			b.holds("a.md", "agent\n")
			aside, _ := filepath.Glob(state + ".corrupt-*")
			if (name == "garbage" || name == "middle") && (len(aside) == 0 || !strings.Contains(log.String(), "aside")) {
				t.Errorf("set aside: %v; log: %s", aside, log.String())
			}
		})
	}
}

// TestWorkspaceGone: a folder that was deleted, moved or replaced is said to be
// gone, and served again when it is back.
func TestWorkspaceGone(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	b.ok("mnote.page.get", "a.md", nil)
	moved := b.dir + "-moved"
	b.must(os.Rename(b.dir, moved))
	b.refused(tools.CodeKernelUnavailable, "workspace_gone", "mnote.page.get", "a.md", nil)
	b.refused(tools.CodeKernelUnavailable, "workspace_gone", "mnote.page.save", "a.md", appended("y"))
	b.must(os.Mkdir(b.dir, 0o755))
	b.put("a.md", "another folder's\n")
	b.refused(tools.CodeKernelUnavailable, "workspace_gone", "mnote.page.save", "a.md", appended("y"))
	b.holds("a.md", "another folder's\n")
	b.must(os.RemoveAll(b.dir))
	b.must(os.Rename(moved, b.dir))
	b.ok("mnote.page.save", "a.md", appended("y"))
	if _, err := Open(filepath.Join(b.dir, "nope"), Options{}); err == nil {
		t.Error("a missing folder opens")
	}
}

// TestMovedWorkspace: a workspace that moved keeps its history; a copy has its
// own.
func TestMovedWorkspace(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	b.ok("mnote.page.save", "a.md", appended("y"))
	id, home := b.id, b.dir
	copied := filepath.Join(t.TempDir(), "copy")
	b.must(os.CopyFS(copied, os.DirFS(home)))
	b.dir = copied
	c := b.on(b.open())
	if got := c.ok("mnote.page.save", "a.md", appended("z")); c.id == id || got.revision() != 2 {
		t.Errorf("the copy is %s: %s", c.id, got.raw)
	}
	b.must(b.Close())
	b.dir = home + "-moved"
	b.must(os.Rename(home, b.dir))
	b.Kernel = b.open()
	if got := b.ok("mnote.page.get", "a.md", nil); b.id != id || got.revision() != 2 {
		t.Errorf("the moved folder is %s: %s", b.id, got.raw)
	}
}

// TestDiskFull: a disk that takes no more refuses the write; the page, its
// history and the next write are as they were.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	for _, step := range []vault.Step{vault.StepTemp, vault.StepHalf, vault.StepWritten, vault.StepSynced, vault.StepSwapped, vault.StepDurable} {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			full := true
			b := begin(t, map[string]string{"a.md": "x\n"}, func(o *Options) {
				o.hook = func(s vault.Step) error {
					if full && s == step {
						return &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
					}
					return nil
				}
			})
			request := b.request("mnote.page.save", "a.md", appended("y"))
			a := b.send(request)
			text := b.text("a.md")
			if a.OK != (text == "x\n\ny\n") || !a.OK && (text != "x\n" || a.Error.Code != tools.CodeKernelUnavailable || a.Error.Details["reason"] != "storage") {
				t.Errorf("%s with %q in the page", a.raw, text)
			}
			b.swept()
			full = false
			if a := b.send(request); !a.OK || a.revision() != 2 {
				t.Errorf("the retry: %s", a.raw)
			}
			b.holds("a.md", "x\n\ny\n")
		})
	}
}

// TestAtOnce: many calls at once, through two kernels on one folder, the same
// keys among them: each key is one write.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "start\n", "b.md": "start\n"})
	second := b.on(b.open())
	var all sync.WaitGroup
	var requests []map[string]any
	for i := range 12 {
		requests = append(requests, b.request("mnote.page.save", []string{"a.md", "b.md"}[i%2], appended(fmt.Sprintf("w%d.", i))))
	}
	for i, request := range requests {
		for _, k := range []*bench{b, second, b} {
			all.Go(func() {
				again := map[string]any{}
				for name, value := range request {
					again[name] = value
				}
				status, raw := k.post(again)
				if status != 200 || !strings.Contains(string(raw), `"ok":true`) {
					t.Errorf("write %d: %s", i, raw)
				}
				k.post(k.request("mnote.page.get", "a.md", nil))
			})
		}
	}
	all.Wait()
	for i := range requests {
		if n := strings.Count(b.text("a.md")+b.text("b.md"), fmt.Sprintf("w%d.", i)); n != 1 {
			t.Errorf("write %d is there %d times", i, n)
		}
	}
	b.swept()
}

// TestKeyAges: the answer of a key is kept a week, that it was used ninety
// days.
func TestKeyAges(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	b := begin(t, map[string]string{"a.md": "x\n"}, func(o *Options) { o.Now = func() time.Time { return now } })
	request := b.request("mnote.page.save", "a.md", appended("y"))
	b.send(request)
	now = now.Add(8 * 24 * time.Hour)
	b.ok("mnote.artifact.create_ai_note", "a.md", map[string]any{"content": "n"}) // a later write sweeps
	if a := b.send(request); a.OK || a.Error.Code != tools.CodeIdempotencyConflict || a.Error.Details["reason"] != "answer_dropped" {
		t.Errorf("after eight days: %s", a.raw)
	}
	b.holds("a.md", "x\n\ny\n")
}

// TestCommandIDs: ids that a caller used twice still name one command each.
func TestCommandIDs(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	same := func(r map[string]any) { r["traceId"], r["toolCallId"] = "trace_1", "call_1" }
	one, two := b.ok("mnote.page.save", "a.md", appended("1"), same), b.ok("mnote.page.save", "a.md", appended("2"), same)
	if one.commandID() != "page_body_save_trace_1_call_1" || two.commandID() == one.commandID() {
		t.Errorf("%q and %q", one.commandID(), two.commandID())
	}
	b.undo(two)
	b.holds("a.md", "x\n\n1\n")
}
