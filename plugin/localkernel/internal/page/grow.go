package page

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
)

// add puts new parts before block k. One list that would become one with the
// list beside it lets that one grow: "- milk" under a shopping list is meant as
// an item of it.
func (p *Page) add(k int, op Op, fresh ...part) (*Edit, error) {
	s := p.between(k, k, fresh...)
	s.joints = p.insertJoints(k)
	e, err := s.edit(op)
	if err == nil || len(fresh) != 1 {
		return e, err
	}
	if s, ok := p.grown(k, fresh[0]); ok {
		if e, err := s.edit(op); err == nil {
			return e, nil
		}
	}
	return nil, err
}

// grown is the page in which the list before block k, or the one that is block
// k, takes the new list in. Every other block and gap stays.
func (p *Page) grown(k int, fresh part) (splice, bool) {
	if len(fresh.spans) != 1 || !isList(fresh.spans[0].typ) {
		return splice{}, false
	}
	spans := p.lay().spans
	if k > 0 && isList(spans[k-1].typ) {
		if list, ok := p.merged(p.keep(k-1), fresh); ok {
			list.old, list.stands = k-1, k-1
			return p.between(k-1, k, list), true
		}
	}
	if k < len(spans) && isList(spans[k].typ) {
		if list, ok := p.merged(fresh, p.keep(k)); ok {
			list.old, list.stands = k, k
			return p.between(k, k+1, list), true
		}
	}
	return splice{}, false
}

// merged joins two lists that are one list when they stand together: the bytes
// of both unchanged, and the items of both in a row, each what it was.
func (p *Page) merged(first, second part) (part, bool) {
	eol := p.eol()
	gaps := [][]byte{[]byte(eol), blankLine(eol)}
	style := first // the page's own list says how far its items stand apart
	if second.old >= 0 {
		style = second
	}
	if style.isLoose(second.old < 0) {
		gaps[0], gaps[1] = gaps[1], gaps[0]
	}
	for _, gap := range gaps {
		raw := concat(first.raw, gap, second.raw)
		spans, _ := splitBody(nil, raw, 0)
		if len(spans) != 1 || !isList(spans[0].typ) || spans[0].start != 0 || spans[0].end != len(raw) {
			continue
		}
		if all := (part{raw: raw, spans: spans}); all.hasItemsOf(first, second) {
			return all, true
		}
	}
	return part{}, false
}

// hasItemsOf reports whether a list's items are those of its two halves.
func (l part) hasItemsOf(first, second part) bool {
	all, was := l.items(), append(first.items(), second.items()...)
	if len(all) != len(was) {
		return false
	}
	cut := len(first.items())
	for i, item := range all {
		half := first
		if i >= cut {
			half = second
		}
		if item.Depth != was[i].Depth || item.Text != was[i].Text || !sameBox(item.Checked, was[i].Checked) ||
			!bytes.Equal(l.raw[item.Start:item.End], half.raw[was[i].Start:was[i].End]) {
			return false
		}
	}
	return true
}

func sameBox(a, b *bool) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// items gives the items of a part that is one list.
func (l part) items() []Item { return items(l.spans[0], l.raw) }

// isLoose reports whether blank lines stand between the list's own items: the
// last two of them, or the first two. A lone item is loose as its own blocks are.
func (l part) isLoose(atEnd bool) bool {
	var own []Item
	for _, item := range l.items() {
		if item.Depth == 0 {
			own = append(own, item)
		}
	}
	if n := len(own); n > 1 {
		i := 0
		if atEnd {
			i = n - 2
		}
		return hasBlankLine(l.raw[own[i].End:own[i+1].Start])
	}
	doc, _ := parseBody(l.raw, 0)
	list, ok := first(doc).(*ast.List)
	return ok && !list.IsTight
}

func isList(typ Type) bool {
	return typ == TypeBulletList || typ == TypeOrderedList || typ == TypeTaskList
}
