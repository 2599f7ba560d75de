//go:build unix

package localkernel

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
)

// kills is how many processes TestKills kills; the long run that is told of is
// -kills 2000.
var kills = flag.Int("kills", 40, "how many processes TestKills kills")

// The places where a write can be killed: a change of a page, a new page in a
// new folder, and a page's removal.
var (
	changeSteps = []vault.Step{
		stepIntended, vault.StepStart, vault.StepTemp, vault.StepHalf, vault.StepWritten, vault.StepSynced, vault.StepSwapped,
		vault.StepChecked, vault.StepDurable, vault.StepCleaned, stepRecorded, stepAnswered,
	}
	createSteps = []vault.Step{
		stepIntended, vault.StepStart, vault.StepFolder, vault.StepTemp, vault.StepHalf, vault.StepWritten, vault.StepSynced, vault.StepSwapped,
		vault.StepDurable, vault.StepCleaned, stepRecorded, stepAnswered,
	}
	removeSteps = []vault.Step{
		stepIntended, vault.StepStart, vault.StepSwapped, vault.StepDurable, vault.StepCleaned, stepRecorded, stepAnswered,
	}
)

// TestKillEachStep: a process that is killed at any step of a write leaves the
// old bytes or the new ones; the history agrees with the file; the same key,
// sent again, is one write in all.
func TestKillEachStep(t *testing.T) {
	t.Parallel()
	const old = "# H\n\nold\n"
	kinds := map[string]struct {
		tool, document, file, new string
		steps                     []vault.Step
		args                      func(b *bench) map[string]any
	}{
		"save": {"mnote.page.save", "a.md", "a.md", old + "\nmore\n", changeSteps, func(*bench) map[string]any { return appended("more") }},
		"create": {"mnote.doc.create", "", "d/new.md", "# New\n", createSteps, func(*bench) map[string]any {
			return map[string]any{"path": "d/new.md", "content": "# New\n"}
		}},
		"undo a creation": {"mnote.command.undo", "", "made.md", "<none>", removeSteps, func(b *bench) map[string]any {
			done := b.ok("mnote.doc.create", "", map[string]any{"path": "made.md", "content": "made\n"})
			return map[string]any{"commandId": done.commandID()}
		}},
	}
	for name, kind := range kinds {
		for _, step := range kind.steps {
			t.Run(name+" "+string(step), func(t *testing.T) {
				t.Parallel()
				b := begin(t, map[string]string{"a.md": old})
				args := kind.args(b)
				before := b.text(kind.file)
				request := b.request(kind.tool, kind.document, args)
				b.must(b.Close())
				if told := finish(t, job{Dir: b.dir, State: b.state, Calls: []map[string]any{request}, Step: step, Count: 1, Signal: syscall.SIGKILL}); len(told) > 0 {
					t.Fatalf("the child was not killed: %s", told[0].Answer)
				}
				left := b.text(kind.file)
				if left != before && left != kind.new {
					t.Fatalf("a mix: %q", left)
				}
				b.Kernel = b.open()
				if left != "<none>" {
					got := b.ok("mnote.page.get", kind.file, nil)
					if got.result["contentHash"] != vault.HashOf([]byte(b.text(kind.file))) {
						t.Errorf("the state says %s of %q", got.raw, b.text(kind.file))
					}
				}
				again := b.send(request)
				if !again.OK {
					t.Fatalf("the retry: %s", again.raw)
				}
				b.holds(kind.file, kind.new)
				if third := b.send(request); !third.OK || !third.Audit.Replayed || third.commandID() != again.commandID() {
					t.Errorf("the third: %s", third.raw)
				}
				b.holds(kind.file, kind.new)
				if kind.new != "<none>" {
					h := b.ok("mnote.doc.history", kind.file, nil).strings("revisions", "commandId")
					if len(h) == 0 || h[0] != again.commandID() || strings.Count(strings.Join(h, " "), again.commandID()) != 1 {
						t.Errorf("the history tells %q of %s", h, again.commandID())
					}
				}
				b.swept()
			})
		}
	}
}

