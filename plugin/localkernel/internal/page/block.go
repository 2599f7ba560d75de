package page

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"
)

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

// typeItem stands in an item's id where a block's has its type.
const typeItem Type = "listItem"

// readBlocks gives the spans their ids, and the lists their items.
func (p *Page) readBlocks() []Block {
	spans := p.lay().spans
	blocks := make([]Block, len(spans))
	seen := make(map[string]int, len(spans))
	for i, s := range spans {
		src := p.src[s.start:s.end]
		blocks[i] = Block{
			ID: numbered(contentID("b_", s.typ, src), seen), Type: s.typ, Level: s.level,
			Start: s.start, End: s.end, Language: language(s.typ, src), Items: items(s, src),
		}
		for j := range blocks[i].Items {
			item := &blocks[i].Items[j]
			item.ID = numbered(contentID("i_", typeItem, p.src[item.Start:item.End]), seen)
		}
	}
	return blocks
}

// contentID hashes a type and a text: 60 bits of it, in lower-case base32. Line
// ends and trailing white space do not count, so that an editor that changes
// them keeps the ids.
func contentID(prefix string, typ Type, src []byte) string {
	text := toLF(src)
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	h := sha256.New()
	h.Write([]byte(typ))
	h.Write([]byte{0})
	h.Write(text)
	return prefix + base32Lower.EncodeToString(h.Sum(nil))[:12]
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// numbered adds _2, _3 … to the second, third … of equal ids.
func numbered(id string, seen map[string]int) string {
	seen[id]++
	if n := seen[id]; n > 1 {
		return id + "_" + strconv.Itoa(n)
	}
	return id
}

// Unnumbered gives the id that the first of equal blocks has.
func Unnumbered(id string) string {
	if len(id) < idLead {
		return id
	}
	at := strings.IndexByte(id[idLead:], '_')
	if at < 0 || strings.Trim(id[idLead+at+1:], "0123456789") != "" {
		return id
	}
	return id[:idLead+at]
}

// idLead is how long an id's kind is: b_ or i_.
const idLead = 2

// Copies counts the blocks that equal the one with that id, itself included.
func (p *Page) Copies(id string) int {
	first := Unnumbered(id)
	if _, ok := p.places()[first]; !ok {
		return 0
	}
	n := 1
	for {
		if _, ok := p.places()[first+"_"+strconv.Itoa(n+1)]; !ok {
			return n
		}
		n++
	}
}
