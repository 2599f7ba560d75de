package page

// Form says what a window carries.
type Form string

// The forms of a window: blocks with text, source and items, or the body's own
// bytes.
const (
	FormBlocks Form = "blocks"
	FormBody   Form = "body"
)

// Piece is one block of a window, or the part of it that fits.
type Piece struct {
	Block Block
	// Whole is false for a part: [Start, End) of the file.
	Whole      bool
	Start, End int
	Text       string
	// Source is nil where it equals Text.
	Source *string
	// Items is empty for a part.
	Items []Item
}

// Window is the part of a page that fits a reply.
type Window struct {
	Pieces []Piece // FormBlocks
	Body   string  // FormBody; all windows joined are the body, byte for byte
	// Next is the cursor of the next window, "" at the end.
	Next string
	// Characters, Bytes and Blocks are of the whole page.
	Characters, Bytes, Blocks int
}

// Window gives the part of the page that starts at cursor ("" is the start) and
// takes at most maxChars characters in a reply. It is cut between blocks; a
// block that alone is longer is cut at a line end, a table at a row's, and
// nothing inside a code point. A cursor that is none is mnote_tool_invalid_args
// (details.reason cursor_invalid), one of other bytes mnote_tool_conflict
// (cursor_stale).
func (p *Page) Window(cursor string, maxChars int, form Form) (Window, error) {
	return Window{}, errUnbuilt
}
