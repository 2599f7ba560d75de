package mcp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]*address{
		"mnote://skill/mnote-current-page":         {skillID: "mnote-current-page"},
		"mnote://page/plan.md":                     {documentID: "plan.md"},
		"mnote://page/财务/季度.md":                    {documentID: "财务/季度.md"},
		"mnote://page/%E8%B4%A2%E5%8A%A1/a%23b.md": {documentID: "财务/a#b.md"},
		"mnote://page/a.md#b7":                     {documentID: "a.md", blockID: "b7"},
		"mnote://page/a.md#b%207":                  {documentID: "a.md", blockID: "b 7"},
		"mnote://page/100%.md":                     {documentID: "100%.md"},
		"mnote://ws_1/doc_2":                       {workspaceID: "ws_1", documentID: "doc_2"},
		"mnote://page/../x.md":                     {documentID: "../x.md"}, // the pipeline's to refuse
		"mnote://page/%2e%2e/x.md":                 {documentID: "../x.md"},
		"mnote://page/":                            nil,
		"mnote://page":                             nil,
		"mnote://":                                 nil,
		"mnote:///a.md":                            nil,
		"mnote://skill/":                           nil,
		"mnote://skill/x#y":                        nil,
		"MNOTE://page/a.md":                        nil,
		"file:///etc/passwd":                       nil,
		"":                                         nil,
	} {
		got, ok := parseAddress(uri)
		if ok != (want != nil) {
			t.Errorf("%q: ok = %v", uri, ok)
			continue
		}
		if want == nil {
			continue
		}
		if diff := cmp.Diff(*want, got, cmp.AllowUnexported(address{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", uri, diff)
		}
	}
}

// Whatever a document is called, the id that completion gives leads back to it.
func FuzzAddress(f *testing.F) {
	for _, id := range []string{"plan.md", "财务/季度.md", "100%#1?.md", "a/../b", "%41", "#", "a b"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		a, ok := parseAddress(scheme + pageHost + "/" + encodeID(id))
		if ok != (id != "") {
			t.Fatalf("%q: ok = %v", id, ok)
		}
		if ok && a.documentID != id {
			t.Errorf("%q came back as %q", id, a.documentID)
		}
		_, _ = parseAddress(id) // any URI at all
		if strings.Contains(encodeID(id), "#") {
			t.Errorf("%q keeps a #", id)
		}
	})
}
