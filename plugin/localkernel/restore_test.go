package localkernel

import (
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "one\n"})
	done := b.ok("mnote.page.save", "a.md", appended("two"))
	b.put("a.md", "person\n")
	h := b.ok("mnote.doc.history", "a.md", nil)
	if got := strings.Join(h.strings("revisions", "source"), " "); got != "external agent external" {
		t.Errorf("%s", h.raw)
	}
	if got := h.strings("revisions", "commandId"); got[1] != done.commandID() {
		t.Errorf("%s", h.raw)
	}
	if got := b.ok("mnote.doc.history", "a.md", map[string]any{"limit": 1}).strings("revisions", "source"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	restore := func(revision int) map[string]any {
		now := b.ok("mnote.doc.history", "a.md", map[string]any{"limit": 1}).result["revisions"].([]any)[0].(map[string]any)
		return map[string]any{"revision": revision, "expectedRevision": now["revision"]}
	}
	for revision, want := range map[int]string{1: "one\n", 2: "one\n\ntwo\n", 3: "person\n"} {
		a := b.ok("mnote.doc.restore", "a.md", restore(revision))
		b.holds("a.md", want)
		if number(a.result["restoredRevision"]) != int64(revision) {
			t.Errorf("%s", a.raw)
		}
	}
	b.refused(tools.CodeInvalidArgs, "", "mnote.doc.restore", "a.md", restore(99))
	b.must(removeAll(b.path("a.md")))
	b.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "a.md", nil)
	if got := b.ok("mnote.doc.history", "a.md", nil).strings("revisions", "summary"); got[0] != "gone" {
		t.Errorf("%v", got)
	}
	gone := restore(2)
	b.refused(tools.CodeConflict, "expected_revision_required", "mnote.doc.restore", "a.md", map[string]any{"revision": 2})
	b.ok("mnote.doc.restore", "a.md", gone)
	b.holds("a.md", "one\n\ntwo\n")
	b.refused(tools.CodeDocumentNotFound, "", "mnote.doc.history", "never.md", nil)
}

// TestRestoreSparesUnseenSaves: what an editor saved since the caller looked is
// not written over, as by no other write.
func TestRestoreSparesUnseenSaves(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "one\n"})
	seen := b.ok("mnote.page.save", "a.md", appended("two")).revision()
	b.put("a.md", "a person's hour of work\n")
	a := b.refused(tools.CodeConflict, "revision", "mnote.doc.restore", "a.md", map[string]any{"revision": 1, "expectedRevision": seen})
	if number(a.Error.Details["currentRevision"]) != seen+1 {
		t.Errorf("%s", a.raw)
	}
	a = b.refused(tools.CodeConflict, "expected_revision_required", "mnote.doc.restore", "a.md", map[string]any{"revision": 1})
	if number(a.Error.Details["currentRevision"]) != seen+1 || !strings.Contains(a.Error.Message, "restore needs expectedRevision") {
		t.Errorf("%s", a.raw)
	}
	b.holds("a.md", "a person's hour of work\n")
	_, plan := b.planned("mnote.doc.restore", "a.md", map[string]any{"revision": 1})
	b.put("a.md", "another hour\n")
	b.refused(tools.CodeConflict, "", "mnote.doc.restore", "a.md", plan)
	b.holds("a.md", "another hour\n")
	b.ok("mnote.doc.restore", "a.md", map[string]any{"revision": 1, "expectedRevision": seen + 2})
	b.holds("a.md", "one\n")
}
