package capabilities

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// view reads a manifest and gives an agent's view of it.
func view(tb testing.TB, agentID, doc string) *Snapshot {
	tb.Helper()
	return NewSnapshot(mustRead(tb, []byte(doc)), agentID)
}

func namesOf(list []tools.Tool) []string {
	out := []string{}
	for _, t := range list {
		out = append(out, string(t.Name))
	}
	return out
}

// TestSwitched: off by itself, off by its packs, and on while one of them is.
func TestSwitched(t *testing.T) {
	t.Parallel()
	doc := func(on1, on2 bool, tool string) string {
		return fmt.Sprintf(`{"capabilities":[{"id":"p1","enabled":%v},{"id":"p2","enabled":%v}],"tools":[{"name":"mnote.a.b"%s}]}`, on1, on2, tool)
	}
	both := `,"capabilityIds":["p1","p2"]`
	planned := func(tool string) string {
		return `{"capabilities":[{"id":"p1","enabled":false},{"id":"p2","toolNames":["mnote.z.soon"]}],"tools":[{"name":"mnote.a.b"` + both + tool + `},{"name":"mnote.z.soon","status":"planned","capabilityId":"p2"}]}`
	}
	tests := map[string]struct {
		doc    string
		on     bool
		reason string
	}{
		"on":                          {doc(true, true, both), true, ""},
		"one of two packs off":        {doc(false, true, both), true, ""},
		"the other one off":           {doc(true, false, both), true, ""},
		"both packs off":              {doc(false, false, both), false, ReasonCapability},
		"its only pack off":           {doc(false, true, `,"capabilityId":"p1"`), false, ReasonCapability},
		"by itself":                   {doc(true, true, both+`,"enabled":false`), false, ReasonTool},
		"by itself, one pack off":     {doc(false, true, both+`,"enabled":false`), false, ReasonTool},
		"by itself and by its packs":  {doc(false, false, both+`,"enabled":false`), false, ReasonCapability},
		"the kernel says so":          {doc(true, true, both+`,"status":"disabled"`), false, ReasonTool},
		"the kernel says by its pack": {doc(true, true, both+`,"enabled":false,"status":"disabled_by_capability"`), false, ReasonCapability},
		"in no pack":                  {doc(false, false, ``), true, ""},
		"the other pack is planned":   {planned(""), true, ""},
		"and so says the kernel":      {planned(`,"enabled":false,"status":"disabled_by_capability"`), false, ReasonCapability},
		"in no pack, by itself":       {doc(false, false, `,"enabled":false`), false, ReasonTool},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := view(t, "", tt.doc)
			tool, err := s.Resolve("mnote_a_b") // off is not the same as unknown
			if err != nil {
				t.Fatal(err)
			}
			if on, reason := s.Switched(tool); on != tt.on || reason != tt.reason {
				t.Errorf("got %v %q, want %v %q", on, reason, tt.on, tt.reason)
			}
			if advertised := len(s.Tools()) == 1; advertised != tt.on {
				t.Errorf("advertised: %v", advertised)
			}
		})
	}
}

