package mcp

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// reader is a session that may only read, in Chinese.
type reader struct{ Session }

func (reader) Lang() tools.Lang { return tools.ZH }
func (reader) ReadOnly() bool   { return true }

// The instructions say what MNote is, how writing works or that it does not, and
// which packs are on, in less than 2,000 bytes however many there are.
func TestInstructions(t *testing.T) {
	t.Parallel()
	snap := capabilities.NewRegistry(capabilities.Config{}).Snapshot()
	owner := New(Config{Session: mute{}, Registry: capabilities.NewRegistry(capabilities.Config{})})
	guest := New(Config{Session: reader{}, Registry: capabilities.NewRegistry(capabilities.Config{})})
	for _, n := range []int{0, 1, 6, 1000} {
		s := &surface{snap: snap}
		for i := range n {
			s.packs = append(s.packs, capabilities.Pack{SkillID: fmt.Sprintf("mnote-pack-%d", i), Title: "能力"})
		}
		for _, f := range []*Face{owner, guest} {
			text := f.instructions(s)
			if len(text) >= maxInstructions || !utf8.ValidString(text) || !strings.Contains(text, "MNote (笔记)") {
				t.Errorf("%d packs: %d bytes: %s", n, len(text), text)
			}
			if strings.Contains(text, "只读") != (f == guest) || strings.Contains(text, "expectedRevision") != (f == owner) {
				t.Errorf("who may write is told wrongly: %s", text)
			}
			if strings.Contains(text, "mnote-pack-0") != (n > 0) {
				t.Errorf("%d packs: the first is told wrongly: %s", n, text)
			}
		}
	}
}

// The instructions speak of what is on: not of writing where nothing writes, not
// of tools where none reads notes, and of no pack by name before the kernel said
// which are on.
func TestInstructionsFollowTheSwitches(t *testing.T) {
	t.Parallel()
	const shared = `{"name":"mnote.skill.read","kind":"read","description":"d"},{"name":"mnote.context.get","kind":"read","description":"d"}`
	const page = `,{"name":"mnote.page.get","kind":"read","description":"d"}`
	const save = `,{"name":"mnote.page.save","kind":"write","description":"d"}`
	packs := `"capabilities":[{"id":"p","title":"页","skillId":"p","toolNames":["mnote.skill.read"]}]`
	for name, c := range map[string]struct {
		tools      string
		kept       bool
		has, lacks []string
	}{
		"all":         {shared + page + save, false, []string{"Use these tools", "To write:", "Start with mnote_context_get", " p 页"}, []string{"switched off"}},
		"reads alone": {shared + page, false, []string{"Use these tools"}, []string{"To write:", "dryRun"}},
		"no pages":    {shared, false, []string{"only the person can switch them on"}, []string{"Use these tools", "To write:"}},
		"a guess":     {shared + page + save, true, []string{"as far as the person has them switched on"}, []string{" p 页", "mnote_context_get"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := []byte(`{"ok":true,` + packs + `,"tools":[` + c.tools + `]}`)
			m, err := capabilities.Read(doc)
			if err != nil {
				t.Fatal(err)
			}
			cfg := capabilities.Config{First: m}
			if c.kept {
				cfg = capabilities.Config{Source: nobody{}, Load: func() ([]byte, error) { return doc, nil }}
			}
			f := New(Config{Session: mute{}, Registry: capabilities.NewRegistry(cfg)})
			text := f.instructions(f.surface())
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in %s", want, text)
				}
			}
			for _, not := range c.lacks {
				if strings.Contains(text, not) {
					t.Errorf("%q in %s", not, text)
				}
			}
		})
	}
}

// A session that may do nothing says so, in English and on one line, and names no
// pack and no way to write.
func TestInstructionsOfAShutSession(t *testing.T) {
	t.Parallel()
	why := tools.Errorf(tools.CodePermissionDenied, tools.Text{ZH: "什么也不许做", EN: "this session may do nothing, because\n%s"}, strings.Repeat("字", 5000))
	f := New(Config{Session: reader{}, Registry: capabilities.NewRegistry(capabilities.Config{}), Shut: why})
	text := f.instructions(f.surface())
	if !strings.Contains(text, "this session may do nothing, because 字") || strings.Count(text, "\n") != 1 || len(text) >= maxInstructions {
		t.Errorf("%d bytes: %s", len(text), text)
	}
	for _, not := range []string{"只读", "dry run", "dryRun", "Packs", "Use these tools"} {
		if strings.Contains(text, not) {
			t.Errorf("%q in %s", not, text)
		}
	}
}

// nobody is a kernel that is never asked.
type nobody struct{ capabilities.Source }
