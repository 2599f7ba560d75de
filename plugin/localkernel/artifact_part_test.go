package localkernel

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// readOn reads an artifact's text from its line in a list to the end, and checks
// each part.
func (b *bench) readOn(id string, line map[string]any) (text string, parts int) {
	b.tb.Helper()
	text = line["content"].(string)
	for line["truncated"] == true {
		a := b.ok("mnote.artifact.list", id, map[string]any{"cursor": line["contentCursor"]})
		list := a.result["artifacts"].([]any)
		if len(list) != 1 || len(a.raw) > 15_000 || parts > 500 {
			b.tb.Fatalf("part %d has %d lines and %d bytes", parts, len(list), len(a.raw))
		}
		next := list[0].(map[string]any)
		if next["part"] != true || next["nodeId"] != line["nodeId"] || next["contentHash"] != line["contentHash"] {
			b.tb.Fatalf("part %d: %s", parts, a.raw)
		}
		line, parts = next, parts+1
		text += line["content"].(string)
	}
	if _, more := line["contentCursor"]; more {
		b.tb.Errorf("the last part has a cursor: %v", line)
	}
	return text, parts
}

// TestArtifactWhole: what a list shows the start of can be read to its end, in
// bounded parts that cut no character.
func TestArtifactWhole(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	want := map[string]string{}
	for _, text := range []string{
		"short", strings.Repeat("很长的摘要 ", 9000), strings.Repeat("\"\\\n", 9000), strings.Repeat("a👩‍💻", 4000), strings.Repeat("x", maxArtifact),
	} {
		want[b.ok("mnote.artifact.create_ai_note", "a.md", map[string]any{"content": text}).result["nodeId"].(string)] = text
	}
	for _, args := range []map[string]any{nil, {"kind": "ai_note"}} {
		list := b.ok("mnote.artifact.list", "a.md", args)
		if list.strings("warnings", "reason")[0] != "truncated" || !strings.Contains(string(list.raw), "contentCursor as cursor") {
			t.Errorf("%s", list.raw)
		}
		for _, line := range list.result["artifacts"].([]any) {
			line := line.(map[string]any)
			node := line["nodeId"].(string)
			got, parts := b.readOn("a.md", line)
			if got != want[node] || !utf8.ValidString(got) || (parts > 0) != (line["truncated"] == true) {
				t.Errorf("%s: %d bytes in %d parts, want %d", node, len(got), parts, len(want[node]))
			}
		}
	}
	few := begin(t, map[string]string{"a.md": "x\n"})
	few.ok("mnote.artifact.create_ai_note", "a.md", map[string]any{"content": "short"})
	if list := few.ok("mnote.artifact.list", "a.md", nil); list.result["warnings"] != nil {
		t.Errorf("nothing is cut: %s", list.raw)
	}
}

// TestArtifactPartRefusals: a cursor into a text is good for that page and that
// state of it alone.
func TestArtifactPartRefusals(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n", "b.md": "x\n"})
	long := strings.Repeat("摘要", 4000)
	first := b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": long})
	node := first.result["nodeId"].(string)
	list := b.ok("mnote.artifact.list", "a.md", nil).result["artifacts"].([]any)[0].(map[string]any)
	cursor := list["contentCursor"].(string)
	refused := func(code tools.Code, reason, page, cursor string) {
		t.Helper()
		b.refused(code, reason, "mnote.artifact.list", page, map[string]any{"cursor": cursor})
	}
	refused(tools.CodeInvalidArgs, "cursor_other_page", "b.md", cursor)
	for _, p := range []artifactPlace{{0, 1, node}, {-1, 1, node}, {1, 1, node}, {len(long), 1, node}, {1 << 40, 1, node}, {3, 1, "node_x"}, {3, 1, ""}} {
		refused(tools.CodeInvalidArgs, "cursor_invalid", "a.md", p.cursor("a.md"))
	}
	for _, odd := range []string{"t1.", "t1..", "t1.3.x", "t1.3-1." + cursorMark("a.md"), "t1.x-1-n." + cursorMark("a.md"), "t1.99999999999999999999-1-n." + cursorMark("a.md")} {
		refused(tools.CodeInvalidArgs, "cursor_invalid", "a.md", odd)
	}
	refused(tools.CodeInvalidArgs, "cursor_invalid", "b.md", artifactPlace{3, 1, node}.cursor("b.md")) // another page's artifact
	second := b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": long + "!"})
	refused(tools.CodeConflict, "cursor_stale", "a.md", cursor)
	b.undo(second)
	b.undo(first) // taken back, there is nothing to read
	refused(tools.CodeConflict, "cursor_stale", "a.md", cursor)
	refused(tools.CodeInvalidArgs, "cursor_invalid", "a.md", artifactPlace{3, 4, node}.cursor("a.md"))
}

// FuzzArtifactPlace: a cursor from outside is refused, is no part's, or has a
// place in a text; one of ours comes back as it was.
func FuzzArtifactPlace(f *testing.F) {
	f.Add(artifactPlace{41, 2, "node_a-b"}.cursor("a.md"), 41, int64(2), "node_a")
	f.Add("t1.1-1-n.AAAAAAAA", 1, int64(1), "n")
	f.Fuzz(func(t *testing.T, cursor string, at int, revision int64, node string) {
		if p, isPart, err := readArtifactPlace(cursor, "a.md"); err == nil && isPart && (p.at < 1 || p.node == "") {
			t.Errorf("%q is %+v", cursor, p)
		}
		want := artifactPlace{at, revision, node}
		got, isPart, err := readArtifactPlace(want.cursor("a.md"), "a.md")
		ours := at > 0 && revision >= 0 && node != "" && !strings.Contains(node, cursorSeparator)
		if ours && (err != nil || !isPart || got != want) {
			t.Errorf("the cursor of %+v gives %+v, %v, %v", want, got, isPart, err)
		}
	})
}
