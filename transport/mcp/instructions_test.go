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
