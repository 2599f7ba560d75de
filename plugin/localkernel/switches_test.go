package localkernel

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

const currentPage = "mnote-current-page"

// toggle turns a switch and gives the HTTP status and the answer.
func (b *bench) toggle(what string, body map[string]any) (int, map[string]any) {
	b.tb.Helper()
	w := direct{b}.serve(http.MethodPut, "/api/hermes/client/"+what+"/toggle", body)
	var v map[string]any
	b.must(json.Unmarshal(w.Body.Bytes(), &v))
	return w.Code, v
}

func (b *bench) get(target string, into any) {
	b.tb.Helper()
	w := direct{b}.serve(http.MethodGet, target, nil)
	if w.Code != http.StatusOK {
		b.tb.Fatalf("%s: %d %s", target, w.Code, w.Body)
	}
	b.must(json.Unmarshal(w.Body.Bytes(), into))
}

// statusIn finds a tool in the flat list of a profile.
func (b *bench) statusIn(profile, tool string) (string, bool) {
	b.tb.Helper()
	var list struct{ Tools []toolLine }
	b.get("/api/hermes/client/tools?scope=mnote&profile="+profile, &list)
	for _, l := range list.Tools {
		if string(l.Name) == tool {
			return string(l.Status), l.Enabled
		}
	}
	b.tb.Fatalf("%s is not listed", tool)
	return "", false
}

func TestToolSwitch(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	other := b.on(b.open()) // another process sees it at its next call
	status, answer := b.toggle("tools", map[string]any{"scope": "mnote", "profile": "default", "name": "mnote.page.save", "enabled": false})
	if status != 200 || answer["name"] != "mnote.page.save" || answer["enabled"] != false {
		t.Fatalf("%d %v", status, answer)
	}
	for _, k := range []*bench{b, other} {
		k.refused(tools.CodeDisabled, "tool", "mnote.page.save", "a.md", appended("y"))
		k.refused(tools.CodeDisabled, "tool", "mnote.page.save", "a.md", appended("y"), dryRun)
	}
	b.ok("mnote.page.save", "a.md", appended("y"), with("profile", "another"))
	if s, on := b.statusIn("default", "mnote.page.save"); s != "disabled" || on {
		t.Errorf("listed as %s, %v", s, on)
	}
	if s, on := b.statusIn("another", "mnote.page.save"); s != "available" || !on {
		t.Errorf("listed as %s, %v in another profile", s, on)
	}
	b.toggle("tools", map[string]any{"profile": "default", "name": "mnote.page.save", "enabled": true})
	other.ok("mnote.page.save", "a.md", appended("z"))
}

// TestPackSwitch: a pack and its tools keep separate reasons, so that switching
// the pack on restores exactly what was before.
func TestPackSwitch(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	b.toggle("tools", map[string]any{"profile": "default", "name": "mnote.page.save", "enabled": false})
	status, answer := b.toggle("capabilities", map[string]any{"runtime": "mnote", "profile": "default", "id": currentPage, "enabled": false})
	if status != 200 || answer["id"] != currentPage || answer["enabled"] != false || len(answer["tools"].([]any)) < 15 {
		t.Fatalf("%d %v", status, answer)
	}
	b.refused(tools.CodeDisabled, "capability", "mnote.page.get", "a.md", nil)
	b.refused(tools.CodeDisabled, "capability", "mnote.page.save", "a.md", appended("y"))
	b.refused(tools.CodeDisabled, "capability", "mnote.page.get", "a.md", nil, with("profile", "another")) // a pack is the user's
	for _, tool := range []string{"mnote.page.get", "mnote.page.save"} {
		if s, on := b.statusIn("default", tool); s != string(tools.StatusDisabledByPack) || on {
			t.Errorf("%s is listed as %s, %v", tool, s, on)
		}
	}
	b.toggle("skills", map[string]any{"runtime": "mnote", "agentId": "mcp", "id": currentPage, "enabled": true})
	b.ok("mnote.page.get", "a.md", nil)
	b.refused(tools.CodeDisabled, "tool", "mnote.page.save", "a.md", appended("y"))
}

