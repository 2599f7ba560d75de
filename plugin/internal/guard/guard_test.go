package guard_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/guard"
	"github.com/mnote-dev/mnote-host/tools"
)

// verdict is what a guard said, small enough for a table: "" for a pass, else
// the code and its reason.
func verdict(err error) string {
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return "not a coded error: " + err.Error()
	}
	reason, _ := e.Details["reason"].(string)
	return string(e.Code) + " " + reason
}

const (
	deniedLevel    = "mnote_tool_permission_denied level"
	deniedResource = "mnote_tool_resource_denied resource"
	deniedRoot     = "mnote_tool_resource_denied root"
	deniedField    = "mnote_tool_permission_denied session_field"
)

var (
	reading = tools.Tool{Name: "mnote.page.get", Kind: tools.KindRead, Scopes: []tools.Scope{"page.read"}}
	writing = tools.Tool{Name: "mnote.page.save", Kind: tools.KindWrite, Scopes: []tools.Scope{"page.write"}}
	asking  = tools.Tool{Name: "mnote.rag.query", Kind: tools.KindRead, RequiresWritePermission: true}
)

func TestLevel(t *testing.T) {
	t.Parallel()
	none, read, write := &tools.Grant{Level: tools.LevelNone}, &tools.Grant{Level: tools.LevelRead}, &tools.Grant{Level: tools.LevelWrite}
	for name, c := range map[string]struct {
		grant *tools.Grant
		reach guard.Reach
		want  string
	}{
		"owner reads":                    {nil, guard.Reach{Tool: reading}, ""},
		"owner writes":                   {nil, guard.Reach{Tool: writing}, ""},
		"none reads":                     {none, guard.Reach{Tool: reading}, deniedLevel},
		"none plans":                     {none, guard.Reach{Tool: writing, DryRun: true}, deniedLevel},
		"an unknown word is none":        {&tools.Grant{Level: "admin"}, guard.Reach{Tool: reading}, deniedLevel},
		"the zero grant is none":         {&tools.Grant{}, guard.Reach{Tool: reading}, deniedLevel},
		"read reads":                     {read, guard.Reach{Tool: reading}, ""},
		"read writes":                    {read, guard.Reach{Tool: writing}, deniedLevel},
		"read plans":                     {read, guard.Reach{Tool: writing, DryRun: true}, ""},
		"an unknown kind is a write":     {read, guard.Reach{Tool: tools.Tool{Kind: "other"}}, deniedLevel},
		"write writes":                   {write, guard.Reach{Tool: writing}, ""},
		"read is no reason to stop here": {read, guard.Reach{Tool: asking}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, verdict(guard.Level(c.grant, c.reach))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWritePermission(t *testing.T) {
	t.Parallel()
	read, write := &tools.Grant{Level: tools.LevelRead}, &tools.Grant{Level: tools.LevelWrite}
	both := writing
	both.RequiresWritePermission = true
	for name, c := range map[string]struct {
		grant *tools.Grant
		reach guard.Reach
		want  string
	}{
		"owner":                         {nil, guard.Reach{Tool: asking}, ""},
		"write":                         {write, guard.Reach{Tool: asking}, ""},
		"read":                          {read, guard.Reach{Tool: asking}, deniedLevel},
		"read, not asked for":           {read, guard.Reach{Tool: reading}, ""},
		"a read has no plan":            {read, guard.Reach{Tool: asking, DryRun: true}, deniedLevel},
		"the plan of a write is a read": {read, guard.Reach{Tool: both, DryRun: true}, ""},
		"the write itself is not":       {read, guard.Reach{Tool: both}, deniedLevel},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, verdict(guard.WritePermission(c.grant, c.reach))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSharedRead(t *testing.T) {
	t.Parallel()
	const shared = "mnote_tool_permission_denied shared_read"
	grant := func(level tools.Level, shared bool) *tools.Grant { return &tools.Grant{Level: level, Shared: shared} }
	for name, c := range map[string]struct {
		grant *tools.Grant
		reach guard.Reach
		want  string
	}{
		"owner writes":              {nil, guard.Reach{Tool: writing}, ""},
		"read, not shared, plans":   {grant(tools.LevelRead, false), guard.Reach{Tool: writing, DryRun: true}, ""},
		"shared read reads":         {grant(tools.LevelRead, true), guard.Reach{Tool: reading}, ""},
		"shared read writes":        {grant(tools.LevelRead, true), guard.Reach{Tool: writing}, shared},
		"shared read plans":         {grant(tools.LevelRead, true), guard.Reach{Tool: writing, DryRun: true}, shared},
		"shared write writes":       {grant(tools.LevelWrite, true), guard.Reach{Tool: writing}, ""},
		"shared, an unknown word":   {grant("owner", true), guard.Reach{Tool: writing}, shared},
		"shared write makes a plan": {grant(tools.LevelWrite, true), guard.Reach{Tool: writing, DryRun: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, verdict(guard.SharedRead(c.grant, c.reach))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 6, 7, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *tools.Grant { end := noon.Add(d); return &tools.Grant{ExpiresAt: &end} }
	const expired = "mnote_tool_permission_denied expired"
	for name, c := range map[string]struct {
		grant *tools.Grant
		want  string
	}{
		"owner":       {nil, ""},
		"no end":      {&tools.Grant{}, ""},
		"later":       {at(time.Second), ""},
		"this moment": {at(0), expired},
		"before":      {at(-time.Hour), expired},
	} {
		if diff := cmp.Diff(c.want, verdict(guard.Expiry(c.grant, noon))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWorkspace(t *testing.T) {
	t.Parallel()
	const other = "mnote_tool_permission_denied workspace"
	for name, c := range map[string]struct {
		bounds guard.Bounds
		want   string
	}{
		"owner":               {guard.Bounds{WorkspaceID: "ws_1"}, ""},
		"same":                {guard.Bounds{WorkspaceID: "ws_1", Grant: &tools.Grant{WorkspaceID: "ws_1"}}, ""},
		"grant names none":    {guard.Bounds{WorkspaceID: "ws_1", Grant: &tools.Grant{}}, ""},
		"another":             {guard.Bounds{WorkspaceID: "ws_1", Grant: &tools.Grant{WorkspaceID: "ws_2"}}, other},
		"a session of no one": {guard.Bounds{Grant: &tools.Grant{WorkspaceID: "ws_2"}}, other},
	} {
		if diff := cmp.Diff(c.want, verdict(guard.Workspace(c.bounds))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	const scope = "mnote_tool_permission_denied scope"
	both := tools.Tool{Name: "mnote.rag.query", Scopes: []tools.Scope{"rag.read", "evidence.read"}}
	for name, c := range map[string]struct {
		grant *tools.Grant
		tool  tools.Tool
		want  string
	}{
		"owner":            {nil, writing, ""},
		"not narrowed":     {&tools.Grant{}, writing, ""},
		"empty is none":    {&tools.Grant{Scopes: []tools.Scope{}}, writing, scope},
		"no word needed":   {&tools.Grant{Scopes: []tools.Scope{}}, tools.Tool{}, ""},
		"held":             {&tools.Grant{Scopes: []tools.Scope{"page.write"}}, writing, ""},
		"another":          {&tools.Grant{Scopes: []tools.Scope{"page.read"}}, writing, scope},
		"each word counts": {&tools.Grant{Scopes: []tools.Scope{"rag.read"}}, both, scope},
		"all of them":      {&tools.Grant{Scopes: []tools.Scope{"evidence.read", "rag.read"}}, both, ""},
	} {
		if diff := cmp.Diff(c.want, verdict(guard.Scopes(c.grant, c.tool))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	const document = "mnote_tool_permission_denied document"
	narrowed := guard.Bounds{Grant: &tools.Grant{DocumentIDs: []string{"doc_1"}}}
	for name, c := range map[string]struct {
		bounds guard.Bounds
		id     string
		want   string
	}{
		"owner":          {guard.Bounds{}, "doc_9", ""},
		"not narrowed":   {guard.Bounds{Grant: &tools.Grant{}}, "doc_9", ""},
		"empty is none":  {guard.Bounds{Grant: &tools.Grant{DocumentIDs: []string{}}}, "doc_1", document},
		"listed":         {narrowed, "doc_1", ""},
		"not listed":     {narrowed, "doc_9", document},
		"by its letters": {narrowed, "DOC_1", document},
		"none needed":    {narrowed, "", ""},
	} {
		if diff := cmp.Diff(c.want, verdict(guard.Document(c.bounds, c.id))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Two documents that the grant does not reach are refused with the same words,
// whatever they are called: nothing tells whether one exists.
func TestDocumentSaysNothingOfWhatIsOutside(t *testing.T) {
	t.Parallel()
	b := guard.Bounds{Grant: &tools.Grant{DocumentIDs: []string{"doc_1"}}}
	one, other := guard.Document(b, "salaries-2026.md"), guard.Document(b, "no-such-page.md")
	if one.Error() != other.Error() {
		t.Errorf("%q differs from %q", one, other)
	}
}

func TestResource(t *testing.T) {
	t.Parallel()
	granted := func(ids ...string) guard.Bounds { return guard.Bounds{Grant: &tools.Grant{ResourceIDs: ids}} }
	mindmap := func(doc, id string) guard.Reach { return guard.Reach{Resource: true, DocumentID: doc, MindmapID: id} }
	asset := func(doc, id string) guard.Reach { return guard.Reach{Resource: true, DocumentID: doc, AssetID: id} }
	for name, c := range map[string]struct {
		bounds guard.Bounds
		reach  guard.Reach
		want   string
	}{
		"no resource tool":              {granted(), guard.Reach{}, ""},
		"by id":                         {granted("map_1"), mindmap("doc_1", "map_1"), ""},
		"by identity":                   {granted("resource:mindmap:doc_1:map_1"), mindmap("doc_1", "map_1"), ""},
		"asset by identity":             {granted("resource:onlyoffice:doc_1:a_1"), asset("doc_1", "a_1"), ""},
		"absent list is empty":          {granted(), mindmap("doc_1", "map_1"), deniedResource},
		"another":                       {granted("map_2"), mindmap("doc_1", "map_1"), deniedResource},
		"identity of another document":  {granted("resource:mindmap:doc_2:map_1"), mindmap("doc_1", "map_1"), deniedResource},
		"identity of another kind":      {granted("resource:mindmap:doc_1:a_1"), asset("doc_1", "a_1"), deniedResource},
		"identity without a document":   {granted("resource:mindmap::map_1"), mindmap("", "map_1"), deniedResource},
		"an id that reads as another's": {granted("resource:mindmap:doc_1:x:map_1"), mindmap("doc_1", "x:map_1"), deniedResource},
		"both must be listed": {granted("map_1"),
			guard.Reach{Resource: true, MindmapID: "map_1", AssetID: "a_1"}, deniedResource},
		"no id, the one in focus":     {granted("resource:mindmap:d:m"), guard.Reach{Resource: true, ObjectIdentity: "resource:mindmap:d:m"}, ""},
		"no id, none in focus":        {granted("map_1"), guard.Reach{Resource: true}, deniedResource},
		"focus is no word for an id":  {granted("resource:mindmap:d:m"), guard.Reach{Resource: true, MindmapID: "x", ObjectIdentity: "resource:mindmap:d:m"}, deniedResource},
		"owner's own folder":          {guard.Bounds{LocalRoot: true}, mindmap("", "m.mindmap.json"), ""},
		"owner without a folder":      {guard.Bounds{}, mindmap("", "map_1"), deniedResource},
		"a grant in one's own folder": {guard.Bounds{LocalRoot: true, Grant: &tools.Grant{}}, mindmap("", "m"), deniedResource},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, verdict(guard.Resource(c.bounds, c.reach))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadOnlyPacks(t *testing.T) {
	t.Parallel()
	readOnly, writable := capabilities.Pack{Title: "资料库问答", ReadOnly: true}, capabilities.Pack{}
	const pack = "mnote_tool_permission_denied capability_read_only"
	for name, c := range map[string]struct {
		reach guard.Reach
		want  string
	}{
		"a read":                    {guard.Reach{Tool: reading, Packs: []capabilities.Pack{readOnly}}, ""},
		"a write":                   {guard.Reach{Tool: writing, Packs: []capabilities.Pack{readOnly}}, pack},
		"its plan":                  {guard.Reach{Tool: writing, DryRun: true, Packs: []capabilities.Pack{readOnly}}, pack},
		"one pack that may write":   {guard.Reach{Tool: writing, Packs: []capabilities.Pack{readOnly, writable}}, ""},
		"no pack that anyone knows": {guard.Reach{Tool: writing}, ""},
	} {
		if diff := cmp.Diff(c.want, verdict(guard.ReadOnlyPacks(c.reach))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The guards of step 5 have their say in the order of the pipeline: of two that
// would refuse, the earlier one does.
func TestAuthoriseOrder(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 6, 7, 12, 0, 0, 0, time.UTC)
	early := noon.Add(-time.Hour)
	// Everything is wrong with this call; each step takes one fault away.
	b := guard.Bounds{
		WorkspaceID: "ws_1", RootURI: "file:///home/u/notes", LocalRoot: true,
		Grant: &tools.Grant{
			Level: tools.LevelNone, Shared: true, WorkspaceID: "ws_2", ExpiresAt: &early,
			DocumentIDs: []string{"doc_1"}, Scopes: []tools.Scope{}, RootURI: "file:///home/u/other",
		},
	}
	tool := writing
	tool.RequiresWritePermission = true
	r := guard.Reach{
		Tool: tool, Packs: []capabilities.Pack{{ReadOnly: true}},
		DocumentID: "doc_9", Resource: true, MindmapID: "../m",
	}
	for _, step := range []struct {
		want string
		mend func()
	}{
		{"mnote_tool_permission_denied expired", func() { b.Grant.ExpiresAt = nil }},
		{"mnote_tool_permission_denied workspace", func() { b.Grant.WorkspaceID = "" }},
		{deniedLevel, func() { b.Grant.Level, r.DryRun = tools.LevelRead, true }},
		{"mnote_tool_permission_denied capability_read_only", func() { r.Packs = nil }},
		{"mnote_tool_permission_denied scope", func() { b.Grant.Scopes = nil }},
		{"mnote_tool_permission_denied shared_read", func() { b.Grant.Shared = false }},
		{"mnote_tool_permission_denied document", func() { r.DocumentID = "doc_1" }},
		{deniedResource, func() { b.Grant.ResourceIDs = []string{"../m"} }},
		{deniedRoot, func() { b.Grant.RootURI = "" }},
		{deniedRoot, func() { r.MindmapID = "m"; b.Grant.ResourceIDs = []string{"m"} }},
		{"", func() {}},
	} {
		if diff := cmp.Diff(step.want, verdict(guard.Authorise(b, r, noon))); diff != "" {
			t.Fatal(diff)
		}
		step.mend()
	}
}

// Every refusal says its fault in both languages.
func TestTextsInBothLanguages(t *testing.T) {
	t.Parallel()
	past := time.Unix(0, 0)
	for name, err := range map[string]error{
		"expiry":   guard.Expiry(&tools.Grant{ExpiresAt: &past}, time.Unix(1, 0)),
		"level":    guard.Level(&tools.Grant{Level: tools.LevelRead}, guard.Reach{Tool: writing}),
		"scope":    guard.Scopes(&tools.Grant{Scopes: []tools.Scope{}}, writing),
		"document": guard.Document(guard.Bounds{Grant: &tools.Grant{DocumentIDs: []string{}}}, "d"),
		"resource": guard.Resource(guard.Bounds{}, guard.Reach{Resource: true}),
		"sent":     guard.Sent(guard.Bounds{}, map[string]any{"actorId": "u"}),
	} {
		e := tools.AsError(err)
		zh, en := e.In(tools.ZH).Message, e.In(tools.EN).Message
		if zh == "" || en == "" || zh == en {
			t.Errorf("%s: zh %q, en %q", name, zh, en)
		}
	}
}
