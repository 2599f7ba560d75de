package plugin_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

func TestNarrow(t *testing.T) {
	t.Parallel()
	soon, late := time.Unix(1000, 0), time.Unix(2000, 0)
	full := tools.Grant{Level: tools.LevelWrite}
	tests := map[string]struct {
		bound *tools.Grant
		asked tools.Grant
		want  tools.Grant
	}{
		"owner gives anything": {nil, tools.Grant{Level: tools.LevelRead, DocumentIDs: []string{"a"}}, tools.Grant{Level: tools.LevelRead, DocumentIDs: []string{"a"}}},
		"level never rises":    {&tools.Grant{Level: tools.LevelRead}, full, tools.Grant{Level: tools.LevelRead}},
		"level falls":          {&full, tools.Grant{Level: tools.LevelRead}, tools.Grant{Level: tools.LevelRead}},
		"none stays none":      {&tools.Grant{Level: tools.LevelNone}, full, tools.Grant{Level: tools.LevelNone}},
		"documents in both": {
			&tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{"a", "b"}}, tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{"b", "c"}},
			tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{"b"}},
		},
		"no document in both is none": {
			&tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{"a"}}, tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{"c"}},
			tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{}},
		},
		"every document narrows nothing": {
			&tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{"a"}}, full,
			tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{"a"}},
		},
		"words": {
			&tools.Grant{Level: tools.LevelWrite, Scopes: []tools.Scope{"page.read", "page.write"}}, tools.Grant{Level: tools.LevelWrite, Scopes: []tools.Scope{"page.read"}},
			tools.Grant{Level: tools.LevelWrite, Scopes: []tools.Scope{"page.read"}},
		},
		"resources": {
			&tools.Grant{Level: tools.LevelWrite, ResourceIDs: []string{"m1", "m2"}}, tools.Grant{Level: tools.LevelWrite, ResourceIDs: []string{"m2", "m3"}},
			tools.Grant{Level: tools.LevelWrite, ResourceIDs: []string{"m2"}},
		},
		"shared stays shared": {&tools.Grant{Level: tools.LevelWrite, Shared: true}, full, tools.Grant{Level: tools.LevelWrite, Shared: true}},
		"the earlier end":     {&tools.Grant{Level: tools.LevelWrite, ExpiresAt: &late}, tools.Grant{Level: tools.LevelWrite, ExpiresAt: &soon}, tools.Grant{Level: tools.LevelWrite, ExpiresAt: &soon}},
		"never a later end":   {&tools.Grant{Level: tools.LevelWrite, ExpiresAt: &soon}, tools.Grant{Level: tools.LevelWrite, ExpiresAt: &late}, tools.Grant{Level: tools.LevelWrite, ExpiresAt: &soon}},
		"another workspace is nothing": {
			&tools.Grant{Level: tools.LevelWrite, WorkspaceID: "w1"}, tools.Grant{Level: tools.LevelWrite, WorkspaceID: "w2"},
			tools.Grant{Level: tools.LevelNone, WorkspaceID: "w1"},
		},
		"a root below": {
			&tools.Grant{Level: tools.LevelWrite, RootURI: "file:///n"}, tools.Grant{Level: tools.LevelWrite, RootURI: "file:///n/sub"},
			tools.Grant{Level: tools.LevelWrite, RootURI: "file:///n/sub"},
		},
		"a root above": {
			&tools.Grant{Level: tools.LevelWrite, RootURI: "file:///n/sub"}, tools.Grant{Level: tools.LevelWrite, RootURI: "file:///n"},
			tools.Grant{Level: tools.LevelWrite, RootURI: "file:///n/sub"},
		},
		"a root beside is nothing": {
			&tools.Grant{Level: tools.LevelWrite, RootURI: "file:///n"}, tools.Grant{Level: tools.LevelWrite, RootURI: "file:///other"},
			tools.Grant{Level: tools.LevelNone, RootURI: "file:///n"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, plugin.Narrow(tt.bound, tt.asked)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
