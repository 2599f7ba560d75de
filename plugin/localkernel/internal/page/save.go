package page

// Mode says what a save does with the body that is there.
type Mode string

// The modes of a save.
const (
	ModeReplace Mode = "replace"
	ModeAppend  Mode = "append"
)

// Content is one block of a save. Source wins and is written as it stands, else
// Text is Markdown. Where Type (and Level) are named the block must be one of
// that type. ID is accepted and means nothing.
type Content struct {
	ID     string  `json:"id,omitempty"`
	Type   Type    `json:"type,omitempty"`
	Level  int     `json:"level,omitempty"`
	Text   *string `json:"text,omitempty"`
	Source *string `json:"source,omitempty"`
}

// Save writes the body anew, or adds to its end. The frontmatter is kept;
// content that opens with one is refused unless it is the page's own.
func (p *Page) Save(content []Content, mode Mode) (*Edit, error) { return nil, errUnbuilt }

// New makes the bytes of a new page from Markdown: LF line ends, one final
// newline. It may open with a frontmatter.
func New(content string) []byte { return nil }
