package localkernel

import (
	"testing"
)

// TestUndone: which writes are undone, as they stand now.
func TestUndone(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "one\n"})
	first := b.ok("mnote.page.save", "a.md", appended("x"))
	second := b.ok("mnote.page.save", "a.md", appended("y"))
	undo := b.undo(second)
	ids := []string{first.commandID(), second.commandID(), undo.commandID(), "nope"}
	got, err := b.Kernel.Undone(t.Context(), ids)
	if err != nil || len(got) != 1 || got[second.commandID()] != undo.commandID() {
		t.Errorf("%v, %v", got, err)
	}
	again := b.undo(undo)
	if got, err = b.Kernel.Undone(t.Context(), ids); err != nil || len(got) != 1 || got[undo.commandID()] != again.commandID() {
		t.Errorf("after the undo was undone: %v, %v", got, err)
	}
}
