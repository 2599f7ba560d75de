package localkernel

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

func (b *bench) undo(of answer, change ...func(map[string]any)) answer {
	return b.call("mnote.command.undo", "", map[string]any{"commandId": of.commandID()}, change...)
}

func TestUndo(t *testing.T) {
	t.Parallel()
	const first = "\ufeff---\r\nt: 1\r\n---\r\n# H\r\n\r\nbody"
	b := begin(t, map[string]string{"a.md": first})
	done := b.ok("mnote.page.save", "a.md", appended("x"))
	written := b.text("a.md")
	dry := b.undo(done, dryRun)
	b.holds("a.md", written)
	undone := b.undo(done)
	b.holds("a.md", first)
	if !undone.OK || undone.revision() != 3 || undone.result["undoneCommandId"] != done.commandID() || undone.commandID() == done.commandID() ||
		undone.result["contentHash"] != dry.result["resultHash"] || *undone.Audit.DocumentID != "a.md" {
		t.Errorf("%s\n%s", dry.raw, undone.raw)
	}
	// An undo is a write of its own, and is undone like one.
	redone := b.undo(undone)
	b.holds("a.md", written)
	b.undo(redone)
	b.holds("a.md", first)

	// Where a person edited since, it is refused with both differences.
	done = b.ok("mnote.page.save", "a.md", appended("y"))
	b.put("a.md", b.text("a.md")+"\r\nperson")
	edited := b.text("a.md")
	r := b.refused(tools.CodeConflict, "changed_since", "mnote.command.undo", "", map[string]any{"commandId": done.commandID()})
	view := r.Error.Details["threeWay"].(map[string]any)
	if !strings.Contains(fmt.Sprint(view["since"]), "+person") || !strings.Contains(fmt.Sprint(view["undo"]), "-y") {
		t.Errorf("%s", r.raw)
	}
	b.holds("a.md", edited)
	b.refused(tools.CodeInvalidArgs, "unknown_command", "mnote.command.undo", "", map[string]any{"commandId": "nope"})
	b.must(removeAll(b.path("a.md")))
	b.refused(tools.CodeConflict, "gone", "mnote.command.undo", "", map[string]any{"commandId": done.commandID()})
	b.holds("a.md", "<none>")
}

// TestUndoneAlready: a second undo says so and by what; once that is undone the
// write can be undone again.
func TestUndoneAlready(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "old\n"})
	done := b.ok("mnote.page.save", "a.md", appended("x"))
	undone := b.undo(done)
	r := b.refused(tools.CodeConflict, "already_undone", "mnote.command.undo", "", map[string]any{"commandId": done.commandID()})
	if r.Error.Details["undoneBy"] != undone.commandID() || !strings.Contains(r.Error.Message, "already undone (by "+undone.commandID()) {
		t.Errorf("%s", r.raw)
	}
	b.undo(undone)
	b.ok("mnote.page.save", "a.md", appended("y"))
	b.refused(tools.CodeConflict, "changed_since", "mnote.command.undo", "", map[string]any{"commandId": done.commandID()})
	b.put("a.md", "old\n\nx\n")
	if a := b.undo(done); !a.OK {
		t.Errorf("%s", a.raw)
	}
	b.holds("a.md", "old\n")
}

// TestUndoOfProtection: of all writes to a protected page the one that protected
// it is undone, and only by a call that says so; no other is.
func TestUndoOfProtection(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "old\n"})
	before := b.ok("mnote.page.save", "a.md", appended("x"))
	written := b.text("a.md")
	set := b.ok("mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"protectEditing": true}})
	protected := b.text("a.md")
	unlock := func(a answer) map[string]any { return map[string]any{"commandId": a.commandID(), "unlock": true} }
	b.refused(tools.CodePageProtected, "", "mnote.command.undo", "", unlock(before))
	r := b.refused(tools.CodePageProtected, "", "mnote.command.undo", "", map[string]any{"commandId": set.commandID()})
	if r.Error.Details["unlock"] != true {
		t.Errorf("%s", r.raw)
	}
	b.holds("a.md", protected)
	b.put("a.md", protected+"by hand\n") // not the bytes that the write made
	b.refused(tools.CodeConflict, "changed_since", "mnote.command.undo", "", unlock(set))
	b.put("a.md", protected)
	b.ok("mnote.command.undo", "", unlock(set))
	b.holds("a.md", written)
	if a := b.undo(before); !a.OK {
		t.Errorf("%s", a.raw)
	}
	b.holds("a.md", "old\n")
}

