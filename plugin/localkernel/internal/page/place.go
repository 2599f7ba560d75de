package page

import "github.com/mnote-dev/mnote-host/tools"

// Edge is one of the two ends of a page or a section.
type Edge string

// The edges.
const (
	EdgeStart Edge = "start"
	EdgeEnd   Edge = "end"
)

// Where is a place between blocks. Exactly one of After, Before and Under is
// set, or none of them for the page itself. At says which end of the page or
// section is meant; empty is its end.
type Where struct {
	After, Before string // block ids
	Under         string // heading text, path or id
	At            Edge
}

// place gives the index of the block that the place is in front of.
func (p *Page) place(w Where) (int, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	switch {
	case w.After != "":
		i, err := p.find(w.After)
		return i + 1, err
	case w.Before != "":
		return p.before(w.Before)
	case w.Under != "":
		s, err := p.Under(w.Under)
		if w.At == EdgeStart {
			return s.First, err
		}
		return s.Last, err
	case w.At == EdgeStart:
		return p.firstBody(), nil
	}
	return len(p.lay().spans), nil
}

func (p *Page) before(id string) (int, error) {
	i, err := p.find(id)
	if err == nil && p.lay().spans[i].typ == TypeFrontmatter {
		return 0, badPlace()
	}
	return i, err
}

// firstBody gives the index of the first block that is no frontmatter.
func (p *Page) firstBody() int {
	if p.lay().front.Format == FormatNone {
		return 0
	}
	return 1
}

// check refuses two places at once, and an end of a block.
func (w Where) check() error {
	named := 0
	for _, s := range []string{w.After, w.Before, w.Under} {
		if s != "" {
			named++
		}
	}
	edge := w.At == "" || w.At == EdgeStart || w.At == EdgeEnd
	if named > 1 || !edge || w.At != "" && (w.After != "" || w.Before != "") {
		return badPlace()
	}
	return nil
}

func badPlace() error {
	return refuse(tools.CodeInvalidArgs, reasonPlaceInvalid, tools.Text{
		ZH: "位置不对：after、before、underHeading 只能给一个；position 是 start 或 end，只与 underHeading 或整页连用；frontmatter 之前不能放内容",
		EN: "the place is not one: give one of after, before and underHeading; position is start or end and goes with underHeading or the page; nothing stands before a frontmatter",
	})
}
