package page

import (
	"github.com/mnote-dev/mnote-host/tools"
)

// part is one piece of a page that an edit puts together: a block that is there
// (old is its index) or new content (old is -1), which may be several blocks.
// New content that stands in for a block names its index, else -1.
type part struct {
	raw    []byte
	spans  []span // relative to raw
	old    int
	stands int
}

// keep is the part that is the block i as it stands.
func (p *Page) keep(i int) part {
	s := p.lay().spans[i]
	raw := p.src[s.start:s.end]
	return part{raw: raw, spans: []span{{s.typ, s.level, 0, len(raw)}}, old: i, stands: i}
}

// kept gives the blocks [from, to) as parts.
func (p *Page) kept(from, to int) []part {
	parts := make([]part, 0, to-from)
	for i := from; i < to; i++ {
		parts = append(parts, p.keep(i))
	}
	return parts
}

// content makes a part of Markdown: outer blank lines off, line ends as in the
// page, split alone.
func (p *Page) content(markdown string) part {
	raw := withLineEnd(trimBlankLines([]byte(markdown)), p.eol())
	spans, _ := splitBody(nil, raw, 0)
	return part{raw: raw, spans: spans, old: -1, stands: -1}
}

func (p *Page) eol() string { return lineEnd(p.src) }

// gap gives the bytes between the blocks i and i+1; -1 is the file's start
// (BOM and blank lines), the last block's index its end.
func (p *Page) gap(i int) []byte {
	lay := p.lay()
	from, to := 0, len(p.src)
	if i >= 0 {
		from = lay.spans[i].end
	}
	if i+1 < len(lay.spans) {
		to = lay.spans[i+1].start
	}
	return p.src[from:to]
}

// joint is a place between two parts (or at the start of the file) and the gaps
// to try there, best first.
type joint struct {
	at   int // before the part with this index
	gaps [][]byte
}

// splice is an edit before its proof: the parts in their new order, and the
// joints whose gap the edit may choose. Every other gap is as it was, or one
// blank line between parts that were not neighbours.
type splice struct {
	page   *Page
	parts  []part
	joints []joint
	// snug lets new content that stands in for a block keep that block's gaps.
	snug bool
}

// prove tries the gaps in turn and gives the first file that splits into just
// the parts it was made of: every block that the edit does not name keeps its
// bytes, type and order, and the new content is the same blocks as alone. The
// refusal is that of the last gaps, which set the parts furthest apart.
func (s splice) prove() (*Page, error) {
	if err := s.page.Unwritable(); err != nil {
		return nil, err
	}
	choice := make([]int, len(s.joints))
	for {
		src, starts := s.build(choice)
		next := Parse(src)
		switch {
		case len(src) > MaxSize && len(src) > len(s.page.src):
			return nil, tooLarge(len(src))
		case s.fits(next):
			return next, nil
		case !s.advance(choice):
			return nil, s.fault(next, starts)
		}
	}
}

// advance counts choice up, the last joint fastest.
func (s splice) advance(choice []int) bool {
	for i := len(choice) - 1; i >= 0; i-- {
		if choice[i]++; choice[i] < len(s.joints[i].gaps) {
			return true
		}
		choice[i] = 0
	}
	return false
}

// build puts the file together, and tells where each part starts in it.
func (s splice) build(choice []int) (src []byte, starts []int) {
	chosen := make(map[int][]byte, len(choice))
	for i, j := range s.joints {
		chosen[j.at] = j.gaps[choice[i]]
	}
	src = make([]byte, 0, len(s.page.src)+256)
	for i, part := range s.parts {
		if gap, ok := chosen[i]; ok {
			src = append(src, gap...)
		} else {
			src = append(src, s.between(i)...)
		}
		starts = append(starts, len(src))
		src = append(src, part.raw...)
	}
	return append(src, s.tail()...), starts
}

// between gives the gap before part i where the edit leaves no choice.
func (s splice) between(i int) []byte {
	if i == 0 {
		return s.page.gap(-1)
	}
	before, after := s.parts[i-1], s.parts[i]
	if before.old >= 0 && after.old == before.old+1 || s.snug && before.stands >= 0 && after.stands == before.stands+1 {
		return s.page.gap(before.stands)
	}
	return blankLine(s.page.eol())
}

func blankLine(eol string) []byte { return []byte(eol + eol) }

// tail gives what follows the last part: what followed the last block, so that
// a missing final newline stays missing. A page that had no block gets a line's
// end; one that has none any more keeps no line for it.
func (s splice) tail() []byte {
	n := len(s.page.lay().spans)
	switch {
	case n == 0 && len(s.parts) == 0:
		return s.page.src
	case n == 0:
		return s.page.afterFirst()
	case len(s.parts) == 0:
		tail := s.page.gap(n - 1)
		return concat(s.page.gap(-1), tail[breakLen(tail, 0):])
	}
	return s.page.gap(n - 1)
}

// afterFirst gives what follows the first block of a page that has none: its
// blank lines, behind a line's end.
func (p *Page) afterFirst() []byte {
	rest := p.src[p.lay().bom:]
	if breakLen(rest, 0) > 0 {
		return rest
	}
	return concat([]byte(p.eol()), rest)
}

func tooLarge(size int) error {
	return refuse(tools.CodePayloadTooLarge, reasonTooLarge, tools.Text{
		ZH: "页面会有 %d 字节，上限是 %d；请拆成几页",
		EN: "the page would have %d bytes, the limit is %d; make several pages of it",
	}, size, MaxSize).With("limit", MaxSize)
}

// Unwritable says why no edit of the page is made whatever it is, or nil: its
// bytes are not UTF-8 text, and an edit would mix encodings in one file.
func (p *Page) Unwritable() error {
	switch {
	case p.lay().alien:
		return refuse(tools.CodeInvalidArgs, reasonUnsupported, tools.Text{
			ZH: "文件是 UTF-16 编码，不能编辑；请先用编辑器存成 UTF-8",
			EN: "the file is UTF-16 and cannot be edited; save it as UTF-8 in an editor first",
		})
	case !p.valid():
		return refuse(tools.CodeInvalidArgs, reasonEncoding, tools.Text{
			ZH: "文件不是 UTF-8（可能是 GBK、Latin-1 或二进制），能读不能改，读不出的字节显示为 �；请先用编辑器存成 UTF-8",
			EN: "the file is not UTF-8 (GBK, Latin-1 or binary, perhaps): it can be read, with � for what cannot, and is not edited; save it as UTF-8 in an editor first",
		})
	}
	return nil
}