// TestNotKnown: a pack that nobody can tell the switch of says so, and one that
// cannot be read is refused as the kernel refuses it.
func TestNotKnown(t *testing.T) {
	t.Parallel()
	for want, mark := range map[string]func(*Pack){
		ReasonCapability: func(*Pack) {},
		ReasonLost:       func(p *Pack) { p.Lost = true },
		ReasonUnread:     func(p *Pack) { p.Lost, p.Unread = true, true },
	} {
		m, err := Read([]byte(`{"capabilities":[{"id":"p1","enabled":false},{"id":"p2","enabled":false}],"tools":[{"name":"mnote.a.b","capabilityIds":["p1","p2"]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		mark(&m.Packs[0])
		s := NewSnapshot(m, "")
		tool, _ := s.Resolve("mnote_a_b")
		if on, reason := s.Switched(tool); on || reason != want {
			t.Errorf("%s: %v %q", want, on, reason)
		}
		unread := want == ReasonUnread
		if e := Off("mnote_a_b", want); (e.Code == tools.CodeKernelUnavailable) != unread || (e.Details["reason"] == want) == unread {
			t.Errorf("%s: %v", want, e)
		}
	}
}

// TestAgentFilter: packs for other agents are not there, and their tools with
// them; a tool that another pack has too stays.
func TestAgentFilter(t *testing.T) {
	t.Parallel()
	doc := `{"capabilities":[{"id":"all"},{"id":"h","agentIds":["hermes"]},{"id":"m","agentIds":["mcp","reasonix"]},{"id":"none","agentIds":[]}],
	 "tools":[{"name":"mnote.a.all","capabilityId":"all"},{"name":"mnote.a.h","capabilityId":"h"},{"name":"mnote.a.m","capabilityId":"m"},
	  {"name":"mnote.a.hm","capabilityIds":["h","m"]},{"name":"mnote.a.none","capabilityId":"none"},{"name":"mnote.a.other"}]}`
	tests := map[string]struct{ packs, tools []string }{
		"hermes": {[]string{"all", "h", "none", "other"}, []string{"mnote.a.all", "mnote.a.h", "mnote.a.hm", "mnote.a.none", "mnote.a.other"}},
		"":       {[]string{"all", "m", "none", "other"}, []string{"mnote.a.all", "mnote.a.m", "mnote.a.hm", "mnote.a.none", "mnote.a.other"}},
		"zed":    {[]string{"all", "none", "other"}, []string{"mnote.a.all", "mnote.a.none", "mnote.a.other"}},
	}
	for agent, tt := range tests {
		s := view(t, agent, doc)
		var packs []string
		for _, p := range s.Packs() {
			packs = append(packs, p.ID)
		}
		if diff := cmp.Diff(tt.packs, packs); diff != "" {
			t.Errorf("%q: %s", agent, diff)
		}
		if diff := cmp.Diff(tt.tools, namesOf(s.Tools())); diff != "" {
			t.Errorf("%q: %s", agent, diff)
		}
	}
	if _, err := view(t, "zed", doc).Resolve("mnote.a.h"); tools.AsError(err).Code != tools.CodeNotFound {
		t.Errorf("another agent's tool: %v", err)
	}
}

// TestPlannedPack: a pack none of whose tools is built is shown, off, and
// cannot be switched on.
func TestPlannedPack(t *testing.T) {
	t.Parallel()
	s := NewSnapshot(localManifest(t), "")
	for id, planned := range map[string]bool{"mnote-current-page": false, "mnote-local-file": false, "mnote-chat-only": false} {
		if p, ok := s.Pack(id); !ok || p.Planned != planned || p.Enabled == planned || p.Toggleable == planned {
			t.Errorf("%s: %+v", id, p)
		}
	}
	s = view(t, "", `{"capabilities":[{"id":"a"},{"id":"b"}],"tools":[{"name":"mnote.a.x","status":"planned","capabilityId":"a"},{"name":"mnote.b.x","status":"planned","capabilityId":"b"},{"name":"mnote.b.y","status":"compat","kind":"read","capabilityId":"b"}]}`)
	if p, _ := s.Pack("a"); !p.Planned || p.Enabled || p.Toggleable {
		t.Errorf("a: %+v", p)
	}
	if p, _ := s.Pack("b"); p.Planned || !p.Enabled {
		t.Errorf("b has a tool that works: %+v", p)
	}
}

// TestPacks: by id and by alias; an id beats an alias; what belongs to none.
func TestPacks(t *testing.T) {
	t.Parallel()
	s := view(t, "", `{"capabilities":[{"id":"one","aliases":["two","old"]},{"id":"two","aliases":["old"]}],"tools":[{"name":"mnote.a.b","capabilityIds":["two","one"]},{"name":"mnote.a.c"}]}`)
	for id, want := range map[string]string{"one": "one", "two": "two", "old": "one", "other": "other"} {
		if p, ok := s.Pack(id); !ok || p.ID != want {
			t.Errorf("%s: got %q %v", id, p.ID, ok)
		}
	}
	if _, ok := s.Pack("three"); ok {
		t.Error("a pack from nowhere")
	}
	for i, want := range []string{"two", "other"} {
		if p := s.PackOf(s.All()[i]); p.ID != want {
			t.Errorf("%s belongs to %s", s.All()[i].Name, p.ID)
		}
	}
	if p := s.PackOf(tools.Tool{}); p.ID != PackOther || p.Toggleable {
		t.Errorf("a stranger belongs to %+v", p)
	}
}

// TestResolve: one row for each way that a name can be called and refused.
func TestResolve(t *testing.T) {
	t.Parallel()
	s := view(t, "", `{"capabilities":[{"id":"p"}],"tools":[
	  {"name":"mnote.page.get","kind":"read","aliases":["get_page","mnote_page_save"]},{"name":"mnote.page.save"},{"name":"mnote.mindmap.fetch"},{"name":"mnote.mindmap.apply_ops"},
	  {"name":"mnote.doc.list","status":"planned"},{"name":"mnote.doc.old","status":"retired","useInstead":"mnote.doc.list"},{"name":"mnote.doc.gone","status":"retired"},
	  {"name":"mnote.onlyoffice.status","kind":"read","status":"compat"},{"name":"mnote.onlyoffice.force","kind":"write","status":"compat","useInstead":"mnote.page.save"},
	  {"name":"mnote.beta.x","status":"beta"},{"name":"mnote.evidence.search","status":"available"},{"name":"mnote.a.off","enabled":false},{"name":"mnote.knowledge_rag.query"}]}`)
	near := func(names ...string) map[string]any { return map[string]any{"nearest": names} }
	use := func(name string) map[string]any { return map[string]any{"useInstead": name} }
	tests := map[string]struct {
		want    tools.Name
		code    tools.Code
		details map[string]any
		says    string
	}{
		"mnote_page_get":          {want: "mnote.page.get"},
		"mnote.page.get":          {want: "mnote.page.get"},
		"get_page":                {want: "mnote.page.get"},
		"mnote_page_save":         {want: "mnote.page.save"}, // a name beats an alias
		"mindmap_get":             {want: "mnote.mindmap.fetch"},
		"mindmap_get_subtree":     {want: "mnote.mindmap.fetch"},
		"mindmap_apply_ops":       {want: "mnote.mindmap.apply_ops"},
		"mnote_onlyoffice_status": {want: "mnote.onlyoffice.status"},
		"mnote_a_off":             {want: "mnote.a.off"},
		"mnote_page_fetch":        {code: tools.CodeNotFound, details: near("mnote_page_get", "mnote_page_save", "mnote_mindmap_fetch"), says: "the nearest names are mnote_page_get, mnote_page_save, mnote_mindmap_fetch"},
		"MNOTE_PAGE_GET":          {code: tools.CodeNotFound, details: near("mnote_page_get", "mnote_page_save", "mnote_mindmap_fetch")},
		"":                        {code: tools.CodeNotFound, details: near("mnote_page_get", "mnote_page_save", "mnote_mindmap_fetch")},
		"mnote_doc_list":          {code: tools.CodeNotFound, details: map[string]any{"nearest": []string{"mnote_page_get", "mnote_page_save", "mnote_mindmap_fetch"}, "status": "planned"}, says: "planned and not built yet"},
		"mnote_beta_x":            {code: tools.CodeNotFound, details: map[string]any{"nearest": []string{"mnote_page_get", "mnote_page_save", "mnote_mindmap_fetch"}, "status": "beta"}, says: "a status that this version does not know"},
		"mnote_doc_old":           {code: tools.CodeRetired, details: use("mnote.doc.list"), says: "use mnote_doc_list (mnote.doc.list) instead"},
		"mnote_doc_gone":          {code: tools.CodeRetired, says: "has no replacement"},
		"mnote_onlyoffice_force":  {code: tools.CodeRetired, details: use("mnote.page.save")},
		"mindmap_put":             {code: tools.CodeRetired, details: use("mnote.mindmap.apply_ops")},
		"mnote.evidence.search":   {code: tools.CodeRetired, details: use("mnote.knowledge_rag.query")},
		"mnote_evidence_search":   {code: tools.CodeRetired, details: use("mnote.knowledge_rag.query")},
		"mnote_evidence_open":     {code: tools.CodeRetired, details: use("mnote.knowledge_rag.open_reference")},
		"mnote.index.status":      {code: tools.CodeRetired, details: use("mnote.knowledge_rag.status")},
		"mnote_index_refresh":     {code: tools.CodeRetired, details: use("mnote.knowledge_rag.query")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := s.Resolve(name)
			if tt.code == "" {
				if err != nil || got.Name != tt.want {
					t.Errorf("got %s, %v", got.Name, err)
				}
				return
			}
			e := tools.AsError(err)
			if e.Code != tt.code || !strings.Contains(e.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(tt.details, e.Details); diff != "" {
				t.Error(diff)
			}
			if zh := e.In(tools.ZH).Message; name != "" && !strings.Contains(zh, "工具") {
				t.Errorf("no Chinese text: %s", zh)
			}
		})
	}
	if _, err := view(t, "", `{"tools":[]}`).Resolve("x"); tools.AsError(err).Code != tools.CodeNotFound || !strings.Contains(err.Error(), "no tool is available") {
		t.Errorf("an empty manifest: %v", err)
	}
	if _, err := s.Resolve(strings.Repeat("字", 100_000)); len(err.Error()) > 600 {
		t.Errorf("a long name makes a text of %d bytes", len(err.Error()))
	}
}

// TestOffers: what Resolve and Switched say together, of every tool and of names
// that are none.
func TestOffers(t *testing.T) {
	t.Parallel()
	s := view(t, "", `{"capabilities":[{"id":"p"},{"id":"off","enabled":false}],"tools":[
		{"name":"mnote.a.on","capabilityId":"p"},
		{"name":"mnote.a.off","capabilityId":"p","enabled":false},
		{"name":"mnote.a.packoff","capabilityId":"off"},
		{"name":"mnote.a.planned","capabilityId":"p","status":"planned"},
		{"name":"mnote.a.retired","capabilityId":"p","status":"retired"},
		{"name":"mnote.a.odd","capabilityId":"p","status":"odd"},
		{"name":"mnote.a.compat","capabilityId":"p","status":"compat","kind":"read"},
		{"name":"mnote.a.compatwrite","capabilityId":"p","status":"compat","kind":"write"}]}`)
	var offered []string
	for _, name := range append(namesOf(s.All()), "mnote.a.none", "mnote.index.status", "mindmap_put") {
		tool, err := s.Resolve(name)
		on, _ := s.Switched(tool)
		if got := s.Offers(tools.Name(name)); got != (err == nil && on) {
			t.Errorf("%s: offered %v, resolved %v, on %v", name, got, err, on)
		} else if got {
			offered = append(offered, name)
		}
	}
	if diff := cmp.Diff([]string{"mnote.a.on", "mnote.a.compat"}, offered); diff != "" {
		t.Error(diff)
	}
}
