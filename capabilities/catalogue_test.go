package capabilities

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

var update = flag.Bool("update", false, "rewrite testdata/snapshots/tools")

// ours are the two manifests that ship with us; each goes through every test.
func ours(tb testing.TB) map[string]Manifest {
	return map[string]Manifest{"local": localManifest(tb), "fallback": Fallback()}
}

// everything gives the local manifest as it will be when all of it is built.
func everything(tb testing.TB) *Snapshot {
	tb.Helper()
	m := localManifest(tb)
	m.Tools = slices.Clone(m.Tools)
	for i, t := range m.Tools {
		if t.Status == tools.StatusPlanned && t.Name != "mnote.onlyoffice.status" {
			m.Tools[i].Status = tools.StatusAvailable
		}
	}
	return NewSnapshot(m, "")
}

// eachTool runs f on every tool of both manifests.
func eachTool(t *testing.T, f func(t *testing.T, tool tools.Tool)) {
	t.Helper()
	for which, m := range ours(t) {
		for _, tool := range m.Tools {
			t.Run(which+"/"+string(tool.Name), func(t *testing.T) {
				t.Parallel()
				f(t, tool)
			})
		}
	}
}

// TestCatalogueNames: a model's name leads back to the tool and fits the
// strictest client (B29): mcp__<20 characters>__<name> within 64.
func TestCatalogueNames(t *testing.T) {
	t.Parallel()
	for which, m := range ours(t) {
		if len(m.Warnings) > 0 {
			t.Errorf("%s: %q", which, m.Warnings)
		}
		consistent(t, m)
		s := NewSnapshot(m, "")
		for _, tool := range m.Tools {
			wire := tools.WireName(tool.Name)
			if i := s.byName[wire]; s.all[i].Name != tool.Name {
				t.Errorf("%s leads back to %s", wire, s.all[i].Name)
			}
			if len(wire) > tools.MaxWireName || len("mcp__")+20+len("__")+len(wire) > 64 {
				t.Errorf("%s has %d bytes", wire, len(wire))
			}
			if wire != strings.ReplaceAll(string(tool.Name), ".", "_") {
				t.Errorf("%s is shortened", tool.Name)
			}
		}
	}
}

