package localkernel

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// keysOf gives an object's members, sorted.
func keysOf(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// TestCapabilityListShape: GET …/capabilities is seed 7-47 §3.1 to the letter,
// with the members of kernel-api beside it and no others.
func TestCapabilityListShape(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	var doc map[string]any
	b.get("/api/hermes/client/capabilities?runtime=mnote&agentId=reasonix&profile=reasonix", &doc)
	if d := cmp.Diff([]string{"categories", "ok", "runtime"}, keysOf(doc)); d != "" || doc["ok"] != true || doc["runtime"] != "mnote" {
		t.Errorf("the document: %s", d)
	}
	var names []string
	for _, c := range doc["categories"].([]any) {
		category := c.(map[string]any)
		names = append(names, category["name"].(string))
		if d := cmp.Diff([]string{"capabilities", "name", "title"}, keysOf(category)); d != "" {
			t.Errorf("category %v: %s", category["name"], d)
		}
		for _, p := range category["capabilities"].([]any) {
			checkPackShape(t, p.(map[string]any))
		}
	}
	if d := cmp.Diff([]string{"mnote", "resource", "office", "chat"}, names); d != "" {
		t.Errorf("categories: %s", d)
	}
}

func checkPackShape(t *testing.T, pack map[string]any) {
	t.Helper()
	want := []string{"configScope", "description", "enabled", "id", "nativeAgentTools", "readOnly", "requiresContextRefs", "skillId", "subtitle", "title", "toggleable", "toolNames", "tools", "uiKind"}
	got := slices.DeleteFunc(keysOf(pack), func(k string) bool { return k == "status" && pack[k] == "planned" })
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("pack %v: %s", pack["id"], d)
	}
	if pack["configScope"] != "user_sqlite+profile_tool_policy" {
		t.Errorf("pack %v: configScope is %v", pack["id"], pack["configScope"])
	}
	var names []any
	for _, raw := range pack["tools"].([]any) {
		tool := raw.(map[string]any)
		names = append(names, tool["name"])
		for _, member := range []string{"name", "kind", "status", "enabled", "requiresWritePermission"} {
			if _, ok := tool[member]; !ok {
				t.Errorf("tool %v lacks %s", tool["name"], member)
			}
		}
	}
	if d := cmp.Diff(pack["toolNames"], append([]any{}, names...)); d != "" {
		t.Errorf("pack %v: tools are not those of toolNames: %s", pack["id"], d)
	}
}

// TestPacksOfTheSeed: seed 7-47 §1.1's six packs, no other, with the marks that
// §9 asks for; the old ids are aliases and no packs.
func TestPacksOfTheSeed(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	var list struct{ Categories []category }
	b.get("/api/hermes/client/capabilities?runtime=mnote&agentId=hermes&profile=default", &list)
	packs := map[string]packLine{}
	for _, c := range list.Categories {
		for _, p := range c.Packs {
			packs[p.ID] = p
		}
	}
	for id, title := range map[string]string{
		"mnote-current-page": "当前页读取", "mnote-knowledge-rag": "资料库问答", "mnote-local-file": "本地文件编辑", "mnote-mindmap": "思维导图",
		"mnote-onlyoffice-live": "ONLYOFFICE 实时编辑", "mnote-chat-only": "纯聊天",
	} {
		if packs[id].Title != title || packs[id].SkillID != id {
			t.Errorf("%s: %+v", id, packs[id])
		}
	}
	if len(packs) != 6 {
		t.Errorf("%d packs are listed", len(packs))
	}
	if p := packs["mnote-local-file"]; !p.NativeAgentTools || len(p.ToolNames) != 0 {
		t.Errorf("%+v", p)
	}
	if p := packs["mnote-chat-only"]; p.UIKind != "chat" || len(p.ToolNames) != 0 {
		t.Errorf("%+v", p)
	}
	if p := packs["mnote-knowledge-rag"]; !p.ReadOnly || !slices.Equal(p.RequiresRefs, []string{"folder"}) {
		t.Errorf("%+v", p)
	}
	for _, old := range []string{"mnote-document-evidence", "mnote-local-index"} {
		if _, listed := packs[old]; listed {
			t.Errorf("%s is listed", old)
		}
	}
}

