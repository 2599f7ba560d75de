package page

import (
	"github.com/mnote-dev/mnote-host/tools"
)

// Edit is what a change would give. Nothing is written: the caller does that.
type Edit struct {
	// Page is the page after the edit; its Bytes are what to write. They equal
	// the old ones where the edit changes nothing.
	Page *Page
	// Changes lists the blocks that are new, gone, altered, moved or renumbered.
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

// Warning is a remark about an edit that was made all the same: block is the
// index in the content, from 0, that it is about.
type Warning struct {
	Reason string
	Block  int
	Text   tools.Text
}

// written makes a part of content that a caller gave, and refuses what is none.
func (p *Page) written(content string) (part, error) {
	if err := CheckText("/content", content); err != nil {
		return part{}, err
	}
	fresh := p.content(content)
	if len(fresh.spans) == 0 {
		return part{}, emptyContent()
	}
	return fresh, nil
}

// Replace puts content in place of a block. The content may be several blocks;
// a blank one is refused, and so is a frontmatter's id.
func (p *Page) Replace(id, content string) (*Edit, error) {
	i, err := p.editable(id)
	if err != nil {
		return nil, err
	}
	fresh, err := p.written(content)
	if err != nil {
		return nil, err
	}
	s := p.between(i, i+1, fresh)
	s.joints = append(s.joints, p.replaceJoints(i)...)
	return s.edit(Op{"replace", len(fresh.spans)})
}

// replaceJoints tries the content as it is, with a blank line after it, before
// it, and both.
func (p *Page) replaceJoints(i int) []joint {
	before, eol := p.gap(i-1), []byte(p.eol())
	joints := []joint{{at: i, gaps: [][]byte{before, concat(before, eol)}}}
	if i+1 < len(p.lay().spans) {
		after := p.gap(i)
		joints = append(joints, joint{at: i + 1, gaps: [][]byte{after, concat(eol, after)}})
	}
	return joints
}

// between gives the page with the blocks [from, to) taken out and parts put in.
func (p *Page) between(from, to int, parts ...part) splice {
	all := p.kept(0, from)
	all = append(all, parts...)
	return splice{page: p, parts: append(all, p.kept(to, len(p.lay().spans))...)}
}

// Insert puts content at a place between blocks, set apart by blank lines. A
// list beside a list of its kind is no block of its own: that list grows.
func (p *Page) Insert(at Where, content string) (*Edit, error) {
	k, err := p.place(at)
	if err != nil {
		return nil, err
	}
	fresh, err := p.written(content)
	if err != nil {
		return nil, err
	}
	return p.add(k, Op{"insert", len(fresh.spans)}, fresh)
}

// insertJoints gives the gaps around a part that comes in before block k. The
// gap that was there stays on one side, made wider where it has no blank line.
func (p *Page) insertJoints(k int) []joint {
	eol := p.eol()
	switch n := len(p.lay().spans); {
	case n == 0:
		return []joint{p.firstJoint()}
	case k == 0:
		return []joint{p.firstJoint(), {at: 1, gaps: [][]byte{blankLine(eol)}}}
	case k == n:
		return []joint{{at: k, gaps: [][]byte{blankLine(eol)}}}
	}
	return []joint{
		{at: k, gaps: [][]byte{blankLine(eol)}},
		{at: k + 1, gaps: [][]byte{widened(p.gap(k-1), eol)}},
	}
}

// firstJoint gives what may stand before the first block: the BOM and blank
// lines that are there, or an empty line more.
func (p *Page) firstJoint() joint {
	lead := p.src[:p.lay().bom]
	if len(p.lay().spans) > 0 {
		lead = p.gap(-1)
	}
	return joint{at: 0, gaps: [][]byte{lead, concat(lead, []byte(p.eol()))}}
}

// widened gives a gap that has a blank line.
func widened(gap []byte, eol string) []byte {
	if hasBlankLine(gap) {
		return gap
	}
	return blankLine(eol)
}

// Delete takes a block away, with the gap on one side of it.
func (p *Page) Delete(id string) (*Edit, error) {
	i, err := p.editable(id)
	if err != nil {
		return nil, err
	}
	s := p.between(i, i+1)
	s.joints = p.closeJoints(i, i)
	return s.edit(Op{"delete", 1})
}

// closeJoints gives the gaps to try where block i was taken out, before the
// part that is now at index at: the wider of its two gaps, the other, a blank
// line. At the page's end there is nothing to choose, and at its start only how
// a rule that is first now is kept from being read as a frontmatter.
func (p *Page) closeJoints(i, at int) []joint {
	switch {
	case i+1 == len(p.lay().spans):
		return nil
	case i == 0:
		return []joint{p.firstJoint()}
	}
	before, after := p.gap(i-1), p.gap(i)
	if len(after) > len(before) {
		before, after = after, before
	}
	return []joint{{at: at, gaps: [][]byte{before, after, blankLine(p.eol())}}}
}

// Move takes a block to another place, its bytes unchanged. A block that is
// there already stays, and the edit changes nothing.
func (p *Page) Move(id string, to Where) (*Edit, error) {
	i, err := p.editable(id)
	if err != nil {
		return nil, err
	}
	k, err := p.place(to)
	if err != nil {
		return nil, err
	}
	if k == i || k == i+1 {
		return &Edit{Page: p, Ops: []Op{{"move", 0}}}, nil
	}
	e, err := p.moved(i, k).edit(Op{"move", 1})
	if err != nil {
		return nil, err
	}
	e.Changes = append([]Change{{OldID: id, NewID: e.movedID(i, k), Type: p.blocks()[i].Type}}, withoutChange(e.Changes, id)...)
	return e, nil
}

// movedID gives the id that block i has after it went before block k.
func (e *Edit) movedID(i, k int) string {
	if k > i {
		k--
	}
	return e.Page.blocks()[k].ID
}

func withoutChange(changes []Change, oldID string) []Change {
	var out []Change
	for _, c := range changes {
		if c.OldID != oldID {
			out = append(out, c)
		}
	}
	return out
}

// moved gives the page with block i before block k.
func (p *Page) moved(i, k int) splice {
	n := len(p.lay().spans)
	s := splice{page: p}
	if i < k {
		s.parts = append(append(append(p.kept(0, i), p.kept(i+1, k)...), p.keep(i)), p.kept(k, n)...)
		s.joints = append(p.closeJoints(i, i), shifted(p.insertJoints(k), k, -1)...)
		return s
	}
	s.parts = append(append(append(p.kept(0, k), p.keep(i)), p.kept(k, i)...), p.kept(i+1, n)...)
	s.joints = append(p.insertJoints(k), p.closeJoints(i, i+1)...)
	return s
}

// shifted moves the joints from index k on.
func shifted(joints []joint, k, by int) []joint {
	for i := range joints {
		if joints[i].at >= k {
			joints[i].at += by
		}
	}
	return joints
}

// edit proves the splice and tells what it changes.
func (s splice) edit(ops ...Op) (*Edit, error) {
	next, err := s.prove()
	if err != nil {
		return nil, err
	}
	var from []int
	for _, part := range s.parts {
		for range part.spans {
			from = append(from, part.old)
		}
	}
	return &Edit{Page: next, Changes: changesFrom(s.page.blocks(), next.blocks(), from), Ops: ops}, nil
}

// editable finds a block that the block tools may change.
func (p *Page) editable(id string) (int, error) {
	i, err := p.find(id)
	if err == nil {
		err = p.Unwritable()
	}
	if err != nil {
		return 0, err
	}
	if p.lay().spans[i].typ == TypeFrontmatter {
		return 0, refuse(tools.CodeInvalidBlock, reasonFrontmatterEdit, tools.Text{
			ZH: "frontmatter 不能当作块来编辑；标题和页面选项有各自的工具",
			EN: "the frontmatter is not edited as a block; the title and the options have tools of their own",
		})
	}
	return i, nil
}

func emptyContent() error {
	return refuse(tools.CodeInvalidArgs, reasonContentEmpty, tools.Text{
		ZH: "content 是空的；要删除一个块请用删除工具",
		EN: "content is empty; to remove a block use the tool that deletes it",
	})
}

func concat(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
