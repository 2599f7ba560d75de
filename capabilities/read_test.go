package capabilities

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// manifest reads a file of testdata/manifests.
func manifest(tb testing.TB, name string) Manifest {
	tb.Helper()
	return mustRead(tb, document(tb, filepath.Join("..", "testdata", "manifests", name)))
}

// localManifest reads the local kernel's own.
func localManifest(tb testing.TB) Manifest {
	tb.Helper()
	return mustRead(tb, document(tb, filepath.Join("..", "plugin", "localkernel", "manifest.json")))
}

func document(tb testing.TB, path string) []byte {
	tb.Helper()
	doc, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

func mustRead(tb testing.TB, doc []byte) Manifest {
	tb.Helper()
	m, err := Read(doc)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// declare reads a manifest of one tool in one pack, whose members are given.
func declare(tb testing.TB, tool, pack string) (tools.Tool, Pack, []string) {
	tb.Helper()
	m := mustRead(tb, []byte(`{"capabilities":[{"id":"p","toolNames":["mnote.x.y"]`+pack+`}],"tools":[{"name":"mnote.x.y"`+tool+`}]}`))
	return m.Tools[0], m.Packs[0], m.Warnings
}

// TestToolTolerance: one row for each thing that kernel-api tolerates of a tool.
func TestToolTolerance(t *testing.T) {
	t.Parallel()
	schema := func(t tools.Tool) any { return string(t.InputSchema) }
	kind := func(t tools.Tool) any { return t.Kind }
	tests := map[string]struct {
		members string
		look    func(tools.Tool) any
		want    any
		warns   string
	}{
		"inputSchema":                  {`,"inputSchema":{"a": 1.50}`, schema, `{"a": 1.50}`, ""},
		"input_schema":                 {`,"input_schema":{"a":1}`, schema, `{"a":1}`, ""},
		"parameters":                   {`,"parameters":{"a":1}`, schema, `{"a":1}`, ""},
		"schema":                       {`,"schema":{"a":1}`, schema, `{"a":1}`, ""},
		"the first spelling wins":      {`,"schema":{"a":1},"inputSchema":{"b":1}`, schema, `{"b":1}`, ""},
		"a null one is none":           {`,"inputSchema":null,"schema":{"a":1}`, schema, `{"a":1}`, ""},
		"a schema that is none":        {`,"inputSchema":[1]`, schema, ``, "inputSchema is not an object"},
		"no schema, a stranger":        {``, schema, ``, ""},
		"kind":                         {`,"kind":"read"`, kind, tools.KindRead, ""},
		"effect":                       {`,"effect":"write"`, kind, tools.KindWrite, ""},
		"kind in capitals":             {`,"kind":"Read"`, kind, tools.KindRead, ""},
		"an unknown kind writes":       {`,"kind":"peek","capabilityScope":["a.read"]`, kind, tools.KindWrite, `the kind "peek" is unknown`},
		"no kind, all read":            {`,"capabilityScope":["a.read","b.read"]`, kind, tools.KindRead, ""},
		"no kind, one more":            {`,"capabilityScope":["a.read","b.propose"]`, kind, tools.KindWrite, ""},
		"no kind, no scope":            {``, kind, tools.KindWrite, ""},
		"a scope as one word":          {`,"capabilityScope":"a.read"`, func(t tools.Tool) any { return len(t.Scopes) }, 1, ""},
		"a scope of odd things":        {`,"capabilityScope":["a.read",5,""]`, func(t tools.Tool) any { return len(t.Scopes) }, 1, "capabilityScope is not a list of words"},
		"no status":                    {``, func(t tools.Tool) any { return t.Status }, tools.StatusAvailable, ""},
		"an unknown status":            {`,"status":"beta"`, func(t tools.Tool) any { return t.Status }, tools.Status("beta"), ""},
		"no enabled":                   {``, func(t tools.Tool) any { return t.Enabled }, true, ""},
		"enabled as text":              {`,"enabled":"false"`, func(t tools.Tool) any { return t.Enabled }, false, ""},
		"enabled that is no boolean":   {`,"enabled":0`, func(t tools.Tool) any { return t.Enabled }, true, "enabled is not true or false"},
		"no requiresWritePermission":   {``, func(t tools.Tool) any { return t.RequiresWritePermission }, false, ""},
		"requiresWritePermission":      {`,"requiresWritePermission":true`, func(t tools.Tool) any { return t.RequiresWritePermission }, true, ""},
		"no title, a stranger":         {``, func(t tools.Tool) any { return t.Title + "|" + t.Description }, "mnote.x.y|mnote.x.y", ""},
		"a title only":                 {`,"title":"T"`, func(t tools.Tool) any { return t.Title + "|" + t.Description }, "T|T", ""},
		"a title that is no text":      {`,"title":{"zh":"T"}`, func(t tools.Tool) any { return t.Title }, "mnote.x.y", "title is not text"},
		"command null":                 {`,"command":null`, func(t tools.Tool) any { return t.Command }, "", ""},
		"no annotations":               {``, func(t tools.Tool) any { return t.Annotations }, tools.Annotations{}, ""},
		"an annotation that is odd":    {`,"annotations":{"destructive":"often"}`, func(t tools.Tool) any { return t.Annotations }, tools.Annotations{}, "destructive is not true or false"},
		"confirmWhen":                  {`,"confirmWhen":{"required":["a"]}`, func(t tools.Tool) any { return string(t.ConfirmWhen) }, `{"required":["a"]}`, ""},
		"confirmWhen true":             {`,"confirmWhen":true`, func(t tools.Tool) any { return string(t.ConfirmWhen) }, `true`, ""},
		"confirmWhen that is none":     {`,"confirmWhen":"always"`, func(t tools.Tool) any { return string(t.ConfirmWhen) }, `true`, "every call is confirmed"},
		"only the pack lists the tool": {``, func(t tools.Tool) any { return t.PackIDs }, []string{"p"}, ""},
		"capabilityId only":            {`,"capabilityId":"p"`, func(t tools.Tool) any { return t.PackIDs }, []string{"p"}, ""},
		"capabilityIds only":           {`,"capabilityIds":["p"]`, func(t tools.Tool) any { return t.PackIDs }, []string{"p"}, ""},
		"an unknown capability":        {`,"capabilityId":"q"`, func(t tools.Tool) any { return t.PackIDs }, []string{"p"}, `names the unknown capability "q"`},
		"the first of two members":     {`,"title":"one","title":"two"`, func(t tools.Tool) any { return t.Title }, "one", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool, _, warnings := declare(t, tt.members, "")
			if diff := cmp.Diff(tt.want, tt.look(tool)); diff != "" {
				t.Error(diff)
			}
			if all := strings.Join(warnings, "\n"); tt.warns == "" && all != "" || !strings.Contains(all, tt.warns) {
				t.Errorf("warnings %q, want %q", all, tt.warns)
			}
		})
	}
}

// TestPackTolerance: the same for a capability.
func TestPackTolerance(t *testing.T) {
	t.Parallel()
	bare := Pack{ID: "p", Title: "p", Category: "other", UIKind: "capability", Public: true, Enabled: true, Toggleable: true, ToolNames: []string{"mnote.x.y"}}
	tests := map[string]struct {
		members string
		change  func(*Pack)
		warns   string
	}{
		"bare":               {``, func(*Pack) {}, ""},
		"nativeAgentTools":   {`,"nativeAgentTools":true`, func(p *Pack) { p.NativeAgentTools = true }, ""},
		"native_agent_tools": {`,"native_agent_tools":true`, func(p *Pack) { p.NativeAgentTools = true }, ""},
		"not public":         {`,"public":false`, func(p *Pack) { p.Public = false }, ""},
		"off":                {`,"enabled":false`, func(p *Pack) { p.Enabled = false }, ""},
		"not to be switched": {`,"toggleable":false`, func(p *Pack) { p.Toggleable = false }, ""},
		"read only":          {`,"readOnly":true`, func(p *Pack) { p.ReadOnly = true }, ""},
		"agents":             {`,"agentIds":["hermes"]`, func(p *Pack) { p.AgentIDs = []string{"hermes"} }, ""},
		"refs":               {`,"requiresContextRefs":["page"]`, func(p *Pack) { p.RequiresRefs = []string{"page"} }, ""},
		"words": {`,"title":"T","subtitle":"S","description":"D","skillId":"k","category":"Office","uiKind":"chat"`, func(p *Pack) {
			p.Title, p.Subtitle, p.Description, p.SkillID, p.Category, p.UIKind = "T", "S", "D", "k", "office", "chat"
		}, ""},
		"refs that are no list":   {`,"requiresContextRefs":{"page":true}`, func(*Pack) {}, "requiresContextRefs is not a list"},
		"aliases of an old name":  {`,"aliases":["old"]`, func(p *Pack) { p.Aliases = []string{"old"} }, ""},
		"an empty list of agents": {`,"agentIds":[]`, func(p *Pack) { p.AgentIDs = []string{} }, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := bare
			tt.change(&want)
			_, got, warnings := declare(t, "", tt.members)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if all := strings.Join(warnings, "\n"); !strings.Contains(all, tt.warns) || tt.warns == "" && all != "" {
				t.Errorf("warnings %q, want %q", all, tt.warns)
			}
		})
	}
}