// TestSharedTools: skill.read and context.* belong to four packs and go off only
// with all of them.
func TestSharedTools(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	b.toggle("capabilities", map[string]any{"id": "mnote-chat-only", "enabled": false})
	b.ok("mnote.context.get", "a.md", nil)
	r := b.refused(tools.CodeDisabled, "capability", "mnote.skill.read", "", map[string]any{"skillId": "mnote-chat-only"})
	if strings.Contains(string(r.raw), "# ") {
		t.Errorf("a pack that is off hands out text: %s", r.raw)
	}
	if got := b.ok("mnote.context.get", "a.md", nil).result["skillPreferences"].(map[string]any)["mnote"].(map[string]any)["mnote-chat-only"]; got != false {
		t.Errorf("the preference is %v", got)
	}
}

func TestSkillRead(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	a := b.ok("mnote.skill.read", "", map[string]any{"skillId": currentPage})
	text := a.result["content"].(string)
	if a.result["skillId"] != currentPage || a.result["title"] != "当前页读取" || !strings.Contains(text, "mnote.page.save") || strings.Contains(text, "mnote.doc.search") {
		t.Errorf("%s", a.raw)
	}
	b.toggle("tools", map[string]any{"profile": "default", "name": "mnote.page.save", "enabled": false})
	if text := b.ok("mnote.skill.read", "", map[string]any{"skillId": currentPage}).result["content"].(string); strings.Contains(text, "- `mnote.page.save`") {
		t.Error("a tool that is off is still explained")
	}
	r := b.refused(tools.CodeInvalidArgs, "", "mnote.skill.read", "", map[string]any{"skillId": "nope"})
	if !strings.Contains(r.Error.Message, currentPage) {
		t.Errorf("%s", r.raw)
	}
	// Aliases of 7-47 lead to the pack; while its tools are planned it has no text.
	c := ownCatalogue()
	for _, alias := range []string{"mnote-document-evidence", "mnote-local-index"} {
		p, _ := c.pack(alias)
		if p.ID != "mnote-knowledge-rag" {
			t.Fatalf("%s leads to %q", alias, p.ID)
		}
		if c.planned(p) {
			b.refused(tools.CodeDisabled, "capability", "mnote.skill.read", "", map[string]any{"skillId": alias})
		} else if got := b.ok("mnote.skill.read", "", map[string]any{"skillId": alias}); got.result["skillId"] != "mnote-knowledge-rag" {
			t.Errorf("%s", got.raw)
		}
	}
}

// TestToggleRefusals: what cannot be switched says so, with its HTTP status.
func TestToggleRefusals(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	tests := []struct {
		what   string
		body   map[string]any
		status int
	}{
		{"capabilities", map[string]any{"id": "nope", "enabled": true}, 404},
		{"skills", map[string]any{"id": "nope", "enabled": true}, 404},
		{"tools", map[string]any{"name": "mnote.nope", "enabled": true}, 404},
		{"capabilities", map[string]any{"id": currentPage}, 400},
		{"capabilities", map[string]any{"id": currentPage, "enabled": "false"}, 400},
		{"capabilities", map[string]any{"id": currentPage, "enabled": true, "Enabled": false}, 400},
		{"capabilities", map[string]any{"id": currentPage, "enabled": true, "runtime": "hermes"}, 400},
		{"tools", map[string]any{"name": "mnote.page.get", "enabled": true, "scope": "x"}, 400},
		{"tools", map[string]any{"name": "mnote_mindmap_fetch", "enabled": false}, 409},
	}
	for _, tt := range tests {
		if status, answer := b.toggle(tt.what, tt.body); status != tt.status || answer["ok"] != false || answer["error"] == nil {
			t.Errorf("%s %v: %d %v", tt.what, tt.body, status, answer)
		}
	}
	stateless := begin(t, nil, func(o *Options) { o.StateDir = "" })
	if status, _ := stateless.toggle("capabilities", map[string]any{"id": currentPage, "enabled": false}); status != 503 {
		t.Errorf("without a state folder: %d", status)
	}
}

