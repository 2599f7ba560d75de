package localkernel

import (
	"context"
	"regexp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

var (
	textBlockSize = tools.Text{
		ZH: "这个块太大，一次回答放不下；请用 mnote.page.get 带 cursor 分段读取",
		EN: "the block is too large for one answer; read it in parts with mnote.page.get and its cursor",
	}
	textOrdinal = tools.Text{
		ZH: "块 %s 与别的块内容相同，序号会随编辑变化；请同时给出 expectedRevision（现在是 %d）",
		EN: "the block %s equals another one and its number shifts with edits; name expectedRevision too (it is %d now)",
	}
	textPlaces = tools.Text{
		ZH: "位置不明确：after、before、underHeading 最多给一个",
		EN: "the place is not clear: name at most one of after, before and underHeading",
	}
	textNoPlace = tools.Text{
		ZH: "没有说移到哪里：请用 after 或 before 给出一个块的 id",
		EN: "a move needs its place: name a block's id in after or before",
	}
)

// blockArgs are the own arguments of the block tools.
type blockArgs struct {
	BlockID          string    `json:"blockId"`
	Content          string    `json:"content"`
	After            string    `json:"after"`
	Before           string    `json:"before"`
	Under            string    `json:"underHeading"`
	At               page.Edge `json:"position"`
	ExpectedRevision *int64    `json:"expectedRevision"`
}

// where is the place that the arguments name.
func (a blockArgs) where() (page.Where, error) {
	named := 0
	for _, s := range []string{a.After, a.Before, a.Under} {
		if s != "" {
			named++
		}
	}
	if named > 1 {
		return page.Where{}, tools.Errorf(tools.CodeInvalidArgs, textPlaces).With("violations", []violation{
			{Path: "/after", Fault: "more than one place", Allowed: "one of after, before, underHeading"},
		})
	}
	return page.Where{After: a.After, Before: a.Before, Under: a.Under, At: a.At}, nil
}

// blockResult is block.get's result: a block, or one item of a list.
type blockResult struct {
	DocumentID  string `json:"documentId"`
	Revision    int64  `json:"revision"`
	ContentHash string `json:"contentHash"`
	Block       *block `json:"block,omitempty"`
	Item        *item  `json:"item,omitempty"`
	// ListID is the block that an item belongs to.
	ListID string `json:"listId,omitempty"`
}

// blockGet reads one block, or one item of a list.
func blockGet(ctx context.Context, k *Kernel, c *call) (any, error) {
	var a blockArgs
	if err := c.decode(&a); err != nil {
		return nil, err
	}
	d, err := k.open(ctx, c)
	if err != nil {
		return nil, err
	}
	r := blockResult{DocumentID: string(d.id), Revision: d.revision, ContentHash: d.file.Hash}
	if i, list, err := d.page.Item(a.BlockID); err == nil {
		r.Item, r.ListID = &item{ID: i.ID, Text: i.Text, Depth: i.Depth, Checked: i.Checked}, list.ID
	} else {
		b, err := d.page.Block(a.BlockID)
		if err != nil {
			return nil, err
		}
		r.Block = wholeBlock(d.page, b)
	}
	if jsonSize(r) > maxReply {
		return nil, tools.Errorf(tools.CodePayloadTooLarge, textBlockSize).With("limit", maxReply)
	}
	return r, nil
}

func wholeBlock(p *page.Page, b page.Block) *block {
	piece := page.Piece{Block: b, Whole: true, Text: p.Text(b), Items: b.Items}
	if source := p.Source(b); source != piece.Text {
		piece.Source = &source
	}
	return &blocksOf([]page.Piece{piece})[0]
}

// onBlocks is a page edit that names blocks by id.
func onBlocks(edit func(p *page.Page, a blockArgs) (*page.Edit, error)) pageEdit {
	return func(_ *Kernel, c *call, d *document) (*page.Edit, []warning, error) {
		var a blockArgs
		if err := c.decode(&a); err != nil {
			return nil, nil, err
		}
		if err := c.pinned(a, d); err != nil {
			return nil, nil, err
		}
		e, err := edit(d.page, a)
		return e, nil, err
	}
}

// ordinal ends the id of a block that equals an earlier one.
var ordinal = regexp.MustCompile(`_[0-9]+$`)

// pinned demands the revision where an id names one of several equal blocks:
// which of them it is changes with an edit elsewhere.
func (c *call) pinned(a blockArgs, d *document) error {
	if a.ExpectedRevision != nil || c.planID() != "" || c.DryRun {
		return nil
	}
	for _, id := range []string{a.BlockID, a.After, a.Before} {
		if id == "" {
			continue
		}
		_, err := d.page.Block(id + "_2")
		if err == nil || ordinal.MatchString(id[min(2, len(id)):]) {
			return tools.Errorf(tools.CodeConflict, textOrdinal, bounded(id, maxHeading), d.revision).
				With("reason", "equal_blocks").With("currentRevision", d.revision)
		}
	}
	return nil
}

func insertBlock(p *page.Page, a blockArgs) (*page.Edit, error) {
	at, err := a.where()
	if err != nil {
		return nil, err
	}
	return p.Insert(at, a.Content)
}

func updateBlock(p *page.Page, a blockArgs) (*page.Edit, error) {
	return p.Replace(a.BlockID, a.Content)
}

func deleteBlock(p *page.Page, a blockArgs) (*page.Edit, error) { return p.Delete(a.BlockID) }

func moveBlock(p *page.Page, a blockArgs) (*page.Edit, error) {
	at, err := a.where()
	if err == nil && a.After == "" && a.Before == "" {
		err = tools.Errorf(tools.CodeInvalidArgs, textNoPlace).With("violations", []violation{
			{Path: "/after", Fault: "no place", Allowed: "after or before: a block's id"},
		})
	}
	if err != nil {
		return nil, err
	}
	return p.Move(a.BlockID, at)
}
