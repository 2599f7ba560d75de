package localkernel

import (
	"fmt"
	"strings"
	"testing"
)

// TestShortWindowOfManyHeadings: a reader with little room gets through a page
// of many headings: the outline does not take the room of the page itself.
func TestShortWindowOfManyHeadings(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "## A heading of some length, number %d\n\nA line.\n\n", i)
	}
	b := begin(t, map[string]string{"a.md": text.String()})
	got := b.ok("mnote.page.get", "a.md", map[string]any{"maxChars": 250})
	if len(got.raw) > 2000 || got.result["nextCursor"] == nil {
		t.Errorf("a reply of %d bytes: %s", len(got.raw), got.raw)
	}
}
