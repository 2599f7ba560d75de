package tools

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"mnote_page_get", "mnote_page_save", "mnote_doc_search", "mnote_block_update"}
	tests := map[string]struct {
		known []string
		most  int
		want  []string
	}{
		"mnote_page_gte":           {known, 1, []string{"mnote_page_get"}},
		"mnote.page.get":           {known, 1, []string{"mnote_page_get"}},
		"search_notes":             {known, 1, []string{"mnote_doc_search"}},
		"updateBlock":              {known, 1, []string{"mnote_block_update"}},
		"":                         {known, 2, []string{"mnote_page_get", "mnote_page_save"}},
		"x":                        {nil, 3, nil},
		"mnote_page":               {known, 9, []string{"mnote_page_get", "mnote_page_save", "mnote_block_update", "mnote_doc_search"}},
		"expected_revision":        {[]string{"revision", "expectedRevision", "title"}, 1, []string{"expectedRevision"}},
		"标题":                       {[]string{"标题", "正文"}, 1, []string{"标题"}},
		strings.Repeat("a", 1<<20): {known, 1, []string{"mnote_page_save"}},
	}
	for in, tt := range tests {
		if diff := cmp.Diff(tt.want, Nearest(in, tt.known, tt.most)); diff != "" {
			t.Errorf("%.30q: %s", in, diff)
		}
	}
}
