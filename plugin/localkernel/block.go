package localkernel

import (
	"context"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/tools"
)

var (
	textBlockSize = tools.Text{
		ZH: "这个块太大，一次回答放不下；请用 mnote.page.get 带 cursor 分段读取",
		EN: "the block is too large for one answer; read it in parts with mnote.page.get and its cursor",
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
	Under            *string   `json:"underHeading"`
	At               page.Edge `json:"position"`
	ExpectedRevision *int64    `json:"expectedRevision"`
}

// where is the place that the arguments name.
func (a blockArgs) where() (page.Where, error) {
	named := 0
	for _, s := range []string{a.After, a.Before, a.under()} {
		if s != "" {
			named++
		}
	}
	if named == 0 && a.Under != nil { // its end of the page is nobody's wish
		return page.Where{}, invalid("/underHeading", saidMissing, tools.Text{ZH: "标题的文字或路径，或不给", EN: "a heading's text or path, or no such argument"})
	}
	if named > 1 {
		return page.Where{}, tools.Errorf(tools.CodeInvalidArgs, textPlaces).With("violations", []violation{
			{Path: "/after", Fault: "more than one place", Allowed: "one of after, before, underHeading"},
		})
	}
	return page.Where{After: a.After, Before: a.Before, Under: a.under(), At: a.At}, nil
}

func (a blockArgs) under() string {
	if a.Under == nil {
		return ""
	}
	return *a.Under
}

// blockResult is block.get's result: a block, or one item of a list.
type blockResult struct {
	DocumentID  string `json:"documentId"`
	Revision    int64  `json:"revision"`
	ContentHash string `json:"contentHash"`
	Block       *block `json:"block,omitempty"`
	Item        *item  `json:"item,omitempty"`
	// ListID is the block that an item belongs to.
	ListID   string    `json:"listId,omitempty"`
	Warnings []warning `json:"warnings,omitempty"`
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
	r := blockResult{DocumentID: string(d.id), Revision: d.revision, ContentHash: d.file.Hash, Warnings: c.encodingOf(d)}
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
	k.sights.read(c, d, false, false)
	return r, nil
}

func wholeBlock(p *page.Page, b page.Block) *block {
	piece := page.Piece{Block: b, Whole: true, Text: p.Text(b), Items: b.Items}
	if source := p.Source(b); source != piece.Text {
		piece.Source = &source
	}
	return &blocksOf([]page.Piece{piece})[0]
}

// onBlocks turns an edit that names blocks by id into a tool.
func onBlocks(edit func(p *page.Page, a blockArgs) (*page.Edit, error)) editTool {
	return func(k *Kernel, tx *store.Tx, c *call) (*change, error) {
		return onPage(func(k *Kernel, c *call, d *document) (*page.Edit, []warning, error) {
			var a blockArgs
			if err := c.decode(&a); err != nil {
				return nil, nil, err
			}
			if err := k.pinned(tx, c, d, a); err != nil {
				return nil, nil, err
			}
			e, err := edit(d.page, a)
			return e, nil, err
		})(k, tx, c)
	}
}

// pinned holds the ids that a write names against what its session saw, unless
// it names the revision that it means, or a plan that is bound to one. A dry run
// is held to the same: its plan would be the write.
func (k *Kernel) pinned(tx *store.Tx, c *call, d *document, a blockArgs) error {
	if a.ExpectedRevision != nil || c.planID() != "" || tx == nil {
		return nil
	}
	for _, id := range []string{a.BlockID, a.After, a.Before, a.under()} {
		_, err := d.page.Block(page.Unnumbered(id))
		if id == "" || err != nil { // no block, or not by id: the edit says so
			continue
		}
		if err := k.unmistaken(tx, c, d, id); err != nil {
			return err
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
