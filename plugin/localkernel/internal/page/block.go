package page

import "errors"

var errUnbuilt = errors.New("page: not built yet")

// Type says what a block is, in the words of tiptap's nodes where it has one.
type Type string

// The types of a block. TypeOpaque is a whole body that is not split.
const (
	TypeHeading        Type = "heading"
	TypeParagraph      Type = "paragraph"
	TypeBulletList     Type = "bulletList"
	TypeOrderedList    Type = "orderedList"
	TypeTaskList       Type = "taskList"
	TypeCodeBlock      Type = "codeBlock"
	TypeBlockquote     Type = "blockquote"
	TypeTable          Type = "table"
	TypeImage          Type = "image"
	TypeHorizontalRule Type = "horizontalRule"
	TypeBlockMath      Type = "blockMath"
	TypeHTML           Type = "html"
	TypeFrontmatter    Type = "frontmatter"
	TypeFootnote       Type = "footnote"
	TypeLinkReference  Type = "linkReference"
	TypeOpaque         Type = "opaque"
)

// Block is one top-level block: the bytes [Start, End) of the file, from the
// start of its first line to the end of its last one, line end excluded.
type Block struct {
	ID         string
	Type       Type
	Level      int    // 1 to 6 for a heading, else 0
	Language   string // the first word after a code fence
	Start, End int
	Items      []Item // of a list, nested items after their parent; read only
}

// Item is one item of a list. It can be read by its id, never edited alone.
type Item struct {
	ID         string
	Depth      int // 0 for the list's own items
	Start, End int
	// Checked is nil for an item without a task box.
	Checked *bool
	Text    string
}

// Format says how a frontmatter is written.
type Format string

// The formats of a frontmatter: none, between --- lines, between +++ lines.
const (
	FormatNone Format = ""
	FormatYAML Format = "yaml"
	FormatTOML Format = "toml"
)

// Frontmatter is the data at the top of a file. [Start, End) is the whole with
// its fences, [From, To) what stands between them.
type Frontmatter struct {
	Format     Format
	Start, End int
	From, To   int
}
