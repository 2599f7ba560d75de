package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// TestEveryCombination: for every combination of the switchable packs the
// advertised tools, the callable tools, the skills and the texts agree, in a
// client that lists now and in one that never lists again. Not one text names a
// tool that is off.
func TestEveryCombination(t *testing.T) {
	t.Parallel()
	t.Run("local kernel", func(t *testing.T) {
		t.Parallel()
		notes := t.TempDir()
		if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("# A\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p := aProgram(t, map[string]string{"workspace": notes, "state": t.TempDir(), "document": "a.md"})
		old := p.assemble()
		t.Cleanup(old.close)
		everyCombination(t, p, old, func(t *testing.T, id string, on bool) {
			if _, err := old.client.ToggleCapability(t.Context(), id, on); err != nil {
				t.Fatal(err)
			}
		}, func() *parts { return p.assemble() })
	})
	t.Run("remote kernel", func(t *testing.T) {
		t.Parallel()
		k := &bare{off: map[string]bool{}}
		p := aProgram(t, nil)
		p.values.byName["state"] = value{} // no records: 64 combinations of 18 tools would be all disk
		old := p.over(k)
		t.Cleanup(old.close)
		everyCombination(t, p, old, func(_ *testing.T, id string, on bool) { k.turn(id, on) }, func() *parts { return p.over(k) })
	})
}

func everyCombination(t *testing.T, p *program, old *parts, turn func(*testing.T, string, bool), open func() *parts) {
	t.Helper()
	if err := old.registry.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	snap := old.registry.Snapshot()
	var switchable []capabilities.Pack
	for _, pack := range snap.Packs() {
		if pack.Toggleable && !pack.Planned {
			switchable = append(switchable, pack)
		}
	}
	if len(switchable) < 3 {
		t.Fatalf("only %d packs can be switched", len(switchable))
	}
	stale := p.connectTo(t, old) // lists once and never again
	look(t, stale)
	for bits := range 1 << len(switchable) {
		on := map[string]bool{}
		for i, pack := range switchable {
			on[pack.ID] = bits&(1<<i) != 0
			turn(t, pack.ID, on[pack.ID])
		}
		name := fmt.Sprintf("%0*b", len(switchable), bits)
		fresh := open()
		if err := fresh.registry.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkAgreement(t, name+" fresh", p.connectTo(t, fresh), snap, on, true)
		checkAgreement(t, name+" stale", stale, snap, on, false)
		fresh.close()
	}
}

// checkAgreement holds what a client sees and may do against the switches.
func checkAgreement(t *testing.T, name string, c *mcp.Probe, snap *capabilities.Snapshot, on map[string]bool, lists bool) {
	t.Helper()
	offered := offeredTools(snap, on)
	for _, tool := range snap.All() {
		if tool.Status != tools.StatusAvailable {
			continue
		}
		wire := tools.WireName(tool.Name)
		got, _ := outcomeOf(t, c, wire, anyArgs(t, tool))
		if off := got == "mnote_tool_disabled capability"; off == slices.Contains(offered, wire) {
			t.Errorf("%s: %s answers %q", name, wire, got)
		}
	}
	texts := map[string]string{}
	if lists {
		s := look(t, c)
		if !slices.Equal(s.tools, offered) {
			t.Errorf("%s: advertised are %v, want %v", name, s.tools, offered)
		}
		readable := readableSkills(snap, on, offered)
		slices.Sort(s.prompts)
		slices.Sort(s.resources)
		if !slices.Equal(s.prompts, readable) || !slices.Equal(s.resources, readable) {
			t.Errorf("%s: prompts %v, resources %v, want %v", name, s.prompts, s.resources, readable)
		}
		texts = s.texts
	}
	readSkills(t, name, c, snap, on, offered, texts)
	for from, text := range texts {
		if names := dangling(text, snap.All(), offered); len(names) > 0 {
			t.Errorf("%s: %s names %v, which are off", name, from, names)
		}
	}
}

// offeredTools are the wire names of the available tools of which a pack is on.
func offeredTools(snap *capabilities.Snapshot, on map[string]bool) []string {
	offered := []string{}
	for _, tool := range snap.All() {
		isOn := func(id string) bool {
			p, _ := snap.Pack(id)
			state, switched := on[id]
			return state || !switched && (p.Enabled || p.Planned) // a planned pack is not switched off
		}
		if tool.Status == tools.StatusAvailable && slices.ContainsFunc(tool.PackIDs, isOn) {
			offered = append(offered, tools.WireName(tool.Name))
		}
	}
	return offered
}

// readableSkills are the packs whose skill is to be had.
func readableSkills(snap *capabilities.Snapshot, on map[string]bool, offered []string) []string {
	var ids []string
	for _, p := range snap.Packs() {
		if p.SkillID != "" && on[p.ID] && slices.Contains(offered, tools.WireName(capabilities.ToolSkillRead)) {
			ids = append(ids, p.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// readSkills reads every skill by the tool, and asks where the session stands.
func readSkills(t *testing.T, name string, c *mcp.Probe, snap *capabilities.Snapshot, on map[string]bool, offered []string, texts map[string]string) {
	t.Helper()
	if !slices.Contains(offered, tools.WireName(capabilities.ToolSkillRead)) {
		return // refused as a tool, which was looked at
	}
	for _, p := range snap.Packs() {
		got, env := outcomeOf(t, c, tools.WireName(capabilities.ToolSkillRead), map[string]any{"skillId": p.SkillID})
		if want := map[bool]string{true: "", false: "mnote_tool_disabled capability"}[on[p.ID]]; got != want {
			t.Errorf("%s: the skill %s answers %q, want %q", name, p.SkillID, got, want)
		}
		texts["skill "+p.SkillID] = string(env.Result)
	}
}
