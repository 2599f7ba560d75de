package localkernel

import (
	"os"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

func removeAll(path string) error               { return os.RemoveAll(path) }
func chmod(path string, mode os.FileMode) error { return os.Chmod(path, mode) }

func appended(texts ...string) map[string]any {
	return map[string]any{"content": paragraphs(texts...), "mode": "append"}
}

func replaced(revision any, texts ...string) map[string]any {
	return map[string]any{"content": paragraphs(texts...), "mode": "replace", "expectedRevision": revision}
}

func TestSave(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "\ufeff---\r\nt: 1 # kept\r\n---\r\n# H\r\n\r\nbody"})
	a := b.ok("mnote.page.save", "a.md", appended("two\nlines"))
	b.holds("a.md", "\ufeff---\r\nt: 1 # kept\r\n---\r\n# H\r\n\r\nbody\r\n\r\ntwo\r\nlines")
	if a.revision() != 2 || number(a.result["previousRevision"]) != 1 || a.Audit.Effect != tools.EffectWrite || len(a.Audit.ChangedFiles) != 1 {
		t.Errorf("%s", a.raw)
	}
	if !strings.HasPrefix(a.commandID(), "page_body_save_trace_") || !strings.HasSuffix(a.commandID(), a.ToolCallID) {
		t.Errorf("commandId %q", a.commandID())
	}
	a = b.ok("mnote.page.save", "a.md", replaced(2, "# New", "end"))
	b.holds("a.md", "\ufeff---\r\nt: 1 # kept\r\n---\r\n# New\r\n\r\nend")
	if got := b.ok("mnote.page.get", "a.md", nil); got.revision() != 3 || got.result["contentHash"] != a.result["contentHash"] {
		t.Errorf("what was written is not what is read: %s", got.raw)
	}
	if _, err := os.Stat(b.path(".mnote/workspace.json")); err != nil {
		t.Errorf("the first write left no mark: %v", err)
	}

	// Without expectedRevision or plan a replace is refused, and says the revision.
	r := b.refused(tools.CodeConflict, "expected_revision_required", "mnote.page.save", "a.md", map[string]any{"content": paragraphs("x")})
	if number(r.Error.Details["currentRevision"]) != 3 {
		t.Errorf("%s", r.raw)
	}
	// A write that changes nothing is a command and no revision.
	a = b.ok("mnote.page.save", "a.md", replaced(3, "# New", "end"))
	if a.revision() != 3 || a.commandID() == "" || len(a.Audit.ChangedFiles) != 0 {
		t.Errorf("%s", a.raw)
	}
}

// TestRoundTrip: a block as page.get gave it is always accepted.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	text := "# H\n\n- a\n- b\n\n```go\nx := 1\n```\n\n| a |\n| - |\n| 1 |\n\n> quote\n\n<div>\n\n---\n\n[x]: y\n"
	b := begin(t, map[string]string{"a.md": text})
	got := b.ok("mnote.page.get", "a.md", nil)
	a := b.ok("mnote.page.save", "a.md", map[string]any{"content": got.result["blocks"], "mode": "replace", "expectedRevision": got.revision()})
	b.holds("a.md", text)
	if len(a.Audit.ChangedFiles) != 0 {
		t.Errorf("%s", a.raw)
	}
}

// TestB13: a stale revision is never accepted.
func TestB13(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "r1\n"})
	r1 := b.ok("mnote.page.get", "a.md", nil).revision()
	b.put("a.md", "a person's edit\n")
	r := b.refused(tools.CodeConflict, "revision", "mnote.page.save", "a.md", replaced(r1, "agent"))
	if number(r.Error.Details["currentRevision"]) != r1+1 {
		t.Errorf("%s", r.raw)
	}
	b.holds("a.md", "a person's edit\n")
	b.put("a.md", "r1\n") // restored, and seen to differ in between
	b.refused(tools.CodeConflict, "revision", "mnote.page.save", "a.md", replaced(r1, "agent"))
	b.holds("a.md", "r1\n")

	b.put("b.md", "r1\n")
	b.ok("mnote.page.get", "b.md", nil)
	b.must(os.Rename(b.path("b.md"), b.path("c.md")))
	b.refused(tools.CodeDocumentNotFound, "", "mnote.page.save", "b.md", replaced(r1, "agent"))
	b.holds("b.md", "<none>")
	b.holds("c.md", "r1\n")
	for _, tool := range []string{"mnote.page.update_title", "mnote.block.insert"} {
		b.put("a.md", tool+"\n")
		b.refused(tools.CodeConflict, "revision", tool, "a.md", map[string]any{"title": "t", "content": "x", "expectedRevision": r1},
			func(r map[string]any) {
				args := r["args"].(map[string]any)
				delete(args, map[string]string{"mnote.page.update_title": "content", "mnote.block.insert": "title"}[tool])
			})
		b.holds("a.md", tool+"\n")
	}
}

