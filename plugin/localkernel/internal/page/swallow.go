package page

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// stand is one block that a splice wants: its place in the file that was put
// together, and the part it is of.
type stand struct {
	span
	part int
}

// stands lists what the file must split into; starts are the parts' places.
func (s splice) stands(starts []int) []stand {
	var all []stand
	for i, part := range s.parts {
		for _, w := range part.spans {
			all = append(all, stand{span{w.typ, w.level, starts[i] + w.start, starts[i] + w.end}, i})
		}
	}
	return all
}

// fault tells why a file is not the parts it was put together from: which block
// takes others in, and what would work instead. It names the blocks that are
// really changed, and no others.
func (s splice) fault(next *Page, starts []int) error {
	got, want := next.lay().spans, s.stands(starts)
	stands := make(map[span]bool, len(got))
	for _, g := range got {
		stands[g] = true
	}
	var lost []stand
	for _, w := range want {
		if !stands[w.span] {
			lost = append(lost, w)
		}
	}
	if len(lost) == 0 {
		return s.refusal(textChanges, nil)
	}
	taker, taken := s.takes(got, want, lost[0])
	ids := s.ids(lost)
	switch lists := s.ids(append([]stand{taker}, taken...)); {
	case len(taken) == 0:
		return s.refusal(textChanges, ids)
	case isList(taker.typ) && !slices.ContainsFunc(taken, func(t stand) bool { return !isList(t.typ) }):
		return s.listsJoin(lists, ids)
	case s.parts[taker.part].old < 0 && len(s.ids(taken)) == 0:
		return s.refusal(textOpenWithin, ids)
	case s.parts[taker.part].old < 0:
		return s.refusal(textOpenContent, ids, listed(s.ids(taken)))
	default:
		id := s.ids([]stand{taker})[0]
		return s.refusal(textOpenBlock, ids, id, id)
	}
}

// takes finds the block of the new file that a lost one is in, and gives the
// first that is in it and the others.
func (s splice) takes(got []span, want []stand, lost stand) (taker stand, taken []stand) {
	i := slices.IndexFunc(got, func(g span) bool { return g.start <= lost.start && lost.start < g.end })
	if i < 0 {
		return lost, nil
	}
	for _, w := range want {
		if got[i].start <= w.start && w.start < got[i].end {
			taken = append(taken, w)
		}
	}
	if len(taken) == 0 {
		return lost, nil
	}
	return taken[0], taken[1:]
}

// listsJoin is the refusal of an edit that makes one list of several. lists are
// those of the page.
func (s splice) listsJoin(lists, ids []string) error {
	switch len(lists) {
	case 0:
		return s.refusal(textContentLists, ids)
	case 1:
		return s.refusal(textJoinsList, ids, lists[0], lists[0])
	}
	return s.refusal(textListsJoin, ids, lists[0], lists[1], lists[0], lists[1])
}

var (
	textChanges = tools.Text{
		ZH: "放在这里，内容或旁边的块会被读成别的样子（会改变的块见 details.blocks）；页面没有改动。请修改内容，或换一个位置",
		EN: "at this place the content or a block beside it would be read as something else (details.blocks are the blocks that would change); nothing was changed. Alter the content, or choose another place",
	}
	textOpenContent = tools.Text{
		ZH: "内容会吞并它后面的块（%s）：可能是代码围栏、注释或 HTML 没有结束；页面没有改动。请把内容补完整",
		EN: "the content would swallow what stands behind it (%s): it leaves a code fence, a comment or HTML open; nothing was changed. Complete the content",
	}
	textOpenWithin = tools.Text{
		ZH: "内容里有一块会吞并它后面的内容：可能是代码围栏、注释或 HTML 没有结束；页面没有改动。请把内容补完整",
		EN: "a block of the content would swallow the content behind it: it leaves a code fence, a comment or HTML open; nothing was changed. Complete the content",
	}
	textOpenBlock = tools.Text{
		ZH: "块 %s 会吞并放在它后面的内容：它的代码围栏、注释或 HTML 没有结束，或者缩进的行会并入列表；页面没有改动。请改为更新块 %s，写出完整内容",
		EN: "the block %s would swallow what comes behind it: it leaves a code fence, a comment or HTML open, or is a list that takes indented lines in; nothing was changed. Update the block %s with its whole content instead",
	}
	textJoinsList = tools.Text{
		ZH: "这个列表会与旁边的列表 %s 合并成一个；页面没有改动。请改为用整个列表更新列表块 %s",
		EN: "the list would become one with the list %s beside it; nothing was changed. Update the list block %s with the whole list instead",
	}
	textListsJoin = tools.Text{
		ZH: "列表 %s 和 %s 之间不再有别的块，会合并成一个列表；页面没有改动。要保持分开，请更新它们之间的块而不是拿走它；要合并，请先用两者的全部列表项更新 %s，再删除 %s",
		EN: "nothing would stand between the lists %s and %s any more, and they would become one list; nothing was changed. To keep them apart update the block between them instead of taking it away; to make them one, first update %s with the items of both and delete %s",
	}
	textContentLists = tools.Text{
		ZH: "内容里相邻的两个列表会合并成一个；页面没有改动。请把它们写成一个列表",
		EN: "two lists of the content would become one; nothing was changed. Write them as one list",
	}
)

func (s splice) refusal(text tools.Text, ids []string, args ...any) error {
	return refuse(tools.CodeInvalidBlock, reasonChangesBlocks, text, args...).With("blocks", ids[:min(len(ids), maxCandidates)])
}

// ids gives the ids of the page's own blocks among the stands.
func (s splice) ids(of []stand) []string {
	ids := []string{}
	for _, w := range of {
		if old := s.parts[w.part].old; old >= 0 {
			ids = append(ids, s.page.blocks()[old].ID)
		}
	}
	return ids
}

// listed writes a few ids out.
func listed(ids []string) string {
	if len(ids) > 3 {
		return strings.Join(ids[:3], ", ") + " …"
	}
	return strings.Join(ids, ", ")
}

// fits reports whether the new file splits into just what it must.
func (s splice) fits(next *Page) bool {
	got, k := next.lay().spans, 0
	for _, part := range s.parts {
		for _, want := range part.spans {
			if k == len(got) || !same(got[k], want, next.src, part.raw) {
				return false
			}
			k++
		}
	}
	return k == len(got)
}

func same(got, want span, src, raw []byte) bool {
	return got.typ == want.typ && got.level == want.level &&
		bytes.Equal(src[got.start:got.end], raw[want.start:want.end])
}
