package page

// Edit is what a change would give. Nothing is written: the caller does that.
type Edit struct {
	// Page is the page after the edit; its Bytes are what to write.
	Page *Page
	// Changes lists the blocks that are new, gone, altered or renumbered.
	Changes []Change
	// Ops is the short summary of a dry run (seed 7-6).
	Ops []Op
	// Warnings tells what was read otherwise than it was written.
	Warnings []Warning
}

// Op is one line of a dry run's diff.
type Op struct {
	Op     string `json:"op"`
	Blocks int    `json:"blocks"`
}

// Warning is a remark about an edit that was made all the same.
type Warning struct {
	Reason string `json:"reason"`
	Block  int    `json:"block"` // index in the content, from 0
}

// Edge is one of the two ends of a page or a section.
type Edge string

// The edges.
const (
	EdgeStart Edge = "start"
	EdgeEnd   Edge = "end"
)

// Where is a place between blocks. Exactly one of After, Before and Under is
// set, or none of them for the page itself. At is the end of the page or
// section that is meant; empty is its end.
type Where struct {
	After, Before string // block ids
	Under         string // heading text, path or id
	At            Edge
}

// Replace puts content in place of a block. The content may be several blocks;
// a blank one is refused, and so is a frontmatter's id.
func (p *Page) Replace(id, content string) (*Edit, error) { return nil, errUnbuilt }

// Insert puts content at a place between blocks.
func (p *Page) Insert(at Where, content string) (*Edit, error) { return nil, errUnbuilt }

// Delete takes a block away, with the blank lines that set it apart.
func (p *Page) Delete(id string) (*Edit, error) { return nil, errUnbuilt }

// Move takes a block to another place, its bytes unchanged.
func (p *Page) Move(id string, to Where) (*Edit, error) { return nil, errUnbuilt }

// SetTitle writes the title where Title takes it from; a title that comes from
// the file's name is added to the frontmatter. Nothing is renamed.
func (p *Page) SetTitle(title, fileName string) (*Edit, error) { return nil, errUnbuilt }

// SetOptions writes the options that the patch names, under mnote: in the
// frontmatter.
func (p *Page) SetOptions(patch OptionsPatch) (*Edit, error) { return nil, errUnbuilt }