// TestStrictArguments: an argument that is mistyped is refused and not ignored.
func TestStrictArguments(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	tests := map[string]func(map[string]any){
		"unknown":        with("args", map[string]any{"content": paragraphs("x"), "mode": "append", "expectedRevison": 1}),
		"a case variant": with("args", map[string]any{"content": paragraphs("x"), "Mode": "append"}),
		"mode":           with("args", map[string]any{"content": paragraphs("x"), "mode": "prepend"}),
		"content":        with("args", map[string]any{"mode": "append"}),
		"a string":       with("args", map[string]any{"content": "x", "mode": "append"}),
		"no dryRun":      with("dryRun", nil),
		"no key":         with("idempotencyKey", ""),
		"no session":     with("sessionId", ""),
		"no trace":       with("traceId", nil),
		"two documents":  with("args", map[string]any{"content": paragraphs("x"), "mode": "append", "documentId": "b.md"}),
	}
	for name, change := range tests {
		a := b.request("mnote.page.save", "a.md", appended("x"))
		change(a)
		if a["traceId"] == nil { // then nothing can be compared
			_, raw := b.post(a)
			if !strings.Contains(string(raw), string(tools.CodeInvalidArgs)) {
				t.Errorf("%s: %s", name, raw)
			}
			continue
		}
		if got := b.send(a); got.OK || got.Error.Code != tools.CodeInvalidArgs {
			t.Errorf("%s: %s", name, got.raw)
		}
	}
	b.holds("a.md", "x\n")
	// The session's fields may stand among the arguments when they say the same.
	r := b.request("mnote.page.save", "a.md", appended("y"))
	for _, name := range []string{"workspaceId", "documentId", "sessionId", "runId", "toolCallId", "traceId", "idempotencyKey", "dryRun"} {
		r["args"].(map[string]any)[name] = r[name]
	}
	if got := b.send(r); !got.OK {
		t.Errorf("%s", got.raw)
	}
}

