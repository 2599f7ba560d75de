package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// The acceptance lists of seed 7-47 §6, phases A, B and C and the first line of
// D, each line a test under its words. Where they speak of Page AI's pages it is
// the console page; Reasonix and Hermes themselves are driven in .ci/interop.

const library = "mnote-knowledge-rag"

// onNotes opens the local kernel on one page of notes.
func onNotes(t *testing.T) (*program, *parts) {
	t.Helper()
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("# A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := aProgram(t, map[string]string{"workspace": notes, "state": t.TempDir(), "document": "a.md"})
	w := p.assemble()
	t.Cleanup(w.close)
	return p, w
}

// onPage opens the console page of the parts.
func onPage(t *testing.T, p *program, w *parts) *visitor {
	t.Helper()
	page := p.page(w, "")
	server := httptest.NewServer(page)
	t.Cleanup(func() { page.Close(); server.Close() })
	return visit(t, linkLine.FindStringSubmatch(page.Link(server.URL)))
}

func TestPhaseA(t *testing.T) {
	t.Parallel()
	p, w := onNotes(t)
	t.Run("mnote-knowledge-rag 在 skills 与 capabilities 可见，mnote-local-index 不再作为 active capability 暴露", func(t *testing.T) {
		list, err := w.client.Capabilities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		older, err := w.client.Skills(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var packs, skills []string
		for _, c := range list {
			for _, pack := range c.Packs {
				packs = append(packs, pack.ID)
			}
		}
		for _, s := range older {
			skills = append(skills, s.ID)
		}
		if !slices.Contains(packs, library) || !slices.Contains(skills, library) {
			t.Errorf("packs %v, skills %v", packs, skills)
		}
		for _, old := range []string{"mnote-local-index", "mnote-document-evidence"} {
			if slices.Contains(packs, old) || slices.Contains(skills, old) {
				t.Errorf("%s is still a capability: %v, %v", old, packs, skills)
			}
		}
	})
	t.Run("manifest 可看到 capabilities[]", func(t *testing.T) {
		m, err := w.client.Manifest(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Capabilities []struct {
				ID, SkillID string
				ToolNames   []string
			}
			Tools []struct {
				Name, CapabilityID string
				CapabilityIDs      []string
			}
		}
		if err := json.Unmarshal(m.Raw, &doc); err != nil || len(doc.Capabilities) != 6 {
			t.Fatalf("%d capabilities, %v", len(doc.Capabilities), err)
		}
		for _, tool := range doc.Tools {
			if tool.CapabilityID == "" || !slices.Contains(tool.CapabilityIDs, tool.CapabilityID) {
				t.Errorf("%s does not say its capability", tool.Name)
			}
		}
	})
	t.Run("旧 mnote.skill.read 不破", func(t *testing.T) {
		c := p.connectTo(t, w)
		for _, id := range []string{"mnote-current-page", "mnote-local-file", "mnote-chat-only"} {
			if got, env := outcomeOf(t, c, "mnote_skill_read", map[string]any{"skillId": id}); got != "" || !strings.Contains(string(env.Result), `"skillId":"`+id+`"`) {
				t.Errorf("%s: %q %s", id, got, env.Result)
			}
		}
		// The old ids lead to the library: to its text, or while it is not built to
		// its own refusal, never to "no such skill".
		want, _ := outcomeOf(t, c, "mnote_skill_read", map[string]any{"skillId": library})
		for _, old := range []string{"mnote-local-index", "mnote-document-evidence"} {
			if got, env := outcomeOf(t, c, "mnote_skill_read", map[string]any{"skillId": old}); got != want || got != "" && got != "mnote_tool_disabled capability" {
				t.Errorf("%s: %q, want %q: %s", old, got, want, env.JSON())
			}
		}
	})
}

func TestPhaseB(t *testing.T) {
	t.Parallel()
	p, w := onNotes(t)
	page := onPage(t, p, w)
	shown := page.page("/?lang=zh")
	t.Run("能力页中资料库问答像公共 skill 一样可见", func(t *testing.T) {
		for _, want := range []string{"资料库问答", "知识库 / LightRAG · 可回跳来源 · ", "需要 文件夹"} {
			if !strings.Contains(shown, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
	})
	t.Run("展开能看到 mnote.knowledge_rag.*，看不到 mnote.evidence.* / mnote.index.*", func(t *testing.T) {
		for _, name := range []string{"mnote.knowledge_rag.status", "mnote.knowledge_rag.query", "mnote.knowledge_rag.open_reference"} {
			if !strings.Contains(shown, "<code>"+name+"</code>") {
				t.Errorf("the page lacks %s", name)
			}
		}
		if old := regexp.MustCompile(`mnote[._](evidence|index)[._]\w+`).FindString(shown); old != "" {
			t.Errorf("the page shows %s", old)
		}
	})
	t.Run("开关 capability 后，下一次 run 的 skillPreferences.mnote 同步变化", func(t *testing.T) {
		c := p.connectTo(t, w)
		preference := func(id string) bool {
			_, env := outcomeOf(t, c, "mnote_context_get", map[string]any{})
			var r struct {
				SkillPreferences struct{ MNote map[string]bool }
			}
			if err := json.Unmarshal(env.Result, &r); err != nil {
				t.Fatalf("%v: %s", err, env.JSON())
			}
			on, told := r.SkillPreferences.MNote[id]
			if !told {
				t.Errorf("nothing is said of %s: %s", id, env.Result)
			}
			return on
		}
		turned := 0
		for _, pack := range w.registry.Snapshot().Packs() {
			if pack.Planned || !pack.Toggleable {
				continue
			}
			for _, on := range []bool{false, true} {
				page.press("/packs/"+pack.ID, map[string]string{"on": map[bool]string{true: "true", false: "false"}[on]})
				if got := preference(pack.ID); got != on {
					t.Errorf("%s was switched to %v and the next run hears %v", pack.ID, on, got)
				}
				turned++
			}
		}
		if turned < 6 {
			t.Errorf("only %d switches were turned", turned)
		}
	})
}

// sees reports where a pack shows itself to an agent.
func sees(t *testing.T, c *mcp.Probe, id, title string) []string {
	t.Helper()
	s := look(t, c)
	var where []string
	if slices.Contains(s.prompts, id) {
		where = append(where, "prompts")
	}
	if slices.Contains(s.resources, id) {
		where = append(where, "resources")
	}
	for from, text := range s.texts {
		if strings.Contains(text, id) || from == "instructions" && strings.Contains(text, title) {
			where = append(where, from)
		}
	}
	return where
}

func TestPhaseC(t *testing.T) {
	t.Parallel()
	k := &bare{off: map[string]bool{}}
	p := aProgram(t, map[string]string{"state": t.TempDir()})
	old := p.over(k)
	t.Cleanup(old.close)
	running := p.connectTo(t, old) // an agent that is there all the time
	look(t, running)
	anew := func() *mcp.Probe {
		w := p.over(k)
		t.Cleanup(w.close)
		if err := w.registry.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		return p.connectTo(t, w)
	}
	query := map[string]any{"query": "x"}
	if where := sees(t, anew(), library, "资料库问答"); len(where) < 3 {
		t.Fatalf("at first the library is seen in %v only", where)
	}
	k.turn(library, false)
	t.Run("关闭后 agent 不再看到该 skill 摘要", func(t *testing.T) {
		if where := sees(t, anew(), library, "资料库问答"); len(where) != 0 {
			t.Errorf("still seen in %v", where)
		}
		for _, c := range []*mcp.Probe{running, anew()} {
			if got, _ := outcomeOf(t, c, "mnote_skill_read", map[string]any{"skillId": library}); got != "mnote_tool_disabled capability" {
				t.Errorf("its text is answered with %q", got)
			}
		}
	})
	t.Run("关闭后直接调用 mnote.knowledge_rag.query 返回 mnote_tool_disabled", func(t *testing.T) {
		for _, c := range []*mcp.Probe{running, anew()} {
			for _, name := range []string{"mnote_knowledge_rag_query", "mnote.knowledge_rag.query"} {
				if got, _ := outcomeOf(t, c, name, query); got != "mnote_tool_disabled capability" {
					t.Errorf("%s is answered with %q", name, got)
				}
			}
		}
	})
	k.turn(library, true)
	t.Run("再打开后恢复", func(t *testing.T) {
		for _, c := range []*mcp.Probe{running, anew()} {
			if got, _ := outcomeOf(t, c, "mnote_knowledge_rag_query", query); got != "" {
				t.Errorf("the query is answered with %q", got)
			}
			if got, env := outcomeOf(t, c, "mnote_skill_read", map[string]any{"skillId": library}); got != "" || !strings.Contains(string(env.Result), "mnote_knowledge_rag_query") {
				t.Errorf("its text is answered with %q: %s", got, env.Result)
			}
		}
		if where := sees(t, anew(), library, "资料库问答"); len(where) < 3 {
			t.Errorf("seen in %v only", where)
		}
	})
}

// TestPhaseD: a tool that the kernel's manifest gained is there in an MCP
// client with no change of ours, in a new session and in one that runs.
func TestPhaseD(t *testing.T) {
	t.Parallel()
	k := &bare{off: map[string]bool{}}
	p := aProgram(t, map[string]string{"state": t.TempDir()})
	w := p.over(k)
	t.Cleanup(w.close)
	c := p.connectTo(t, w)
	look(t, c)
	const wire = "mnote_board_add_card"
	if got, _ := outcomeOf(t, c, wire, map[string]any{}); got != "mnote_tool_not_found " {
		t.Fatalf("before it is there it answers %q", got)
	}
	k.mu.Lock()
	k.more = []map[string]any{{"name": "mnote.board.add_card", "title": "加卡片", "description": "Add a card.", "kind": "read", "capabilityId": library, "capabilityScope": []any{"board.read"}}}
	k.changed()
	k.mu.Unlock()
	if got, _ := outcomeOf(t, c, wire, map[string]any{}); got != "" {
		t.Errorf("a running session's call answers %q", got)
	}
	if s := look(t, c); !slices.Contains(s.tools, wire) {
		t.Errorf("not listed: %v", s.tools)
	}
	tool, err := w.registry.Snapshot().Resolve(wire)
	if err != nil || w.registry.Snapshot().PackOf(tool).ID != library || tool.Kind != tools.KindRead {
		t.Errorf("%+v %v", tool, err)
	}
	k.turn(library, false) // it goes with its pack
	if got, _ := outcomeOf(t, c, wire, map[string]any{}); got != "mnote_tool_disabled capability" {
		t.Errorf("off with its pack it answers %q", got)
	}
}