// TestKillThenEdit: a process is killed in a write and a person edits the page
// before anybody looks. The edit stands, and the key is never written twice.
func TestKillThenEdit(t *testing.T) {
	t.Parallel()
	for _, step := range changeSteps {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			b := begin(t, map[string]string{"a.md": "old\n"})
			request := b.request("mnote.page.save", "a.md", appended("more"))
			finish(t, job{Dir: b.dir, State: b.state, Calls: []map[string]any{request}, Step: step, Count: 1, Signal: syscall.SIGKILL})
			b.put("a.md", b.text("a.md")+"\na person's edit\n")
			edited := b.text("a.md")
			b.Kernel = b.open()
			b.ok("mnote.page.get", "a.md", nil)
			b.holds("a.md", edited)
			again := b.send(request)
			if strings.Count(b.text("a.md"), "more") > 1 || !strings.Contains(b.text("a.md"), "a person's edit") {
				t.Errorf("%s: the page holds %q", again.raw, b.text("a.md"))
			}
			if !again.OK && again.Error.Details["reason"] != "in_doubt" {
				t.Errorf("%s", again.raw)
			}
			b.swept()
		})
	}
}

// TestKills: processes that write one after the other and are killed at random
// steps. Each write that was accepted is there once, in order; each that was
// not is there once after its key was sent again.
func TestKills(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "start\n"})
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 7))
	var requests []map[string]any
	for i := range *kills * 3 {
		requests = append(requests, b.request("mnote.page.save", "a.md", appended("line "+strconv.Itoa(i))))
	}
	whole := func(n int) string {
		text := "start\n"
		for i := range n {
			text += "\nline " + strconv.Itoa(i) + "\n"
		}
		return text
	}
	accepted := 0
	for range *kills {
		end := min(accepted+6, len(requests))
		list := finish(t, job{Dir: b.dir, State: b.state, Calls: requests[accepted:end], Count: 1 + r.IntN(30), Signal: syscall.SIGKILL})
		for _, l := range list {
			if l.Code != "" {
				t.Fatalf("write %d: %s", accepted, l.Answer)
			}
			accepted++
		}
		if text := b.text("a.md"); text != whole(accepted) && text != whole(accepted+1) {
			t.Fatalf("after %d accepted writes the page holds %d bytes: …%q", accepted, len(text), text[max(0, len(text)-60):])
		}
		if accepted == len(requests) {
			break
		}
	}
	b.Kernel = b.open()
	for _, request := range requests[:min(accepted+1, len(requests))] { // every key again: no second effect
		if a := b.send(request); !a.OK {
			t.Fatalf("%s", a.raw)
		}
	}
	b.holds("a.md", whole(min(accepted+1, len(requests))))
	t.Logf("%d processes were killed, %d writes accepted", *kills, accepted)
	b.swept()
}

// TestKillLeavesNoFolder: a process that is killed while it makes a page in a
// new folder leaves the page whole, or no folder; the next process that writes
// anything at all clears away the rest.
func TestKillLeavesNoFolder(t *testing.T) {
	t.Parallel()
	for _, step := range createSteps {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			b := begin(t, map[string]string{"a.md": "text\n"})
			request := b.request("mnote.doc.create", "", map[string]any{"path": "new/deep/page.md", "content": "# New\n"})
			b.must(b.Close())
			finish(t, job{Dir: b.dir, State: b.state, Calls: []map[string]any{request}, Step: step, Count: 1, Signal: syscall.SIGKILL})
			made := b.text("new/deep/page.md") != "<none>"
			if _, err := os.Stat(b.path("new")); (err == nil) != made {
				t.Errorf("page: %v, folder: %v", made, err)
			}
			b.Kernel = b.open()
			b.ok("mnote.page.save", "a.md", appended("more"))
			b.swept()
			if _, err := os.Stat(b.path("new")); (err == nil) != made {
				t.Errorf("page: %v, folder afterwards: %v", made, err)
			}
			if !made {
				return
			}
			b.holds("new/deep/page.md", "# New\n")
			h := b.ok("mnote.doc.history", "new/deep/page.md", nil).strings("revisions", "source")
			if len(h) != 1 || h[0] != "agent" {
				t.Errorf("the history tells %q", h)
			}
		})
	}
}
