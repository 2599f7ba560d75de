package page

// Heading is one line of the outline. Path is the texts of the headings it
// stands under and its own, joined by /; Under accepts it.
type Heading struct {
	ID    string `json:"id"`
	Level int    `json:"level"`
	Text  string `json:"text"`
	Path  string `json:"path"`
}

// Section is a heading and what stands below it: the blocks [First, Last) of
// Blocks, Heading itself excluded.
type Section struct {
	Heading     Heading
	Index       int // of the heading in Blocks
	First, Last int
}

// Under finds the section that a heading's text, path (A/Tasks, or /Tasks from
// the top) or block id names. None or several: mnote_tool_invalid_args with
// details.reason target_not_found or ambiguous_target and details.candidates
// [{path, blockId}].
func (p *Page) Under(target string) (Section, error) { return Section{}, errUnbuilt }

// Outline gives the first limit headings and how many there are.
func (p *Page) Outline(limit int) (headings []Heading, total int) { return nil, 0 }

// Summary gives the beginning of what the body says, on one line and at most
// max characters long.
func (p *Page) Summary(max int) string { return "" }
