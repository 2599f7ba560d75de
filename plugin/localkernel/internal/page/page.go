package page

// Page is one parsed file. It is immutable: an edit makes another one, and
// whoever reads its slices must not write to them.
type Page struct {
	src    []byte
	blocks []Block
}

// Parse reads a file. Every input is a page: what is no Markdown that we split
// (a file over MaxSize, a line nested too deep) is one opaque block.
func Parse(src []byte) *Page { return &Page{src: src} }

// Bytes gives the whole file.
func (p *Page) Bytes() []byte { return p.src }

// ContentHash gives "sha256:" and the hex hash of the whole file.
func (p *Page) ContentHash() string { return "" }

// BOM reports whether the file starts with a UTF-8 byte order mark.
func (p *Page) BOM() bool { return false }

// Frontmatter gives the file's frontmatter; its Format is FormatNone where
// there is none.
func (p *Page) Frontmatter() Frontmatter { return Frontmatter{} }

// Body gives the file less BOM and frontmatter.
func (p *Page) Body() []byte { return p.src }

// Blocks gives the blocks in file order. A frontmatter is the first of them.
func (p *Page) Blocks() []Block { return p.blocks }

// Block finds a block by id. An unknown id is a conflict: the text it stood for
// is gone; details.blocks lists the ids there are.
func (p *Page) Block(id string) (Block, error) { return Block{}, errUnbuilt }

// Text gives what a block says, without its block markup and with LF line ends.
func (p *Page) Text(b Block) string { return "" }

// Source gives a block's exact bytes, without the line end after it.
func (p *Page) Source(b Block) string { return "" }
