package localkernel

import (
	"os"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// TestRenamedAside: an editor that saves by putting the old file aside first is
// waited for by reads and writes alike; a page that is really gone is said to be
// so after a bounded wait, and the next time at once.
func TestRenamedAside(t *testing.T) {
	t.Parallel()
	pauses, back := 0, 0
	var b *bench
	b = begin(t, map[string]string{"a.md": "old\n"}, func(o *Options) {
		o.pause = func(time.Duration) {
			if pauses++; pauses == back {
				b.must(os.Rename(b.path("aside"), b.path("a.md")))
			}
		}
	})
	aside := func(n int) {
		pauses, back = 0, n
		b.must(os.Rename(b.path("a.md"), b.path("aside")))
	}
	b.ok("mnote.page.get", "a.md", nil)
	aside(3)
	if a := b.ok("mnote.page.get", "a.md", nil); a.revision() != 1 || pauses != 3 {
		t.Errorf("after %d pauses: %s", pauses, a.raw)
	}
	aside(int(mostMissing / missingPause))
	if a := b.ok("mnote.page.save", "a.md", replaced(1, "new")); a.revision() != 2 {
		t.Errorf("after %d pauses: %s", pauses, a.raw)
	}
	b.holds("a.md", "new\n")

	aside(0)
	b.refused(tools.CodeDocumentNotFound, "", "mnote.page.save", "a.md", appended("more"))
	if want := int(mostMissing / missingPause); pauses != want {
		t.Errorf("%d pauses for a page that is gone, want %d", pauses, want)
	}
	b.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "a.md", nil)
	pauses = 0
	b.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "a.md", nil)
	b.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "never.md", nil)
	if pauses != 0 {
		t.Errorf("%d pauses for a page that is known to be gone", pauses)
	}
	b.must(os.Rename(b.path("aside"), b.path("a.md")))
	if a := b.ok("mnote.page.get", "a.md", nil); a.revision() != 4 {
		t.Errorf("back again: %s", a.raw)
	}
}

// TestReadsDuringAStoppedWrite: a host that stands still in the middle of a
// write keeps the state's lock. Others read its page all the same, whole: with
// its revision while the file is the old bytes, and without one where the state
// does not know the new ones yet.
func TestReadsDuringAStoppedWrite(t *testing.T) {
	t.Parallel()
	const old, new = "old\n", "old\n\nnew\n"
	tests := map[vault.Step]struct {
		text     string
		revision int64
	}{
		vault.StepHalf:    {old, 1},
		vault.StepSwapped: {new, 0},
		stepRecorded:      {new, 0},
	}
	for step, want := range tests {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			stopped, goOn := make(chan struct{}), make(chan struct{})
			b := begin(t, map[string]string{"a.md": old, "gone.md": "x\n"}, func(o *Options) {
				o.hook = func(s vault.Step) error {
					if s == step {
						close(stopped)
						<-goOn
					}
					return nil
				}
			})
			b.ok("mnote.page.get", "a.md", nil)
			b.ok("mnote.page.get", "gone.md", nil)
			done := make(chan answer)
			go func() { done <- b.call("mnote.page.save", "a.md", appended("new")) }()
			<-stopped
			other := b.on(b.open())
			got := other.ok("mnote.page.get", "a.md", nil)
			unknown := len(got.strings("warnings", "reason")) == 1
			if got.result["contentHash"] != vault.HashOf([]byte(want.text)) || got.revision() != want.revision || unknown != (want.revision == 0) {
				t.Errorf("%s", got.raw)
			}
			if a := other.ok("mnote.block.get", "a.md", map[string]any{"blockId": got.strings("blocks", "id")[0]}); a.revision() != want.revision {
				t.Errorf("%s", a.raw)
			}
			b.must(os.Remove(b.path("gone.md")))
			other.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "gone.md", nil)
			close(goOn)
			if a := <-done; !a.OK || a.revision() != 2 {
				t.Errorf("the write: %s", a.raw)
			}
			if a := other.ok("mnote.page.get", "a.md", nil); a.revision() != 2 || len(a.strings("warnings", "reason")) > 0 {
				t.Errorf("afterwards: %s", a.raw)
			}
			other.refused(tools.CodeConflict, "revision", "mnote.page.save", "a.md", replaced(0, "over"))
			b.holds("a.md", new)
		})
	}
}
