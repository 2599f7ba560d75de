package page

import (
	"bytes"

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
// bytes, type and order, and the new content is the same blocks as alone.
func (s splice) prove() (*Page, error) {
	if err := s.page.writable(); err != nil {
		return nil, err
	}
	choice := make([]int, len(s.joints))
	var refusal error
	for {
		next := Parse(s.build(choice))
		err := s.check(next)
		if err == nil {
			return next, nil
		}
		if refusal == nil {
			refusal = err
		}
		if !s.advance(choice) {
			return nil, refusal
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

// build puts the file together.
func (s splice) build(choice []int) []byte {
	chosen := make(map[int][]byte, len(choice))
	for i, j := range s.joints {
		chosen[j.at] = j.gaps[choice[i]]
	}
	out := make([]byte, 0, len(s.page.src)+256)
	for i, part := range s.parts {
		if gap, ok := chosen[i]; ok {
			out = append(out, gap...)
		} else {
			out = append(out, s.between(i)...)
		}
		out = append(out, part.raw...)
	}
	return append(out, s.tail()...)
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

// check compares what the new file splits into with what it must.
func (s splice) check(next *Page) error {
	if len(next.src) > MaxSize && len(next.src) > len(s.page.src) {
		return tooLarge(len(next.src))
	}
	got, k := next.lay().spans, 0
	for i, part := range s.parts {
		for _, want := range part.spans {
			if k == len(got) || !same(got[k], want, next.src, part.raw) {
				return s.swallows(i)
			}
			k++
		}
	}
	if k != len(got) {
		return s.swallows(len(s.parts) - 1)
	}
	return nil
}

func same(got, want span, src, raw []byte) bool {
	return got.typ == want.typ && got.level == want.level &&
		bytes.Equal(src[got.start:got.end], raw[want.start:want.end])
}

// swallows is the refusal of an edit that breaks at part i; it names the block
// that would change, which is that part or its neighbour.
func (s splice) swallows(i int) error {
	err := refuse(tools.CodeInvalidBlock, reasonChangesBlocks, tools.Text{
		ZH: "这样写会吞并或改变没有点名的块（例如没有结束的代码围栏、与相邻列表合并）；页面没有改动。请补全内容，或改为编辑 details.blocks 里的块",
		EN: "the content would swallow or change blocks that were not named (an unclosed fence, a list that joins its neighbour); nothing was changed. Complete the content, or edit the blocks in details.blocks instead",
	})
	var ids []string
	for k := max(i-1, 0); k <= i+1 && k < len(s.parts); k++ {
		if old := s.parts[k].old; old >= 0 {
			ids = append(ids, s.page.blocks()[old].ID)
		}
	}
	return err.With("blocks", ids)
}

func tooLarge(size int) error {
	return refuse(tools.CodePayloadTooLarge, reasonTooLarge, tools.Text{
		ZH: "页面会有 %d 字节，上限是 %d；请拆成几页",
		EN: "the page would have %d bytes, the limit is %d; make several pages of it",
	}, size, MaxSize).With("limit", MaxSize)
}

// writable refuses a page whose bytes are not UTF-8 text.
func (p *Page) writable() error {
	if !p.lay().alien {
		return nil
	}
	return refuse(tools.CodeInvalidArgs, reasonUnsupported, tools.Text{
		ZH: "文件是 UTF-16 编码，不能编辑；请先用编辑器存成 UTF-8",
		EN: "the file is UTF-16 and cannot be edited; save it as UTF-8 in an editor first",
	})
}