// TestCatalogueSchemas: sound, portable (B27), and with everything that 7-6
// demands of a call.
func TestCatalogueSchemas(t *testing.T) {
	t.Parallel()
	eachTool(t, func(t *testing.T, tool tools.Tool) {
		if err := schema.New(tool).Fault(); err != nil {
			t.Error(err)
		}
		narrow, err := schema.Narrow(tool)
		if err != nil {
			t.Error(err)
		}
		for what, raw := range map[string]json.RawMessage{"narrowed": narrow, "full": tool.InputSchema} {
			if err := schema.Portable(raw); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		s := schema.New(tool)
		demanded := []string{"workspaceId", "sessionId", "runId", "toolCallId", "traceId"}
		if tool.Writes() {
			demanded = append(demanded, "idempotencyKey", "dryRun")
		}
		for _, field := range demanded {
			if !s.Requires(field) {
				t.Errorf("%s is not required", field)
			}
		}
		for _, hidden := range []string{"workspaceId", "actorId", "sessionId", "runId", "toolCallId", "traceId", "rootUri"} {
			if bytes.Contains(narrow, []byte(`"`+hidden+`"`)) {
				t.Errorf("a model is shown %s", hidden)
			}
		}
		if plan := bytes.Contains(narrow, []byte(`"planId"`)); plan != tool.Writes() {
			t.Errorf("a model is shown planId: %v", plan)
		}
	})
}

// TestCatalogueWords: a lexical search finds each tool by what people call it,
// and the first sentence fits where clients cut.
func TestCatalogueWords(t *testing.T) {
	t.Parallel()
	things := []string{"note", "page", "library", "mindmap", "office", "capability"}
	eachTool(t, func(t *testing.T, tool tools.Tool) {
		first, _, _ := strings.Cut(tool.Description, ". ")
		if n := len([]rune(first)); n > 160 {
			t.Errorf("the first sentence has %d characters", n)
		}
		low := strings.ToLower(strings.ReplaceAll(first, "MNote", ""))
		isThing := func(w string) bool { return strings.Contains(low, w) }
		if tool.Status != tools.StatusCompat && tool.Name != "mnote.onlyoffice.status" && !slices.ContainsFunc(things, isThing) {
			t.Errorf("names no thing: %s", first)
		}
		if !strings.Contains(first, "MNote") || !strings.ContainsFunc(first, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("lacks MNote or a Chinese word: %s", first)
		}
		for _, injection := range []string{"ignore previous", "you are now", "system:", "do not tell", "<system>"} {
			if strings.Contains(low, injection) {
				t.Errorf("a client would flag %q", injection)
			}
		}
		if tool.Title == "" || tool.Title == string(tool.Name) {
			t.Error("has no title")
		}
	})
}

// TestCatalogueMembers: what each declaration must say.
func TestCatalogueMembers(t *testing.T) {
	t.Parallel()
	eachTool(t, func(t *testing.T, tool tools.Tool) {
		writes := slices.ContainsFunc(tool.Scopes, func(s tools.Scope) bool { return strings.HasSuffix(string(s), ".write") })
		if len(tool.Scopes) == 0 || writes != tool.Writes() || tool.RequiresWritePermission != tool.Writes() {
			t.Errorf("kind %s, scopes %v, requiresWritePermission %v", tool.Kind, tool.Scopes, tool.RequiresWritePermission)
		}
		if (tool.Command != "") != tool.Writes() {
			t.Errorf("command %q of a %s", tool.Command, tool.Kind)
		}
		known := []tools.Status{tools.StatusAvailable, tools.StatusPlanned, tools.StatusCompat}
		if !slices.Contains(known, tool.Status) || !tool.Enabled {
			t.Errorf("status %s, enabled %v", tool.Status, tool.Enabled)
		}
		if !tool.Writes() && tool.Destructive() || tool.OpenWorld() {
			t.Error("the hints are not true")
		}
		if segment := strings.Split(string(tool.Name), ".")[1]; segment != "onlyoffice" && segment != "knowledge_rag" && segment != "command" && segment != "block" && !strings.HasPrefix(string(tool.Scopes[0]), segment+".") && tool.Name != "mnote.doc.restore" {
			t.Errorf("scopes %v of another thing", tool.Scopes)
		}
	})
	clearing := map[tools.Name]string{
		"mnote.page.update_options": `{"options":{"protectEditing":false},"dryRun":false}`,
		"mnote.command.undo":        `{"commandId":"c","unlock":true,"dryRun":false}`,
	}
	for _, tool := range localManifest(t).Tools {
		args := clearing[tool.Name]
		if (tool.ConfirmWhen != nil) != (args != "") {
			t.Errorf("%s has a confirmWhen, or has none", tool.Name)
		}
		if args == "" {
			continue
		}
		a, _, err := schema.New(tool).Decode(json.RawMessage(args))
		if err != nil || !schema.New(tool).Confirms(a) {
			t.Errorf("%s: clearing protectEditing asks nobody (%v)", tool.Name, err)
		}
	}
}

// TestCataloguePacks: the six packs of seed 7-47, with all their fields.
func TestCataloguePacks(t *testing.T) {
	t.Parallel()
	type row struct {
		title, category, kind string
		readOnly, native      bool
		refs                  string
		tools                 int
	}
	want := map[string]row{
		"mnote-current-page":    {"当前页读取", "mnote", "capability", false, false, "page", 21},
		"mnote-knowledge-rag":   {"资料库问答", "mnote", "capability", true, false, "folder", 3},
		"mnote-local-file":      {"本地文件编辑", "mnote", "capability", false, true, "folder", 0},
		"mnote-mindmap":         {"思维导图", "resource", "capability", false, false, "mindmap", 5},
		"mnote-onlyoffice-live": {"ONLYOFFICE 实时编辑", "office", "capability", true, false, "office", 4},
		"mnote-chat-only":       {"纯聊天", "chat", "chat", true, false, "", 0},
	}
	got := map[string]row{}
	for _, p := range localManifest(t).Packs {
		got[p.ID] = row{p.Title, p.Category, p.UIKind, p.ReadOnly, p.NativeAgentTools, strings.Join(p.RequiresRefs, ","), len(p.ToolNames)}
		if p.SkillID != p.ID || p.Description == "" || p.Subtitle == "" || !p.Public || !p.Toggleable || !p.Enabled || !slices.Equal(p.AgentIDs, []string{"hermes", "reasonix", "mcp"}) {
			t.Errorf("%+v", p)
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
	rag, _ := localManifest(t).pack("mnote-document-evidence")
	if rag.ID != "mnote-knowledge-rag" || rag.Subtitle != "知识库 / LightRAG · 可回跳来源" || !rag.answersTo("mnote-local-index") {
		t.Errorf("the library's pack: %+v", rag)
	}
	for _, n := range []tools.Name{ToolSkillRead, ToolContextGet, "mnote.context.list_refs"} {
		tool, _ := localManifest(t).tool(n)
		if diff := cmp.Diff([]string{"mnote-current-page", "mnote-knowledge-rag", "mnote-mindmap", "mnote-onlyoffice-live"}, tool.PackIDs); diff != "" {
			t.Errorf("%s: %s", n, diff)
		}
	}
	for _, n := range []tools.Name{ToolSkillRead, ToolContextGet, ToolPageGet, ToolDocList} {
		if _, ok := localManifest(t).tool(n); !ok {
			t.Errorf("the host needs %s", n)
		}
	}
}

// TestFallbackNames: exactly what the seeds name, all of it callable.
func TestFallbackNames(t *testing.T) {
	t.Parallel()
	want := []string{
		"mnote.skill.read", "mnote.page.get", "mnote.page.save", "mnote.page.update_title", "mnote.page.update_options",
		"mnote.artifact.create_summary", "mnote.artifact.create_ai_note",
		"mnote.knowledge_rag.status", "mnote.knowledge_rag.query", "mnote.knowledge_rag.open_reference",
		"mnote.mindmap.fetch", "mnote.mindmap.markdown_summary", "mnote.mindmap.apply_ops", "mnote.mindmap.move_node", "mnote.mindmap.export_markdown",
		"mnote.office.fetch_summary", "mnote.office.propose_changes", "mnote.office.export_change_summary",
	}
	if diff := cmp.Diff(want, namesOf(NewSnapshot(Fallback(), "").Tools())); diff != "" {
		t.Error(diff)
	}
	m := Fallback()
	m.Tools[0].Title, m.Packs[0].Title = "changed", "changed"
	if again := Fallback(); again.Tools[0].Title == "changed" || again.Packs[0].Title == "changed" {
		t.Error("the fallback is shared")
	}
}

// listed is a tool as an MCP client gets it.
type listed struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations hints           `json:"annotations"`
}

type hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

func listing(tb testing.TB, t tools.Tool) listed {
	tb.Helper()
	narrow, err := schema.Narrow(t)
	if err != nil {
		tb.Fatal(err)
	}
	return listed{tools.WireName(t.Name), t.Title, t.Description, narrow, hints{!t.Writes(), t.Destructive(), t.Idempotent(), t.OpenWorld()}}
}

// TestCatalogueBudget (B29): with everything on, 32 tools, within 16 KiB.
func TestCatalogueBudget(t *testing.T) {
	t.Parallel()
	var list []listed
	for _, tool := range everything(t).Tools() {
		list = append(list, listing(t, tool))
	}
	all := indent(t, "", map[string]any{"jsonrpc": "2.0", "id": 1, "result": map[string]any{"tools": list, "ttlMs": 60000, "cacheScope": "private", "resultType": "complete"}})
	if len(list) != 32 || len(all) > 16<<10 {
		t.Errorf("%d tools in %d bytes; the budget is 32 in %d", len(list), len(all), 16<<10)
	}
}

// indent writes JSON without HTML escapes.
func indent(tb testing.TB, with string, v any) []byte {
	tb.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", with)
	if err := e.Encode(v); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestCatalogueSnapshots: what a model is shown of each tool is a file, so that
// a change is a line in a diff. Rewrite with -update.
func TestCatalogueSnapshots(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "testdata", "snapshots", "tools")
	want := map[string]bool{}
	for which, m := range ours(t) {
		for _, tool := range m.Tools {
			name := string(tool.Name) + ".json"
			if which == "fallback" {
				name = filepath.Join("fallback", name)
			}
			want[name] = true
			compareSnapshot(t, filepath.Join(dir, name), indent(t, "  ", listing(t, tool)))
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob(filepath.Join(dir, "fallback", "*.json"))
	for _, path := range append(found, more...) {
		if rel, _ := filepath.Rel(dir, path); !want[rel] {
			t.Errorf("%s belongs to no tool", rel)
		}
	}
}

func compareSnapshot(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update)", err)
	}
	if diff := cmp.Diff(string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))), string(got)); diff != "" {
		t.Errorf("%s:\n%s", path, diff)
	}
}
