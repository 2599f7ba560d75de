package page

// Change is one block that differs between two pages. OldID is "" for a new
// block, NewID for one that is gone; both are set where a block was altered, or
// keeps its text and got another ordinal.
type Change struct {
	OldID string `json:"oldId"`
	NewID string `json:"newId"`
	Type  Type   `json:"type"`
}

// Changes compares two pages block by block.
func Changes(old, new *Page) []Change { return nil }

// Diff gives the unified diff of two pages, exact and as long as it gets.
func Diff(old, new *Page) string { return "" }

// BoundedDiff is Diff cut at a line end to at most maxBytes; truncated says so.
func BoundedDiff(old, new *Page, maxBytes int) (unified string, truncated bool) { return "", false }