// TestUndoSession: a session's writes, taken back one by one from the last.
func TestUndoSession(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "# One\n\ntext\n"})
	want := b.text("a.md")
	var done []answer
	done = append(done, b.ok("mnote.page.update_title", "a.md", map[string]any{"title": "Two"}), b.ok("mnote.page.save", "a.md", appended("x")),
		b.ok("mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"showToc": true}}), b.ok("mnote.page.save", "a.md", appended("z")))
	for i := len(done) - 1; i >= 0; i-- {
		if a := b.undo(done[i]); !a.OK {
			t.Fatalf("%s", a.raw)
		}
	}
	b.holds("a.md", want)
}

func TestUndoCreate(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	done := b.ok("mnote.doc.create", "", map[string]any{"path": "new.md", "content": "text\n"})
	undone := b.undo(done)
	b.holds("new.md", "<none>")
	if !undone.OK || undone.revision() != 2 {
		t.Errorf("%s", undone.raw)
	}
	b.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "new.md", nil)
	if a := b.undo(undone); !a.OK {
		t.Errorf("%s", a.raw)
	}
	b.holds("new.md", "text\n")
	history := b.ok("mnote.doc.history", "new.md", nil)
	if got := strings.Join(history.strings("revisions", "source"), " "); got != "undo undo agent" {
		t.Errorf("%s", history.raw)
	}
	b.put("new.md", "a person wrote on\n")
	b.refused(tools.CodeConflict, "changed_since", "mnote.command.undo", "", map[string]any{"commandId": done.commandID()})
	b.holds("new.md", "a person wrote on\n")
}

// TestUndoCreateFolders: the folders that a creation made go with its undo where
// they are empty, come again with the undo of that, after a crash as well;
// others stay.
func TestUndoCreateFolders(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"old/keep.md": "k\n"})
	there := func(want string) {
		t.Helper()
		var got []string
		for _, dir := range []string{"old", "old/x", "old/x/y", "old/x/y/z"} {
			if _, err := os.Stat(b.path(dir)); err == nil {
				got = append(got, dir)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("the folders are %s, want %s", s, want)
		}
	}
	one := b.ok("mnote.doc.create", "", map[string]any{"path": "old/x/one.md", "content": "1"})
	two := b.ok("mnote.doc.create", "", map[string]any{"path": "old/x/y/z/two.md", "content": "2"})
	undone := b.undo(two)
	there("old old/x")
	again := b.undo(undone)
	there("old old/x old/x/y old/x/y/z")
	b.put("old/x/y/by-hand.txt", "")
	b.undo(again)
	there("old old/x old/x/y")
	b.undo(one)
	there("old old/x old/x/y")
	b.must(os.RemoveAll(b.path("old/x/y")))
	lone := b.ok("mnote.doc.create", "", map[string]any{"path": "old/lone.md", "content": "3"})
	b.must(os.Remove(b.path("old/keep.md")))
	b.undo(lone)
	there("old old/x")

	three := b.ok("mnote.doc.create", "", map[string]any{"path": "old/x/y/three.md", "content": "3"})
	dying := b.on(b.open(func(o *Options) {
		o.hook = func(s vault.Step) error {
			if s == vault.StepCleaned {
				return errors.New("the process ends here")
			}
			return nil
		}
	}))
	_ = dying.call("mnote.command.undo", "", map[string]any{"commandId": three.commandID()})
	_ = b.call("mnote.page.get", "old/x/y/three.md", nil) // whoever asks next settles it
	there("old old/x")
}

