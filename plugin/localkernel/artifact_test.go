package localkernel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

func TestArtifacts(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n", "b.md": "x\n"})
	first := b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "一"})
	second := b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "二"})
	if first.result["created"] != true || second.result["created"] != false || first.result["nodeId"] != second.result["nodeId"] ||
		first.result["edgeId"] != second.result["edgeId"] || second.revision() != 2 || second.commandID() == "" {
		t.Errorf("first: %s\nsecond: %s", first.raw, second.raw)
	}
	note := map[string]any{"content": "same text"}
	n1, n2 := b.ok("mnote.artifact.create_ai_note", "a.md", note), b.ok("mnote.artifact.create_ai_note", "a.md", note)
	if n1.result["nodeId"] == n2.result["nodeId"] || n1.result["edgeId"] == n2.result["edgeId"] {
		t.Errorf("two notes share a node or an edge: %s %s", n1.raw, n2.raw)
	}
	key := with("idempotencyKey", "k")
	n3, n4 := b.ok("mnote.artifact.create_ai_note", "a.md", note, key), b.ok("mnote.artifact.create_ai_note", "a.md", note, key)
	if n3.result["nodeId"] != n4.result["nodeId"] || !n4.Audit.Replayed {
		t.Errorf("one key made two notes: %s %s", n3.raw, n4.raw)
	}
	list := b.ok("mnote.artifact.list", "a.md", nil)
	if got := list.strings("artifacts", "kind"); len(got) != 4 {
		t.Errorf("%s", list.raw)
	}
	only := b.ok("mnote.artifact.list", "a.md", map[string]any{"kind": "summary"})
	if got := only.strings("artifacts", "content"); len(got) != 1 || got[0] != "二" {
		t.Errorf("%s", only.raw)
	}
	if got := b.ok("mnote.artifact.list", "b.md", nil).strings("artifacts", "kind"); len(got) != 0 {
		t.Errorf("another page has %v", got)
	}
	b.holds("a.md", "x\n")
	b.refused(tools.CodeInvalidArgs, "", "mnote.artifact.create_summary", "a.md", map[string]any{"summary": "  \n"})
	b.refused(tools.CodeInvalidArgs, "", "mnote.artifact.list", "a.md", map[string]any{"kind": "other"})
	b.refused(tools.CodeDocumentNotFound, "", "mnote.artifact.create_summary", "nope.md", map[string]any{"summary": "x"})
	b.refused(tools.CodePayloadTooLarge, "", "mnote.artifact.create_ai_note", "a.md", map[string]any{"content": strings.Repeat("字", 100_000)})
}

func TestArtifactPlans(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	dry, args := b.planned("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "一"})
	if got := b.ok("mnote.artifact.list", "a.md", nil).strings("artifacts", "kind"); len(got) != 0 {
		t.Fatalf("a dry run made %v", got)
	}
	wet := b.ok("mnote.artifact.create_summary", "a.md", args)
	if wet.result["contentHash"] != dry.result["resultHash"] || wet.revision() != number(dry.result["resultRevision"]) {
		t.Errorf("promised %s\ngot %s", dry.raw, wet.raw)
	}
	b.refused(tools.CodeConflict, "used", "mnote.artifact.create_summary", "a.md", args)
	_, args = b.planned("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "二"})
	b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "三"})
	b.refused(tools.CodeConflict, "stale", "mnote.artifact.create_summary", "a.md", args)
	_, args = b.planned("mnote.artifact.create_ai_note", "a.md", map[string]any{"content": "n"})
	b.ok("mnote.artifact.create_ai_note", "a.md", args)
	b.refused(tools.CodeConflict, "used", "mnote.artifact.create_ai_note", "a.md", args)
}

// TestArtifactListBounded: many long artifacts come in bounded parts, each once,
// while some more are made.
func TestArtifactListBounded(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n", "b.md": "x\n"})
	want := map[string]int{}
	for i := range 90 {
		text := fmt.Sprintf("%d %s", i, strings.Repeat("很长的笔记", 400))
		if i%9 == 0 {
			text = strings.Repeat("\"\\", 3000)
		}
		want[b.ok("mnote.artifact.create_ai_note", "a.md", map[string]any{"content": text}).result["nodeId"].(string)]++
	}
	got, args := map[string]int{}, map[string]any{}
	for parts := 0; ; parts++ {
		list := b.ok("mnote.artifact.list", "a.md", args)
		if len(list.raw) > 15_000 || number(list.result["total"]) < 90 || parts > 90 {
			t.Fatalf("part %d has %d bytes, total %v", parts, len(list.raw), list.result["total"])
		}
		for _, id := range list.strings("artifacts", "nodeId") {
			got[id]++
		}
		next, more := list.result["nextCursor"]
		if !more {
			break
		}
		args["cursor"] = next
		b.ok("mnote.artifact.create_ai_note", "a.md", map[string]any{"content": "later"})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	cursor := args["cursor"].(string)
	b.refused(tools.CodeInvalidArgs, "cursor_other_page", "mnote.artifact.list", "b.md", map[string]any{"cursor": cursor})
	for _, bad := range []string{"nonsense", cursor + "x", "a1.." + cursorMark("a.md"), historyCursor("a.md", 3), listCursor("a.md")} {
		b.refused(tools.CodeInvalidArgs, "cursor_invalid", "mnote.artifact.list", "a.md", map[string]any{"cursor": bad})
	}
}
