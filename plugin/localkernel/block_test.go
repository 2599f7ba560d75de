package localkernel

import (
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

func TestBlocks(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "# A\n\none\n\n- x\n- [ ] y\n\ntwo\n"})
	ids := b.ok("mnote.page.get", "a.md", nil).strings("blocks", "id")
	got := b.ok("mnote.block.get", "a.md", map[string]any{"blockId": ids[1]})
	if got.result["block"].(map[string]any)["text"] != "one" || got.revision() != 1 {
		t.Errorf("%s", got.raw)
	}
	list := b.ok("mnote.block.get", "a.md", map[string]any{"blockId": ids[2]}).result["block"].(map[string]any)
	entry := list["items"].([]any)[1].(map[string]any)
	one := b.ok("mnote.block.get", "a.md", map[string]any{"blockId": entry["id"]})
	if one.result["listId"] != ids[2] || one.result["item"].(map[string]any)["text"] != entry["text"] {
		t.Errorf("%s", one.raw)
	}
	r := b.refused(tools.CodeConflict, "", "mnote.block.get", "a.md", map[string]any{"blockId": "b_nothing"})
	if r.Error.Details["blocks"] == nil {
		t.Errorf("%s", r.raw)
	}

	b.ok("mnote.block.insert", "a.md", map[string]any{"content": "new", "after": ids[1], "expectedRevision": 1})
	b.holds("a.md", "# A\n\none\n\nnew\n\n- x\n- [ ] y\n\ntwo\n")
	a := b.ok("mnote.block.update", "a.md", map[string]any{"blockId": ids[1], "content": "ONE"})
	b.holds("a.md", "# A\n\nONE\n\nnew\n\n- x\n- [ ] y\n\ntwo\n")
	if changed := a.strings("changed", "oldId"); len(changed) != 1 || changed[0] != ids[1] {
		t.Errorf("%s", a.raw)
	}
	// The id is the block's own etag: the text it stood for is gone.
	b.refused(tools.CodeConflict, "", "mnote.block.update", "a.md", map[string]any{"blockId": ids[1], "content": "x"})
	b.ok("mnote.block.move", "a.md", map[string]any{"blockId": ids[3], "before": ids[2]})
	b.holds("a.md", "# A\n\nONE\n\nnew\n\ntwo\n\n- x\n- [ ] y\n")
	b.ok("mnote.block.delete", "a.md", map[string]any{"blockId": ids[2]})
	b.holds("a.md", "# A\n\nONE\n\nnew\n\ntwo\n")
	b.ok("mnote.block.insert", "a.md", map[string]any{"content": "start", "position": "start"})
	b.ok("mnote.block.insert", "a.md", map[string]any{"content": "end"})
	b.holds("a.md", "start\n\n# A\n\nONE\n\nnew\n\ntwo\n\nend\n")
	for _, args := range []map[string]any{
		{"content": "x", "after": ids[0], "before": ids[0]}, {"content": "x", "after": ids[0], "underHeading": "A"}, {"content": "x", "position": "middle"},
	} {
		b.refused(tools.CodeInvalidArgs, "", "mnote.block.insert", "a.md", args)
	}
	b.refused(tools.CodeInvalidArgs, "", "mnote.block.move", "a.md", map[string]any{"blockId": ids[0]})
	b.refused(tools.CodeInvalidBlock, "", "mnote.block.insert", "a.md", map[string]any{"content": "```\nopen", "after": ids[0]})
	b.holds("a.md", "start\n\n# A\n\nONE\n\nnew\n\ntwo\n\nend\n")
}

// TestB01: a heading is addressed by text or path; where that is not clear the
// answer names the candidates and no byte changes.
func TestB01(t *testing.T) {
	t.Parallel()
	const text = "# A\n\n## Tasks\na1\n\n# B\n\n## Tasks\nb1\n"
	b := begin(t, map[string]string{"a.md": text})
	r := b.refused(tools.CodeInvalidArgs, "ambiguous_target", "mnote.block.insert", "a.md", map[string]any{"content": "x", "underHeading": "Tasks"})
	for _, candidate := range []string{"A/Tasks", "B/Tasks"} {
		if !strings.Contains(string(r.raw), candidate) {
			t.Errorf("%s is no candidate: %s", candidate, r.raw)
		}
	}
	b.holds("a.md", text)
	b.refused(tools.CodeInvalidArgs, "target_not_found", "mnote.block.insert", "a.md", map[string]any{"content": "x", "underHeading": "Nope"})
	b.refused(tools.CodeInvalidArgs, "", "mnote.block.insert", "a.md", map[string]any{"content": "x", "underHeading": ""})
	b.holds("a.md", text)
	b.ok("mnote.block.insert", "a.md", map[string]any{"content": "x", "underHeading": "B/Tasks"})
	b.holds("a.md", text+"\nx\n")
}

// TestEqualBlocks: an id that names one of several equal blocks needs a reading of
// the page as it is, or the revision that it was read at: which one it is changes
// with an edit elsewhere.
func TestEqualBlocks(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "same\n\nother\n\nsame\n"})
	ids := b.ok("mnote.page.get", "a.md", nil, inSession("session_2")).strings("blocks", "id")
	for _, id := range []string{ids[0], ids[2]} {
		r := b.refused(tools.CodeConflict, "equal_blocks", "mnote.block.delete", "a.md", map[string]any{"blockId": id})
		if r.Error.Details["currentRevision"] != nil { // with it an older id would pass
			t.Errorf("%s", r.raw)
		}
	}
	b.ok("mnote.page.get", "a.md", nil)
	b.ok("mnote.block.delete", "a.md", map[string]any{"blockId": ids[2]})
	b.holds("a.md", "same\n\nother\n")
	b.ok("mnote.block.delete", "a.md", map[string]any{"blockId": ids[0]})
	b.holds("a.md", "other\n")
}