func TestUndoArtifacts(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	contents := func() string {
		return strings.Join(b.ok("mnote.artifact.list", "a.md", nil).strings("artifacts", "content"), " ")
	}
	one := b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "一"})
	two := b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "二"})
	note := b.ok("mnote.artifact.create_ai_note", "a.md", map[string]any{"content": "笔记"})
	b.refused(tools.CodeConflict, "changed_since", "mnote.command.undo", "", map[string]any{"commandId": one.commandID()})
	if a := b.undo(note); !a.OK || contents() != "二" {
		t.Errorf("%s; there is %s", a.raw, contents())
	}
	undone := b.undo(two)
	if contents() != "一" || undone.result["nodeId"] != one.result["nodeId"] {
		t.Errorf("%s; there is %s", undone.raw, contents())
	}
	b.undo(undone)
	if contents() != "二" {
		t.Errorf("there is %s", contents())
	}
	b.undo(b.undo(b.undo(two))) // off, on, off
	if contents() != "一" {
		t.Errorf("there is %s", contents())
	}
	gone := b.undo(one)
	if contents() != "" {
		t.Errorf("%s; there is %s", gone.raw, contents())
	}
	again := b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "三"})
	if again.result["created"] != true || again.result["nodeId"] != one.result["nodeId"] {
		t.Errorf("a page has a second summary: %s", again.raw)
	}
	// Undoing a write to an artifact takes the right to write artifacts.
	only := granted(map[string]any{"permissionLevel": "write", "capabilityScope": []string{"page.write"}})
	if a := b.undo(again, only); a.OK || a.Error.Details["reason"] != "unknown_command" {
		t.Errorf("%s", a.raw)
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "one\n"})
	done := b.ok("mnote.page.save", "a.md", appended("two"))
	text, err := b.Diff(t.Context(), done.commandID())
	if err != nil || !strings.Contains(text, "+two") {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := b.Diff(t.Context(), "nope"); tools.AsError(err).Code != tools.CodeInvalidArgs {
		t.Errorf("%v", err)
	}
}

// TestRandomUndo: random sequences of edits over difficult pages, undone from
// the last to the first, give the bytes that were there.
func TestRandomUndo(t *testing.T) {
	t.Parallel()
	pages := []string{
		"# H\r\n\r\n一\r\n\r\n- a\r\n- b\r\n\r\nend", "\ufeff# H\n\ntext\n\n```go\nx\n```\n", "---\na: \"open\nkeep: yes\n---\nBody\n\nmore\n",
		"text\n\n```\nunclosed\n", "会议\n\n纪要\n\n| a |\n| - |\n| 1 |\n\n---\n", "a\n\n\n\n\nb\n\n<div>\n\n[x]: y\n",
	}
	r := rand.New(rand.NewPCG(1, 2))
	b := begin(t, nil)
	for i := range *rounds / 3 {
		id := fmt.Sprintf("p%d.md", i)
		text := pages[i%len(pages)]
		b.put(id, text)
		var done []answer
		for range 1 + r.IntN(5) {
			got := b.ok("mnote.page.get", id, nil)
			ids := got.strings("blocks", "id")
			if len(ids) == 0 {
				break
			}
			pick := func() string { return ids[r.IntN(len(ids))] }
			args := map[string]any{"blockId": pick(), "content": "新 text", "expectedRevision": got.revision()}
			tool := []string{"mnote.block.update", "mnote.block.delete", "mnote.block.insert", "mnote.block.move", "mnote.page.save", "mnote.page.update_title"}[r.IntN(6)]
			switch tool {
			case "mnote.block.delete":
				delete(args, "content")
			case "mnote.block.insert":
				delete(args, "blockId")
				args["after"] = pick()
			case "mnote.block.move":
				delete(args, "content")
				args["after"] = pick()
			case "mnote.page.save":
				args = appended("tail")
			case "mnote.page.update_title":
				args = map[string]any{"title": "题目"}
			}
			before := b.text(id)
			if a := b.call(tool, id, args); a.OK {
				done = append(done, a)
			} else {
				b.holds(id, before)
			}
		}
		for at := len(done) - 1; at >= 0; at-- {
			if a := b.undo(done[at]); !a.OK {
				t.Fatalf("%s: %s", id, a.raw)
			}
		}
		b.holds(id, text)
	}
}
