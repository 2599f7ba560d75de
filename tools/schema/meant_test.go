package schema

import "testing"

// TestMeant: another host's word finds ours, a slip the word that was meant, and
// a stranger's word nothing.
func TestMeant(t *testing.T) {
	t.Parallel()
	page := []string{"documentId", "includeBody", "cursor", "maxChars"}
	list := []string{"folder", "depth", "cursor", "limit"}
	insert := []string{"documentId", "content", "after", "before", "underHeading", "position", "dryRun"}
	tests := []struct {
		word  string
		known []string
		want  string
	}{
		{"path", page, "documentId"},
		{"page_id", page, "documentId"},
		{"page", page, "documentId"},
		{"file", page, "documentId"},
		{"path", list, "folder"},
		{"directory", list, "folder"},
		{"page", list, "cursor"},
		{"max", list, "limit"},
		{"text", insert, "content"},
		{"section", insert, "underHeading"},
		{"afterBlockId", insert, "after"},
		{"preview", insert, "dryRun"},
		{"contnet", insert, "content"},
		{"body", page, "includeBody"},
		{"colour", list, ""},
		{"深度", list, ""},
		{"", list, ""},
	}
	for _, tt := range tests {
		if got, ok := meant(tt.word, tt.known); ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%q of %v: %q, %t", tt.word, tt.known, got, ok)
		}
	}
}
