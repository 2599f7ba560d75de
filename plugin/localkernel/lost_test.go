package localkernel

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// losses are the ways in which people and disks lose switches.db at path.
var losses = map[string]func(path string) error{
	"the name alone deleted": os.Remove,
	"deleted with what is beside it": func(path string) error {
		return removeLike(path + "*")
	},
	"deleted with the first count": func(path string) error {
		return removeLike(filepath.Join(filepath.Dir(path), "switches*"))
	},
	"garbage from its start on": func(path string) error { return overwrite(path, bytes.Repeat([]byte("garbage"), 100)) },
	"garbage in its place":      func(path string) error { return os.WriteFile(path, []byte("no database at all"), 0o600) },
	"another file in its place": func(path string) error {
		if err := os.WriteFile(path+".new", bytes.Repeat([]byte("no database "), 999), 0o600); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	},
	"emptied": func(path string) error { return os.Truncate(path, 0) },
	"cut":     func(path string) error { return os.Truncate(path, 5000) },
}

func removeLike(pattern string) error {
	names, err := filepath.Glob(pattern)
	for _, name := range names {
		if err == nil {
			err = os.Remove(name)
		}
	}
	return err
}

func overwrite(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// brief does something with a kernel that is there for that alone, as a command
// of the person's is.
func (b *bench) brief(do func(*bench)) {
	b.tb.Helper()
	k := b.open()
	do(b.on(k))
	b.must(k.Close())
}

func (b *bench) resetSwitches() {
	b.tb.Helper()
	if w := (direct{b}).serve(http.MethodPut, "/api/hermes/client/capabilities/reset", map[string]any{}); w.Code != http.StatusOK {
		b.tb.Errorf("reset: %d %s", w.Code, w.Body)
	}
}

func (b *bench) turnCurrentPage(on bool) {
	b.tb.Helper()
	if status, answer := b.toggle("capabilities", map[string]any{"id": currentPage, "enabled": on}); status != http.StatusOK {
		b.tb.Errorf("%v: %d %v", on, status, answer)
	}
}

// TestLostTimeAndAgain: however often the switches are lost while hosts run, all
// is off then, and what a person says next holds in every host at once.
func TestLostTimeAndAgain(t *testing.T) {
	t.Parallel()
	const tool = "mnote.page.get"
	for name, lose := range losses {
		for _, asleep := range []bool{false, true} { // whether a host hears of nothing until all is said anew
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := begin(t, map[string]string{"a.md": "x\n"})
				other := b.on(b.open())
				hosts := []*bench{b, other}
				b.ok(tool, "a.md", nil)
				other.ok(tool, "a.md", nil)
				for range 3 {
					b.brief(func(k *bench) { k.turnCurrentPage(false) })
					for _, h := range hosts {
						h.refused(tools.CodeDisabled, capabilities.ReasonCapability, tool, "a.md", nil)
					}
					b.must(lose(filepath.Join(b.state, "switches.db")))
					if !asleep {
						b.refused(tools.CodeDisabled, "", tool, "a.md", nil)
					}
					b.brief(func(k *bench) { k.refused(tools.CodeDisabled, capabilities.ReasonLost, tool, "a.md", nil) })
					b.brief(func(k *bench) { k.resetSwitches() })
					for _, h := range hosts {
						h.ok(tool, "a.md", nil)
					}
				}
			})
		}
	}
}

// TestLostThenTurned: a loss that a single switch ends in part, in three rounds
// of hosts that turn it themselves.
func TestLostThenTurned(t *testing.T) {
	t.Parallel()
	const tool = "mnote.page.get"
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := begin(t, map[string]string{"a.md": "x\n"})
			other := b.on(b.open())
			for range 3 {
				b.turnCurrentPage(false)
				other.refused(tools.CodeDisabled, capabilities.ReasonCapability, tool, "a.md", nil)
				b.must(lose(filepath.Join(b.state, "switches.db")))
				other.turnCurrentPage(true)
				b.ok(tool, "a.md", nil)
				other.ok(tool, "a.md", nil)
				b.refused(tools.CodeDisabled, capabilities.ReasonLost, "mnote.skill.read", "", map[string]any{"skillId": "mnote-chat-only"})
			}
		})
	}
}

// TestLostIsTold: who switches a pack on after a loss hears that tools which
// were off by themselves come with it; nobody else does.
func TestLostIsTold(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	warned := func(id string, on bool) bool {
		t.Helper()
		_, answer := b.toggle("capabilities", map[string]any{"id": id, "enabled": on})
		list, _ := answer["warnings"].([]any)
		return len(list) == 1 && (list[0] == textLostTools.ZH || list[0] == textLostTools.EN)
	}
	b.toggle("tools", map[string]any{"name": "mnote.page.save", "enabled": false})
	if warned(currentPage, false) || warned(currentPage, true) {
		t.Error("a loss is told where there was none")
	}
	b.must(os.Remove(filepath.Join(b.state, "switches.db")))
	if warned("mnote-chat-only", false) {
		t.Error("what is switched off brings nothing with it")
	}
	if !warned(currentPage, true) {
		t.Error("nobody says that the tool is on again")
	}
	b.ok("mnote.page.save", "a.md", appended("y"))
	b.resetSwitches()
	if warned(currentPage, true) {
		t.Error("a loss is told after its end")
	}
}
