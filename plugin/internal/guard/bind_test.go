package guard_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/guard"
	"github.com/mnote-dev/mnote-host/tools"
)

func TestSent(t *testing.T) {
	t.Parallel()
	owner := guard.Bounds{WorkspaceID: "ws_1", ActorID: "u_1", RootURI: "file:///home/u/notes"}
	granted := owner
	granted.Grant = &tools.Grant{Scopes: []tools.Scope{"page.read", "doc.read"}}
	for name, c := range map[string]struct {
		bounds guard.Bounds
		fields map[string]any
		want   string
	}{
		"nothing":                    {owner, nil, ""},
		"workspace":                  {owner, map[string]any{"workspaceId": "ws_1"}, ""},
		"empty is absent":            {owner, map[string]any{"workspaceId": "", "actorId": nil, "rootUri": ""}, ""},
		"another workspace":          {owner, map[string]any{"workspaceId": "ws_2"}, deniedField},
		"workspace of another type":  {owner, map[string]any{"workspaceId": []any{"ws_1"}}, deniedField},
		"actor":                      {owner, map[string]any{"actorId": "u_1"}, ""},
		"another actor":              {owner, map[string]any{"actorId": "admin"}, deniedField},
		"root":                       {owner, map[string]any{"rootUri": "/home/u/notes/"}, ""},
		"root below":                 {owner, map[string]any{"rootUri": "file:///home/u/notes/a"}, ""},
		"root above":                 {owner, map[string]any{"rootUri": "file:///home/u"}, deniedField},
		"root of another type":       {owner, map[string]any{"rootUri": true}, deniedField},
		"root where there is none":   {guard.Bounds{}, map[string]any{"rootUri": "file:///home/u"}, deniedField},
		"words of the owner":         {owner, map[string]any{"capabilityScope": []any{"page.write"}}, ""},
		"words within the grant":     {granted, map[string]any{"capabilityScope": []any{"page.read"}}, ""},
		"a word beyond the grant":    {granted, map[string]any{"capabilityScope": []any{"page.read", "page.write"}}, deniedField},
		"one word, not in a list":    {granted, map[string]any{"capabilityScope": "page.write"}, deniedField},
		"a word of another type":     {granted, map[string]any{"capabilityScope": []any{7}}, deniedField},
		"ids are the host's to make": {owner, map[string]any{"sessionId": "x", "runId": "x", "toolCallId": "x", "traceId": "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, verdict(guard.Sent(c.bounds, c.fields))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func having(names ...string) func(string) bool {
	return func(field string) bool { return slices.Contains(names, field) }
}

func TestMissing(t *testing.T) {
	t.Parallel()
	fields := []string{"workspaceId", "documentId", "rootUri"}
	for name, c := range map[string]struct {
		requires, have func(string) bool
		want           []string
	}{
		"nothing asked":  {having(), having(), nil},
		"all there":      {having("workspaceId", "documentId"), having("documentId", "workspaceId"), nil},
		"one missing":    {having("workspaceId", "documentId"), having("workspaceId"), []string{"documentId"}},
		"each by name":   {having("rootUri", "documentId"), having("workspaceId"), []string{"documentId", "rootUri"}},
		"others' fields": {having("title"), having(), nil},
	} {
		err := guard.Missing(fields, c.requires, c.have)
		if err == nil && c.want == nil {
			continue
		}
		e := tools.AsError(err)
		if diff := cmp.Diff(c.want, e.Details["missing"]); diff != "" || e.Code != tools.CodeMissingContext {
			t.Errorf("%s: %s %s", name, e.Code, diff)
		}
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	needs := func(kinds ...string) capabilities.Pack { return capabilities.Pack{RequiresRefs: kinds} }
	for name, c := range map[string]struct {
		pack           capabilities.Pack
		requires, have func(string) bool
		refs           []tools.Ref
		want           string
	}{
		"the pack asks for nothing":         {needs(), having("documentId"), having(), nil, ""},
		"the tool does not need it":         {needs("page"), having(), having(), nil, ""},
		"the current document is a page":    {needs("page"), having("documentId"), having("documentId"), nil, ""},
		"no page":                           {needs("page"), having("documentId"), having(), nil, "documentId"},
		"an attached page counts":           {needs("page"), having("documentId"), having(), []tools.Ref{{Kind: "page", ID: "doc_1"}}, ""},
		"a reference without an id is none": {needs("page"), having("documentId"), having(), []tools.Ref{{Kind: "page"}}, "documentId"},
		"the root is a folder":              {needs("folder"), having("rootUri"), having("rootUri"), nil, ""},
		"no folder":                         {needs("folder"), having("rootUri"), having("documentId"), []tools.Ref{{Kind: "page", ID: "d"}}, "rootUri"},
		"a named mind map":                  {needs("mindmap"), having("mindmapId"), having("mindmapId"), nil, ""},
		"no mind map":                       {needs("mindmap"), having("mindmapId"), having(), nil, "mindmapId"},
		"a named asset":                     {needs("office"), having("assetId"), having("assetId"), nil, ""},
		"each kind counts":                  {needs("page", "office"), having("documentId", "assetId"), having("documentId"), nil, "assetId"},
		"a file has no field":               {needs("file"), having("file"), having(), nil, ""},
		"a kind nobody knows":               {needs("galaxy"), having("galaxy"), having(), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := guard.Refs(c.pack, c.requires, c.have, c.refs)
			got := ""
			if err != nil {
				e := tools.AsError(err)
				if e.Code != tools.CodeMissingContext {
					t.Fatal(err)
				}
				got = e.Details["missing"].([]string)[0]
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	const bad = "mnote_tool_invalid_args "
	for key, want := range map[tools.Key]string{
		"": "", "idem_123": "", "保存 季度": "", tools.Key(strings.Repeat("k", 200)): "",
		tools.Key(strings.Repeat("k", 201)): bad, "a\nb": bad, "a\x00": bad, "a\u202eb": bad,
	} {
		if diff := cmp.Diff(want, verdict(guard.Key(key))); diff != "" {
			t.Errorf("%q: %s", key, diff)
		}
	}
}