// TestReadBare: seed 7-47 §3.3's own example, whose rest comes from us.
func TestReadBare(t *testing.T) {
	t.Parallel()
	m := manifest(t, "bare-7-47.json")
	ours, _ := Fallback().tool("mnote.knowledge_rag.query")
	got := m.Tools[0]
	want := tools.Tool{
		Name: "mnote.knowledge_rag.query", Title: ours.Title, Description: ours.Description, Kind: tools.KindRead, Status: tools.StatusAvailable, Enabled: true,
		PackIDs: []string{"mnote-knowledge-rag"}, Scopes: []tools.Scope{"knowledge_rag.read", "evidence.read"}, InputSchema: ours.InputSchema,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	p := m.Packs[0]
	if p.Title != "资料库问答" || !p.ReadOnly || !p.answersTo("mnote-local-index") || !p.answersTo("mnote-document-evidence") || p.Category != "mnote" {
		t.Errorf("the pack is not completed: %+v", p)
	}
	if diff := cmp.Diff([]string{"mnote.knowledge_rag.query"}, p.ToolNames); diff != "" {
		t.Error(diff)
	}
	if len(m.Warnings) != 2 { // two listed tools that it does not have
		t.Errorf("warnings: %q", m.Warnings)
	}
}

// TestReadBefore747: a kernel without capabilities gets the packs shipped here,
// and what has retired stays retired.
func TestReadBefore747(t *testing.T) {
	t.Parallel()
	m := manifest(t, "pre-7-47.json")
	got := map[string][]string{}
	for _, p := range m.Packs {
		got[p.ID] = p.ToolNames
	}
	want := map[string][]string{
		"mnote-current-page": {"mnote.skill.read", "mnote.context.get", "mnote.page.get", "mnote.page.save", "mnote.doc.list"},
		"mnote-mindmap":      {"mnote.mindmap.fetch"},
		"mnote-local-file":   nil,
		"mnote-chat-only":    nil,
		"other":              {"mnote.calendar.today"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s := NewSnapshot(m, "")
	for _, tool := range s.Tools() {
		if strings.HasPrefix(string(tool.Name), "mnote.evidence.") || strings.HasPrefix(string(tool.Name), "mnote.index.") {
			t.Errorf("%s is advertised", tool.Name)
		}
	}
	skill, _ := m.tool(ToolSkillRead)
	if diff := cmp.Diff([]string{"mnote-current-page", "mnote-mindmap"}, skill.PackIDs); diff != "" {
		t.Error(diff)
	}
	if save, _ := m.tool("mnote.page.save"); !bytes.Contains(save.InputSchema, []byte(`"idempotencyKey"`)) {
		t.Errorf("no schema of ours for page.save: %s", save.InputSchema)
	}
}

// TestReadOdd: what is wrong is skipped and told, the rest is served.
func TestReadOdd(t *testing.T) {
	t.Parallel()
	m := manifest(t, "odd.json")
	var names []string
	for _, tool := range m.Tools {
		names = append(names, string(tool.Name)+" "+strings.Join(tool.PackIDs, ","))
	}
	if diff := cmp.Diff([]string{"mnote.weather.now mnote-weather", "mnote.weather.later mnote-weather", "mnote.rest.take mnote-rest,mnote-weather"}, names); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"manifest: manifestVersion is not text and was left out",
		"a tool that is not an object was skipped",
		"a tool that is not an object was skipped",
		`the tool "" was skipped: its name is not mnote.<segment>(.<segment>)*`,
		`the tool "page.get" was skipped: its name is not mnote.<segment>(.<segment>)*`,
		`the tool "mnote" was skipped: its name is not mnote.<segment>(.<segment>)*`,
		`the tool "mnote.Page.get" was skipped: its name is not mnote.<segment>(.<segment>)*`,
		"tool mnote.weather.now: enabled is not true or false and was left out",
		"tool mnote.weather.now: inputSchema is not an object and was left out",
		`tool mnote.weather.now: the kind "peek" is unknown and taken for write`,
		"tool mnote.weather.now: idempotent is not true or false and was left out",
		"the tool mnote.weather.now was skipped: mnote.weather.now has its wire name mnote_weather_now already",
		"the tool mnote.weather_now was skipped: mnote.weather.now has its wire name mnote_weather_now already",
		"tool mnote.weather.later: confirmWhen is no schema, so every call is confirmed",
		"a capability that is not an object was skipped",
		`the capability "no spaces allowed" was skipped: its id is not letters, digits, dots and dashes`,
		`the capability "" was skipped: its id is not letters, digits, dots and dashes`,
		"capability mnote-weather: title is not text and was left out",
		"capability mnote-weather: requiresContextRefs is not a list and was left out",
		"capability mnote-weather: toolNames is not a list of words and was left out",
		"the second capability mnote-weather was skipped",
		`capability mnote-weather lists the unknown tool "mnote.weather.gone"`,
		`tool mnote.weather.later names the unknown capability "nobody"`,
	}
	if diff := cmp.Diff(want, m.Warnings); diff != "" {
		t.Error(diff)
	}
	rest, _ := m.tool("mnote.rest.take")
	if rest.Command != "rest.take" || rest.UseInstead != "mnote.weather.now" || !rest.RequiresWritePermission {
		t.Errorf("%+v", rest)
	}
}

// TestReadRefuses: only what is no manifest at all.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":                           "not JSON",
		"{":                          "not JSON",
		`{"tools":[]} x`:             "not JSON",
		`[]`:                         "not a JSON object",
		`null`:                       "not a JSON object",
		`"tools"`:                    "not a JSON object",
		`{}`:                         "no list of tools",
		`{"tools":{}}`:               "no list of tools",
		`{"ok":false,"tools":[]}`:    "ok: false",
		"{\"tools\":[\"\xff\"]}":     "not UTF-8",
		strings.Repeat(" ", 4<<20+1): "at most",
	}
	for in, want := range tests {
		if _, err := Read([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %q", in, err, want)
		}
	}
	if m := mustRead(t, []byte(`{"tools":[],"capabilities":[]}`)); len(m.Tools)+len(m.Packs) != 0 {
		t.Errorf("an empty manifest is not empty: %+v", m)
	}
}

// TestReadBoundsWarnings: a kernel cannot fill the log.
func TestReadBoundsWarnings(t *testing.T) {
	t.Parallel()
	m := mustRead(t, []byte(`{"tools":[`+strings.Repeat("1,", 500)+`1]}`))
	if n := len(m.Warnings); n != 101 || m.Warnings[100] != "more warnings were left out" {
		t.Errorf("%d warnings, last %q", n, m.Warnings[n-1])
	}
	long := mustRead(t, []byte(`{"tools":[{"name":"`+strings.Repeat("字", 5000)+`"}]}`))
	if n := len(long.Warnings[0]); n > 400 {
		t.Errorf("a warning of %d bytes", n)
	}
}

// FuzzRead: whatever a kernel sends, reading ends without a panic, names are
// unambiguous, and packs and tools agree both ways.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"pre-7-47.json", "bare-7-47.json", "odd.json"} {
		f.Add(document(f, filepath.Join("..", "testdata", "manifests", name)))
	}
	f.Add([]byte(`{"tools":[{"name":"mnote.a.b","capabilityId":"other"}],"capabilities":[{"id":"x","aliases":["x","other"]}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		m, err := Read(doc)
		if err != nil {
			return
		}
		wires := map[string]bool{}
		for _, tool := range m.Tools {
			if wire := tools.WireName(tool.Name); wires[wire] {
				t.Fatalf("two tools with the wire name %s", wire)
			} else {
				wires[wire] = true
			}
			if tool.InputSchema != nil && !json.Valid(tool.InputSchema) {
				t.Fatalf("%s: the schema is no JSON: %s", tool.Name, tool.InputSchema)
			}
		}
		consistent(t, m)
		for _, tool := range NewSnapshot(m, "").Tools() {
			if got, err := NewSnapshot(m, "").Resolve(tools.WireName(tool.Name)); err != nil || got.Name != tool.Name {
				t.Fatalf("%s leads to %s, %v", tool.Name, got.Name, err)
			}
		}
	})
}

// consistent checks that every tool knows the packs that list it, and that
// every pack named or listed exists.
func consistent(tb testing.TB, m Manifest) {
	tb.Helper()
	packs := map[string]Pack{}
	for _, p := range m.Packs {
		packs[p.ID] = p
	}
	byName := map[string]tools.Tool{}
	for _, tool := range m.Tools {
		byName[string(tool.Name)] = tool
		for _, id := range tool.PackIDs {
			if _, ok := packs[id]; !ok {
				tb.Errorf("%s belongs to %s, which does not exist", tool.Name, id)
			}
		}
		if len(tool.PackIDs) == 0 && tool.Status != tools.StatusRetired {
			tb.Errorf("%s belongs to no pack", tool.Name)
		}
	}
	for _, p := range m.Packs {
		for _, n := range p.ToolNames {
			if tool, ok := byName[n]; !ok || !slices.Contains(tool.PackIDs, p.ID) {
				tb.Errorf("pack %s lists %s, which does not know it", p.ID, n)
			}
		}
	}
}
