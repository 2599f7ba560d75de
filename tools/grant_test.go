package tools

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestParseGrant: kernel-api's access scope, and that nothing doubtful grants
// anything.
func TestParseGrant(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		in   string
		want Grant
		ok   bool
	}{
		"all of it": {`{"permissionLevel":"write","shared":true,"workspaceId":"ws_1","documentIds":["doc_1"],"allowedResourceIds":["map_1"],
		  "rootUri":"file:///n","capabilityScope":["page.read"],"expiresAt":"2026-12-01T00:00:00Z"}`,
			Grant{LevelWrite, true, "ws_1", []string{"doc_1"}, []string{"map_1"}, "file:///n", []Scope{"page.read"}, &end}, true},
		"nothing":             {`{}`, Grant{Level: LevelNone}, true},
		"an unknown level":    {`{"permissionLevel":"owner"}`, Grant{Level: LevelNone}, true},
		"a level in capitals": {`{"permissionLevel":"WRITE"}`, Grant{Level: LevelNone}, true},
		"none":                {`{"permissionLevel":"none"}`, Grant{Level: LevelNone}, true},
		"empty lists":         {`{"permissionLevel":"read","documentIds":[],"capabilityScope":[]}`, Grant{Level: LevelRead, DocumentIDs: []string{}, Scopes: []Scope{}}, true},
		"null lists":          {`{"permissionLevel":"read","documentIds":null,"expiresAt":null}`, Grant{Level: LevelRead}, true},
		"a misspelt member":   {`{"permissionLevel":"write","documents":["doc_1"]}`, Grant{Level: LevelNone}, false},
		"another case":        {`{"permissionLevel":"write","documentids":["doc_1"]}`, Grant{Level: LevelNone}, false},
		"a member twice":      {`{"permissionLevel":"read","permissionLevel":"write"}`, Grant{Level: LevelNone}, false},
		"broken":              {`{"permissionLevel":"write"`, Grant{Level: LevelNone}, false},
		"a word":              {`"write"`, Grant{Level: LevelNone}, false},
		"a list":              {`[]`, Grant{Level: LevelNone}, false},
		"a bad time":          {`{"permissionLevel":"write","expiresAt":"soon"}`, Grant{Level: LevelNone}, false},
		"a bad list":          {`{"permissionLevel":"write","documentIds":"doc_1"}`, Grant{Level: LevelNone}, false},
		"empty":               {``, Grant{Level: LevelNone}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseGrant([]byte(tt.in))
			if (err == nil) != tt.ok {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGrantAllows(t *testing.T) {
	t.Parallel()
	open, narrow, closed := Grant{}, Grant{DocumentIDs: []string{"d"}, Scopes: []Scope{"page.read"}, ResourceIDs: []string{"m", "resource:mindmap:d:m2"}}, Grant{DocumentIDs: []string{}, Scopes: []Scope{}}
	tests := map[string]struct{ got, want bool }{
		"not narrowed, a document":  {open.AllowsDocument("d"), true},
		"not narrowed, a scope":     {open.Allows("page.write"), true},
		"not narrowed, a resource":  {open.AllowsResource("m", "resource:mindmap:d:m"), false}, // absent is empty (7-28)
		"narrowed, its document":    {narrow.AllowsDocument("d"), true},
		"narrowed, another":         {narrow.AllowsDocument("D"), false},
		"narrowed, its scope":       {narrow.Allows("page.read"), true},
		"narrowed, another scope":   {narrow.Allows("page.write"), false},
		"a resource by id":          {narrow.AllowsResource("m", ""), true},
		"a resource by identity":    {narrow.AllowsResource("m2", "resource:mindmap:d:m2"), true},
		"a resource of another":     {narrow.AllowsResource("m2", "resource:mindmap:e:m2"), false},
		"no resource at all":        {narrow.AllowsResource("", ""), false},
		"an empty list, a document": {closed.AllowsDocument("d"), false},
		"an empty list, a scope":    {closed.Allows("page.read"), false},
		"read at least read":        {LevelRead.AtLeast(LevelRead), true},
		"read at least write":       {LevelRead.AtLeast(LevelWrite), false},
		"write at least none":       {LevelWrite.AtLeast(LevelNone), true},
		"an unknown word is none":   {Level("owner").AtLeast(LevelRead), false},
	}
	for name, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %v", name, tt.got)
		}
	}
}

func TestGrantExpired(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		end  *time.Time
		now  time.Time
		want bool
	}{"never": {nil, end, false}, "before": {&end, end.Add(-1), false}, "at the very end": {&end, end, true}, "after": {&end, end.Add(1), true}} {
		if got := (Grant{ExpiresAt: tt.end}).Expired(tt.now); got != tt.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// FuzzParseGrant: no bytes grant more than they say, and a grant survives the
// wire: an absent list stays absent, an empty one stays empty.
func FuzzParseGrant(f *testing.F) {
	f.Add([]byte(`{"permissionLevel":"read","documentIds":[],"expiresAt":"2026-12-01T00:00:00Z"}`))
	f.Add([]byte(`{"permissionLevel":"root"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		g, err := ParseGrant(in)
		if err != nil && (g.Level != LevelNone || g.DocumentIDs != nil || g.ResourceIDs != nil) {
			t.Fatalf("an error grants %+v", g)
		}
		if g.Level.rank() == 0 && g.Level != LevelNone {
			t.Fatalf("the level is %q", g.Level)
		}
		if err != nil {
			return
		}
		out, err := json.Marshal(g)
		if err != nil {
			return // a time beyond the year 9999
		}
		again, err := ParseGrant(out)
		if diff := cmp.Diff(g, again); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
	})
}

// TestReadGrant: a level that is missing or misspelt is told, and allows nothing.
func TestReadGrant(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		`{"permissionLevel":"read"}`:                       "",
		`{"permissionLevel":"raed"}`:                       `permissionLevel "raed" is none of [none read write]`,
		`{"documentIds":["a.md"]}`:                         "it has no permissionLevel",
		`{"permissionLevel":"write","documents":[]}`:       `"documents" is not a member of it`,
		`{"permissionLevel":"write","documentIds":"a.md"}`: "documentIds",
		`"read"`: "it is not a JSON object",
	} {
		g, err := ReadGrant([]byte(doc))
		if want == "" {
			if err != nil || g.Level != LevelRead {
				t.Errorf("%s: %v, %v", doc, g, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || g.Level.AtLeast(LevelRead) {
			t.Errorf("%s: %v, %v; want %q", doc, g, err, want)
		}
	}
}
