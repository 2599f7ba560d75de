package page

import (
	"bytes"
	"errors"

	"github.com/mnote-dev/mnote-host/tools"
)

// The bounds of a frontmatter that is read, in bytes. go-toml takes time with
// the square of the number of keys: 3.6 s for 240 KB of them, 0.2 s for 60.
const (
	maxYAML = 256 << 10
	maxTOML = 64 << 10
)

// data is a frontmatter that was read. The setters give its bytes with one
// value changed, proven by reading them again; the receiver stays as it is.
type data interface {
	bytes() []byte
	title() string
	options() (map[string]bool, error)
	setTitle(title, eol string) ([]byte, error)
	setOption(key string, value bool, eol string) ([]byte, error)
}

var (
	_ data = (*yamlData)(nil)
	_ data = (*tomlData)(nil)
)

// data reads the page's frontmatter; a page that has none has an empty one.
func (p *Page) data() (data, error) {
	if p.lay().alien {
		return nil, p.Unwritable()
	}
	front := p.lay().front
	return readData(p.dataFormat(), p.src[front.From:front.To])
}

// dataFormat is the frontmatter's format, YAML where the page has none yet.
func (p *Page) dataFormat() Format {
	if f := p.lay().front.Format; f != FormatNone {
		return f
	}
	return FormatYAML
}

// writableData is data of a page that may be edited.
func (p *Page) writableData() (data, error) {
	if err := p.Unwritable(); err != nil {
		return nil, err
	}
	return p.data()
}

func readData(format Format, inner []byte) (data, error) {
	switch {
	case format == FormatTOML && len(inner) > maxTOML, len(inner) > maxYAML:
		return nil, invalidData(errors.New("too long"))
	case format == FormatTOML:
		return readTOML(inner)
	}
	return readYAML(inner)
}

// withData gives the page with other bytes between its fences, or with a
// frontmatter of its own where it had none. All blocks stay.
func (p *Page) withData(inner []byte, op string) (*Edit, error) {
	old := p.lay()
	next := Parse(p.fenced(inner))
	lay := next.lay()
	front := lay.front
	spans, kept := old.spans, lay.spans
	if old.front.Format != FormatNone {
		spans = spans[1:]
	}
	if front.Format != p.dataFormat() || !bytes.Equal(next.src[front.From:front.To], inner) || len(kept)-1 != len(spans) {
		return nil, p.brokenFences()
	}
	for i, s := range spans {
		if !same(kept[i+1], s, next.src, p.src) {
			return nil, p.brokenFences()
		}
	}
	if len(next.src) > MaxSize && len(next.src) > len(p.src) {
		return nil, tooLarge(len(next.src))
	}
	return &Edit{Page: next, Changes: Changes(p, next), Ops: []Op{{op, 1}}}, nil
}

func (p *Page) brokenFences() error {
	return refuse(tools.CodeInvalidBlock, reasonChangesBlocks, tools.Text{
		ZH: "这样写 frontmatter 会改变页面上的块；页面没有改动",
		EN: "this frontmatter would change blocks of the page; nothing was changed",
	})
}

// fenced puts the file together. A new frontmatter is set apart by a blank line.
func (p *Page) fenced(inner []byte) []byte {
	lay := p.lay()
	if lay.front.Format != FormatNone {
		return concat(p.src[:lay.front.From], inner, p.src[lay.front.To:])
	}
	eol := p.eol()
	rest := p.src[lay.bom:]
	apart := ""
	if len(lay.spans) > 0 && breakLen(rest, 0) == 0 {
		apart = eol
	}
	return concat(p.src[:lay.bom], []byte("---"+eol), inner, []byte("---"+eol+apart), rest)
}