// TestListsByAgent: a pack that is not for an agent is in none of its lists; a
// request that names no agent sees all.
func TestListsByAgent(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	count := func(query string) (packs, skills int) {
		var list struct{ Categories []category }
		b.get("/api/hermes/client/capabilities?runtime=mnote"+query, &list)
		for _, c := range list.Categories {
			packs += len(c.Packs)
		}
		var older struct{ Skills []map[string]any }
		b.get("/api/hermes/client/skills?runtime=mnote"+query, &older)
		return packs, len(older.Skills)
	}
	for query, want := range map[string]int{"": 6, "&agentId=hermes": 6, "&agentId=reasonix": 6, "&agentId=mcp": 6, "&agentId=stranger": 0} {
		if packs, skills := count(query); packs != want || skills != want {
			t.Errorf("%q: %d packs and %d skills, want %d", query, packs, skills, want)
		}
	}
	b.refused(tools.CodeInvalidArgs, "", "mnote.skill.read", "", map[string]any{"skillId": currentPage}, with("agentId", "stranger"))
	if got := b.ok("mnote.context.get", "", nil, with("agentId", "stranger")).result["capabilities"].([]any); len(got) != 0 {
		t.Errorf("a stranger is told of %v", got)
	}
}

// TestNoProfile: a request without a profile is of the profile default.
func TestNoProfile(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	b.toggle("tools", map[string]any{"name": "mnote.page.save", "enabled": false})
	if s, on := b.statusIn("default", "mnote.page.save"); s != "disabled" || on {
		t.Errorf("listed as %s, %v", s, on)
	}
	if s, on := b.statusIn("", "mnote.page.save"); s != "disabled" || on {
		t.Errorf("listed as %s, %v without a profile", s, on)
	}
	b.refused(tools.CodeDisabled, "tool", "mnote.page.save", "a.md", appended("y"), with("profile", ""))
	b.ok("mnote.page.save", "a.md", appended("y"), with("profile", "another"))
}

// TestSwitchesAreTheUsers: one switches.db for every workspace of a state
// folder, and what is answered is on the disk: a copy of the files as they lie
// there knows it.
func TestSwitchesAreTheUsers(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	elsewhere := begin(t, map[string]string{"b.md": "y\n"}, func(o *Options) { o.StateDir = b.state })
	b.toggle("capabilities", map[string]any{"id": currentPage, "enabled": false})
	elsewhere.refused(tools.CodeDisabled, "capability", "mnote.page.get", "b.md", nil)

	copied := t.TempDir()
	files, err := filepath.Glob(filepath.Join(b.state, "switches.db*"))
	b.must(err)
	for _, f := range files {
		data, err := os.ReadFile(f)
		b.must(err)
		b.must(os.WriteFile(filepath.Join(copied, filepath.Base(f)), data, 0o600))
	}
	after := begin(t, map[string]string{"c.md": "z\n"}, func(o *Options) { o.StateDir = copied })
	after.refused(tools.CodeDisabled, "capability", "mnote.page.get", "c.md", nil)
	if dbs, _ := filepath.Glob(filepath.Join(b.state, "*", "switches.db")); len(dbs) != 0 {
		t.Errorf("a workspace has switches of its own: %v", dbs)
	}
}

// TestPreferenceNames: the switches lie under the seed's own names.
func TestPreferenceNames(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	b.toggle("skills", map[string]any{"runtime": "mnote", "agentId": "hermes", "id": "mnote-local-file", "enabled": false})
	b.toggle("capabilities", map[string]any{"id": "mnote-chat-only", "enabled": false})
	view, err := b.switches.Load(t.Context(), "default")
	b.must(err)
	if d := cmp.Diff(map[string]bool{"mnote-local-file": false, "mnote-chat-only": false}, view.Packs); d != "" {
		t.Error(d)
	}
	files, err := filepath.Glob(filepath.Join(b.state, "switches.db*"))
	b.must(err)
	var all []byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		b.must(err)
		all = append(all, data...)
	}
	for _, name := range []string{"ai.agent.mnote_builtin.skill.mnote-chat-only.enabled", "ai.agent.mnote_builtin.skill.mnote-local-file.enabled"} {
		if !bytes.Contains(all, []byte(name)) {
			t.Errorf("the preference %s is not kept under its name", name)
		}
	}
}

// TestPlannedStaysPlanned: a pack that is not built yet is told as such in
// every list, and has no switch, neither on nor off.
func TestPlannedStaysPlanned(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	c := ownCatalogue()
	for _, p := range c.packs {
		if !c.planned(p) {
			continue
		}
		for _, on := range []bool{false, true} {
			if status, answer := b.toggle("capabilities", map[string]any{"id": p.ID, "enabled": on}); status != 409 {
				t.Errorf("%s: %d %v", p.ID, status, answer)
			}
		}
		for _, tool := range p.ToolNames {
			if s, on := b.statusIn("default", tool); s != "planned" {
				t.Errorf("%s is listed as %s, %v", tool, s, on)
			}
		}
		m, err := direct{b}.Manifest(t.Context(), "")
		b.must(err)
		if got, _ := capabilities.NewSnapshot(m, "mcp").Pack(p.ID); !got.Planned || got.Enabled {
			t.Errorf("the manifest shows %s as %+v", p.ID, got)
		}
	}
}