// TestManifest: the document is the one compiled in but for the switches, and
// its ETag changes with them and with nothing else.
func TestManifest(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	const target = "/api/hermes/tools/mnote/manifest?profile=default&agentId=mcp"
	first := direct{b}.serve(http.MethodGet, target, nil)
	m, err := capabilities.Read(first.Body.Bytes())
	b.must(err)
	own, err := capabilities.Read(ManifestJSON())
	b.must(err)
	if len(m.Tools) != len(own.Tools) || len(m.Packs) != len(own.Packs) || m.Version != own.Version || len(m.Warnings) != len(own.Warnings) {
		t.Errorf("%d tools, %d packs, %v", len(m.Tools), len(m.Packs), m.Warnings)
	}
	etag := first.Header().Get("ETag")
	b.ok("mnote.page.save", "a.md", appended("y"))
	if w := (direct{b}).serve(http.MethodGet, target, nil, "If-None-Match", `"other", W/`+etag); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("the same manifest: %d", w.Code)
	}
	b.toggle("tools", map[string]any{"profile": "default", "name": "mnote.page.save", "enabled": false})
	b.toggle("capabilities", map[string]any{"id": "mnote-chat-only", "enabled": false})
	w := direct{b}.serve(http.MethodGet, target, nil, "If-None-Match", etag)
	if w.Code != http.StatusOK || w.Header().Get("ETag") == etag {
		t.Errorf("after a switch: %d, %s", w.Code, w.Header().Get("ETag"))
	}
	m, err = capabilities.Read(w.Body.Bytes())
	b.must(err)
	for _, tool := range m.Tools {
		if tool.Name == "mnote.page.save" && tool.Enabled {
			t.Error("the manifest has the tool on")
		}
	}
	for _, p := range m.Packs {
		if p.ID == "mnote-chat-only" && p.Enabled {
			t.Error("the manifest has the pack on")
		}
	}
	off := w.Header().Get("ETag")
	b.toggle("tools", map[string]any{"profile": "default", "name": "mnote.page.save", "enabled": false}) // nothing turns
	if w := (direct{b}).serve(http.MethodGet, target, nil, "If-None-Match", off); w.Code != http.StatusNotModified {
		t.Errorf("a switch that turned nothing: %d", w.Code)
	}
}

// TestCapabilityList: 7-47 §3.1 to the letter.
func TestCapabilityList(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	var list map[string]any
	b.get("/api/hermes/client/capabilities?runtime=mnote&agentId=reasonix&profile=default", &list)
	example := map[string]any{
		"ok": true, "runtime": "mnote", "categories": []any{map[string]any{"name": "mnote", "title": "MNote", "capabilities": []any{map[string]any{
			"id": "x", "title": "x", "description": "x", "enabled": true, "toggleable": true, "readOnly": false, "skillId": "x",
			"toolNames": []any{"x", "x", "x"}, "requiresContextRefs": []any{"page"}, "configScope": "x", "uiKind": "x", "nativeAgentTools": false, "subtitle": "x",
			"tools": []any{map[string]any{"name": "x", "kind": "read", "status": "available", "enabled": true, "requiresWritePermission": true}},
		}}}},
	}
	for _, fault := range keeps("", any(example), any(list)) {
		t.Error(fault)
	}
	ids := map[string]bool{}
	for _, c := range list["categories"].([]any) {
		for _, p := range c.(map[string]any)["capabilities"].([]any) {
			p := p.(map[string]any)
			ids[p["id"].(string)] = true
			if p["configScope"] != "user_sqlite+profile_tool_policy" {
				t.Errorf("%v", p)
			}
			if found, _ := ownCatalogue().pack(p["id"].(string)); ownCatalogue().planned(found) != (p["status"] == "planned") || p["status"] == "planned" && p["toggleable"] != false {
				t.Errorf("%v", p)
			}
		}
	}
	if len(ids) != len(ownCatalogue().packs) {
		t.Errorf("%d packs are listed", len(ids))
	}
	if w := (direct{b}).serve(http.MethodGet, "/api/hermes/client/capabilities?runtime=hermes", nil); w.Code != 400 {
		t.Errorf("another runtime: %d", w.Code)
	}
	var old struct {
		Skills []struct {
			ID, Title, Description string
			Enabled, ReadOnly      bool
			ToolNames              []string
			RequiresContextRefs    []string
		}
	}
	b.get("/api/hermes/client/skills?runtime=mnote&agentId=mcp", &old)
	if len(old.Skills) != len(ids) || old.Skills[0].ID != currentPage || len(old.Skills[0].ToolNames) == 0 {
		t.Errorf("%+v", old)
	}
}
