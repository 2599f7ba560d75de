package page

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// Page is one parsed file. It is immutable and safe for several goroutines;
// whoever reads its slices must not write to them.
type Page struct {
	src    []byte
	lay    func() layout
	valid  func() bool // UTF-8
	blocks func() []Block
	places func() map[string]int // id → index in blocks
}

// Parse reads a file. Every input is a page: what we do not split (a file over
// MaxSize, lines nested too deep, UTF-16) is one opaque block. The work is done
// when something is first asked.
func Parse(src []byte) *Page {
	p := &Page{src: src}
	p.lay = sync.OnceValue(func() layout { return split(src) })
	p.valid = sync.OnceValue(func() bool { return utf8.Valid(src) })
	p.blocks = sync.OnceValue(p.readBlocks)
	p.places = sync.OnceValue(p.indexBlocks)
	return p
}

// Bytes gives the whole file.
func (p *Page) Bytes() []byte { return p.src }

// ContentHash gives "sha256:" and the hex hash of the whole file.
func (p *Page) ContentHash() string {
	sum := sha256.Sum256(p.src)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// BOM reports whether the file starts with a UTF-8 byte order mark.
func (p *Page) BOM() bool { return p.lay().bom > 0 }

// Frontmatter gives the file's frontmatter; its Format is FormatNone where
// there is none.
func (p *Page) Frontmatter() Frontmatter { return p.lay().front }

// Body gives the file less BOM and frontmatter.
func (p *Page) Body() []byte { return p.src[p.bodyStart():] }

func (p *Page) bodyStart() int {
	lay := p.lay()
	if lay.front.Format == FormatNone {
		return lay.bom
	}
	return lay.front.End + breakLen(p.src, lay.front.End)
}

// Blocks gives the blocks in file order. A frontmatter is the first of them.
func (p *Page) Blocks() []Block { return p.blocks() }

// Block finds a block by id. An unknown id is a conflict: the text it stood for
// is gone; details.blocks lists the ids there are.
func (p *Page) Block(id string) (Block, error) {
	i, err := p.find(id)
	if err != nil {
		return Block{}, err
	}
	return p.blocks()[i], nil
}

// Item finds a list's item by id, and the block it is in.
func (p *Page) Item(id string) (Item, Block, error) {
	for _, b := range p.blocks() {
		for _, item := range b.Items {
			if item.ID == id {
				return item, b, nil
			}
		}
	}
	return Item{}, Block{}, p.noBlock(id)
}

// find gives a block's index. An item's id is refused by name: what can be
// edited is the whole list.
func (p *Page) find(id string) (int, error) {
	if i, ok := p.places()[id]; ok {
		return i, nil
	}
	if _, list, err := p.Item(id); err == nil {
		return 0, refuse(tools.CodeInvalidArgs, reasonReadOnlyItem, tools.Text{
			ZH: "列表项只能读取；请用列表所在块的 id（见 details.blockId）编辑整个列表",
			EN: "a list's item can only be read; edit the whole list by its block id (details.blockId)",
		}).With("blockId", list.ID)
	}
	return 0, p.noBlock(id)
}

// maxListed bounds the ids that an error carries.
const maxListed = 100

// maxShownID is the longest id that a refusal repeats; ours are shorter, and what
// is longer may be a page's text.
const maxShownID = 48

func (p *Page) noBlock(id string) error {
	if len(id) > maxShownID || !strings.HasPrefix(id, "b_") {
		id = "…"
	}
	blocks := p.blocks()
	list := make([]map[string]any, 0, min(len(blocks), maxListed))
	for _, b := range blocks[:min(len(blocks), maxListed)] {
		list = append(list, map[string]any{"id": b.ID, "type": string(b.Type)})
	}
	return refuse(tools.CodeConflict, reasonBlockNotFound, tools.Text{
		ZH: "页面上没有 id 为 %s 的块（内容变了，id 就变）；请重新读取页面，现有的 id 见 details.blocks",
		EN: "no block has the id %s (it changes with the content); read the page again, details.blocks lists the ids",
	}, id).With("blocks", list).With("total", len(blocks))
}

func (p *Page) indexBlocks() map[string]int {
	places := make(map[string]int, len(p.blocks()))
	for i, b := range p.blocks() {
		places[b.ID] = i
	}
	return places
}
