package kerneltest

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mnote-dev/mnote-host/tools"
)

// offBy says what switches a tool off: capability, tool or nothing. A pack that
// is off wins; a tool of several packs is on while one of them is.
func (f *Fake) offBy(t fakeTool) string {
	packs := slices.DeleteFunc(slices.Clone(t.CapabilityIDs), func(id string) bool { return f.offPacks[id] })
	switch {
	case len(packs) == 0:
		return "capability"
	case f.offTools[t.Name]:
		return "tool"
	}
	return ""
}

// shown gives a tool's line as the switches make it.
func (f *Fake) shown(t fakeTool) fakeTool {
	if off := f.offBy(t); off != "" && !f.has(SwitchesLookOn) && t.Status == tools.StatusAvailable {
		t.Enabled, t.Status = false, tools.StatusDisabled
		if off == "capability" {
			t.Status = tools.StatusDisabledByPack
		}
	}
	return t
}

// manifest gives the document and its etag.
func (f *Fake) manifest() (raw []byte, etag string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.doc
	d.Tools, d.Capabilities = slices.Clone(d.Tools), slices.Clone(d.Capabilities)
	if !f.has(ManifestOfSwitches) {
		for i, t := range d.Tools {
			d.Tools[i] = f.shown(t)
		}
		for i, c := range d.Capabilities {
			d.Capabilities[i].Enabled = !f.offPacks[c.ID]
		}
	}
	f.spoil(&d)
	raw, _ = json.Marshal(d) // of our own types
	if f.has(ManifestNoETag) {
		return raw, ""
	}
	return raw, `"` + hashOf(string(raw))[:16] + `"`
}

func (f *Fake) spoil(d *manifestDoc) {
	switch {
	case f.has(ManifestHeadless):
		d.ManifestVersion = ""
	case f.has(ManifestNeverSame):
		d.ManifestVersion = f.next("v")
	case f.has(ManifestOddTool):
		d.Tools[0].Kind = "both"
	case f.has(ManifestKeyless):
		for i := range d.Tools {
			if d.Tools[i].Kind == tools.KindWrite {
				d.Tools[i].InputSchema.Properties = nil
			}
		}
	case f.has(ManifestOddPack):
		d.Capabilities[0].ToolNames = []string{d.Capabilities[1].ToolNames[0]}
	}
}

// List gives a list for people.
func (f *Fake) List(ctx context.Context, what string) (json.RawMessage, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch what {
	case "capabilities":
		return f.listPacks(), nil
	case "skills":
		return f.listSkills(), nil
	case "tools":
		return f.listTools(), nil
	}
	return nil, refusal(tools.CodeNotFound, "no such list")
}

func encoded(v map[string]any) json.RawMessage {
	raw, _ := json.Marshal(v) // of plain values
	return raw
}

func (f *Fake) line(t fakeTool) map[string]any {
	t = f.shown(t)
	return map[string]any{
		"name": t.Name, "kind": t.Kind, "status": t.Status, "enabled": t.Enabled,
		"capabilityId": t.CapabilityID, "requiresWritePermission": t.RequiresWritePermission,
	}
}

func (f *Fake) lines(c fakePack) []any {
	lines := []any{}
	for _, name := range c.ToolNames {
		if t := f.doc.tool(name); t != nil && !f.has(ListsHalfPacks) {
			lines = append(lines, f.line(*t))
		}
	}
	return lines
}

func (f *Fake) listPacks() json.RawMessage {
	packs := []any{}
	for _, c := range f.doc.Capabilities {
		if f.has(ListsNoPacks) {
			break
		}
		packs = append(packs, map[string]any{
			"id": c.ID, "title": c.Title, "subtitle": c.Subtitle, "description": c.Description,
			"enabled": !f.offPacks[c.ID] || f.has(SwitchesLookOn), "toggleable": c.Toggleable, "readOnly": c.ReadOnly,
			"skillId": c.SkillID, "toolNames": append([]string{}, c.ToolNames...), "tools": f.lines(c), "requiresContextRefs": c.RequiresRefs,
			"configScope": "user_sqlite+profile_tool_policy", "uiKind": c.UIKind, "nativeAgentTools": c.NativeAgentTools,
		})
	}
	category := map[string]any{"name": "mnote", "title": "MNote", "capabilities": packs}
	return encoded(map[string]any{"ok": true, "runtime": "mnote", "categories": []any{category}})
}

func (f *Fake) listSkills() json.RawMessage {
	skills := []any{}
	for _, c := range f.doc.Capabilities {
		skills = append(skills, map[string]any{
			"id": c.ID, "title": c.Title, "description": c.Description, "enabled": f.offPacks[c.ID] == f.has(SkillsDisagree),
			"toolNames": c.ToolNames, "requiresContextRefs": c.RequiresRefs, "readOnly": c.ReadOnly,
		})
	}
	return encoded(map[string]any{"ok": true, "runtime": "mnote", "skills": skills})
}

func (f *Fake) listTools() json.RawMessage {
	lines := []any{}
	for i, t := range f.doc.Tools {
		if i > 0 || !f.has(ListsHalfTools) {
			lines = append(lines, f.line(t))
		}
	}
	return encoded(map[string]any{"ok": true, "scope": "mnote", "profile": "", "tools": lines})
}

// Toggle turns a switch.
func (f *Fake) Toggle(ctx context.Context, what, id string, enabled bool) (json.RawMessage, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if what == "tools" {
		return f.toggleTool(id, enabled)
	}
	i := slices.IndexFunc(f.doc.Capabilities, func(c fakePack) bool { return c.ID == id })
	if i < 0 && !f.has(SwitchesAnything) {
		return nil, refusal(tools.CodeNotFound, "no such capability")
	}
	if i >= 0 && !f.doc.Capabilities[i].Toggleable && !f.has(SwitchesFixed) {
		return nil, refusal(tools.CodeConflict, "the pack is not toggleable")
	}
	lines := []any{}
	if i >= 0 {
		f.togglePack(f.doc.Capabilities[i], enabled, what == "skills" && f.has(SkillSwitchApart))
		lines = f.lines(f.doc.Capabilities[i])
	}
	return encoded(map[string]any{"ok": true, "id": id, "enabled": enabled != f.has(SwitchesWrongly), "tools": lines}), nil
}

func (f *Fake) togglePack(c fakePack, enabled, apart bool) {
	if apart {
		return
	}
	f.offPacks[c.ID] = !enabled
	if enabled && f.has(SwitchesForget) {
		clear(f.offTools)
	}
}

func (f *Fake) toggleTool(name string, enabled bool) (json.RawMessage, error) {
	t := f.doc.tool(name)
	if t == nil && !f.has(SwitchesAnything) {
		return nil, refusal(tools.CodeNotFound, "no such tool")
	}
	lines := []any{}
	if t != nil {
		f.offTools[name] = !enabled
		lines = append(lines, f.line(*t))
	}
	return encoded(map[string]any{"ok": true, "name": name, "enabled": enabled != f.has(SwitchesWrongly), "tools": lines}), nil
}
