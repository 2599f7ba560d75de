package localkernel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNotFoundSaysWhatIsAlike: a name without its folder, its ending or its case
// finds the page; a stranger finds nothing, and nothing outside a grant is named.
func TestNotFoundSaysWhatIsAlike(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{
		"Welcome.md": "x\n", "finance/Q1 report.md": "x\n", "finance/Q2 report.md": "x\n", "archive/Q1 report.md": "x\n",
		"日记/季度总结.md": "x\n", ".hidden/secret.md": "x\n",
	})
	tests := []struct {
		name, asked string
		grant       map[string]any
		want        []any
	}{
		{"no folder", "Q1 report.md", nil, []any{"archive/Q1 report.md", "finance/Q1 report.md"}},
		{"another folder's comes first", "finance/q1-report.md", nil, []any{"finance/Q1 report.md", "archive/Q1 report.md"}},
		{"no ending", "Welcome", nil, []any{"Welcome.md"}},
		{"another case", "WELCOME.MD", nil, []any{"Welcome.md"}},
		{"a slip", "Welcom.md", nil, []any{"Welcome.md"}},
		{"Chinese, a slip", "季度总给.md", nil, []any{"日记/季度总结.md"}},
		{"a stranger", "Zürich 1848.md", nil, nil},
		{"what is hidden", "secret.md", nil, nil},
		{"within a grant of a folder", "Q1 report.md", map[string]any{"permissionLevel": "read", "rootUri": "file://" + b.path("archive")}, []any{"archive/Q1 report.md"}},
		{"within a grant of a page", "Q1 report.md", map[string]any{"permissionLevel": "read", "documentIds": []string{"finance/Q2 report.md"}}, []any{"finance/Q2 report.md"}},
		{"outside a grant", "Welcome.md", map[string]any{"permissionLevel": "read", "documentIds": []string{"日记/季度总结.md"}}, nil},
	}
	for _, tt := range tests {
		var change []func(map[string]any)
		if tt.grant != nil {
			change = append(change, granted(tt.grant))
		}
		a := b.call("mnote.page.get", tt.asked, nil, change...)
		if a.Error == nil || a.Error.Code != "mnote_tool_document_not_found" {
			t.Errorf("%s: %s", tt.name, a.raw)
			continue
		}
		got, _ := a.Error.Details["nearest"].([]any)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		for _, id := range got {
			if !strings.Contains(a.Error.Message, fmt.Sprint(id)) {
				t.Errorf("%s: the message lacks %s: %s", tt.name, id, a.Error.Message)
			}
		}
	}
	if a := b.call("mnote.doc.list", "", map[string]any{"folder": "Welcome.md"}); a.Error == nil || a.Error.Details["reason"] != "folder" {
		t.Errorf("a page for a folder: %s", a.raw)
	}
}