func TestTitleAndOptions(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "# Old\n\ntext\n", "plain.md": "text\n", "bad.md": "---\na: \"open\nkeep: yes\n---\nBody\n"})
	b.ok("mnote.page.update_title", "a.md", map[string]any{"title": "新"})
	b.holds("a.md", "# 新\n\ntext\n")
	b.ok("mnote.page.update_title", "plain.md", map[string]any{"title": "新"})
	if got := b.ok("mnote.page.get", "plain.md", nil); got.result["title"] != "新" || !strings.HasSuffix(b.text("plain.md"), "text\n") {
		t.Errorf("%s", got.raw)
	}
	b.refused(tools.CodeInvalidArgs, "", "mnote.page.update_title", "a.md", map[string]any{"title": ""})
	b.ok("mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"showToc": true, "smallText": false}})
	options := b.ok("mnote.page.get", "a.md", nil).result["pageOptions"].(map[string]any)
	if options["showToc"] != true || options["smallText"] != false || options["wideLayout"] != false {
		t.Errorf("%v", options)
	}
	b.refused(tools.CodeInvalidArgs, "", "mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"fullWidth": true}})
	b.refused(tools.CodeInvalidBlock, "frontmatter_invalid", "mnote.page.update_options", "bad.md", map[string]any{"options": map[string]any{"showToc": true}})
	b.holds("bad.md", "---\na: \"open\nkeep: yes\n---\nBody\n")
}

func TestProtected(t *testing.T) {
	t.Parallel()
	const page = "---\nmnote:\n  protectEditing: true\n---\n# P\n\ntext\n"
	b := begin(t, map[string]string{"a.md": page})
	writes := map[string]map[string]any{
		"mnote.page.save":           appended("x"),
		"mnote.page.update_title":   {"title": "x"},
		"mnote.page.update_options": {"options": map[string]any{"showToc": true}},
		"mnote.block.insert":        {"content": "x"},
	}
	for tool, args := range writes {
		b.refused(tools.CodePageProtected, "", tool, "a.md", args)
		b.refused(tools.CodePageProtected, "", tool, "a.md", args, dryRun)
	}
	b.holds("a.md", page)
	b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "allowed"})
	off := b.ok("mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"protectEditing": false}})
	b.ok("mnote.page.save", "a.md", appended("x"))
	on := b.ok("mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"protectEditing": true}})
	// Undo is no way round a person's yes.
	b.refused(tools.CodePageProtected, "", "mnote.command.undo", "", map[string]any{"commandId": on.commandID()})
	b.refused(tools.CodePageProtected, "", "mnote.doc.restore", "a.md", map[string]any{"revision": off.revision()})
}

func TestNotWired(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"}, func(o *Options) { o.Unwired = []string{"showToc"} })
	args := map[string]any{"options": map[string]any{"showToc": true, "wideLayout": true}}
	dry := b.ok("mnote.page.update_options", "a.md", args, dryRun)
	if got := dry.strings("warnings", "option"); len(got) != 1 || got[0] != "showToc" {
		t.Errorf("%s", dry.raw)
	}
	b.refused(tools.CodeNotWired, "", "mnote.page.update_options", "a.md", args)
	b.holds("a.md", "x\n")
	support := b.ok("mnote.page.get", "a.md", nil).result["runtimeSupport"].(map[string]any)
	if support["showToc"] == "wired" || support["wideLayout"] != "wired" {
		t.Errorf("%v", support)
	}
	b.ok("mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"wideLayout": true}})
}

// TestIdempotency: one key is one write; the same key with other content is a
// conflict; a retry gives the first answer.
func TestIdempotency(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n", "b.md": "x\n"})
	key := with("idempotencyKey", "one")
	first := b.ok("mnote.page.save", "a.md", appended("y"), key)
	again := b.ok("mnote.page.save", "a.md", appended("y"), key)
	b.holds("a.md", "x\n\ny\n")
	if !again.Audit.Replayed || again.commandID() != first.commandID() || again.revision() != first.revision() || again.ToolCallID == first.ToolCallID {
		t.Errorf("first: %s\nagain: %s", first.raw, again.raw)
	}
	b.refused(tools.CodeIdempotencyConflict, "", "mnote.page.save", "a.md", appended("z"), key)
	b.refused(tools.CodeIdempotencyConflict, "", "mnote.page.save", "b.md", appended("y"), key)
	b.holds("b.md", "x\n")
	// Another actor, profile or tool has keys of its own.
	b.ok("mnote.page.save", "a.md", appended("y"), key, with("actorId", "user_2"))
	b.ok("mnote.page.save", "a.md", appended("y"), key, with("profile", "other"))
	b.ok("mnote.block.insert", "a.md", map[string]any{"content": "y"}, key)
	// A stored answer is given only to who may still ask for it.
	b.refused(tools.CodePermissionDenied, "", "mnote.page.save", "a.md", appended("y"), key, with("accessScope", map[string]any{"permissionLevel": "read"}))
	b.refused(tools.CodeDocumentNotFound, "", "mnote.page.save", "a.md", appended("y"), key,
		with("accessScope", map[string]any{"permissionLevel": "write", "documentIds": []string{"b.md"}}))
	// A retry after the page is gone is still answered.
	b.must(os.Remove(b.path("a.md")))
	if got := b.ok("mnote.page.save", "a.md", appended("y"), key); !got.Audit.Replayed {
		t.Errorf("%s", got.raw)
	}
	// Dry runs take no key.
	b.ok("mnote.page.save", "b.md", appended("1"), dryRun, with("idempotencyKey", "two"))
	b.ok("mnote.page.save", "b.md", appended("2"), with("idempotencyKey", "two"))
}

// TestSaveTellsWhatIsLeftOut: a block of nothing is told of with its place and in
// words, in plan and answer.
func TestSaveTellsWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	dry, args := b.planned("mnote.page.save", "a.md", map[string]any{"mode": "append", "content": []map[string]any{{"text": "y"}, {"text": "  "}}})
	for _, a := range []answer{dry, b.ok("mnote.page.save", "a.md", args)} {
		w := a.result["warnings"].([]any)[0].(map[string]any)
		if w["reason"] != "empty_block" || w["block"] != 1.0 || w["message"] != "this block says nothing and was left out" {
			t.Errorf("%s", a.raw)
		}
	}
	b.holds("a.md", "x\n\ny\n")
}
