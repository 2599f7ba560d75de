package localkernel

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

// pageArgs are page.get's own arguments.
type pageArgs struct {
	IncludeBody    *bool  `json:"includeBody"`
	IncludeOptions *bool  `json:"includeOptions"`
	IncludeBlocks  *bool  `json:"includeBlocks"`
	Cursor         string `json:"cursor"`
	MaxChars       int    `json:"maxChars"`

	// mark tells this page's cursors from another's.
	mark string
}

func asked(flag *bool) bool { return flag == nil || *flag }

// pageResult is page.get's result.
type pageResult struct {
	DocumentID     string            `json:"documentId"`
	WorkspaceID    string            `json:"workspaceId"`
	Title          string            `json:"title"`
	BodySummary    *string           `json:"bodySummary,omitempty"`
	PageOptions    *page.Options     `json:"pageOptions,omitempty"`
	RuntimeSupport map[string]string `json:"runtimeSupport,omitempty"`
	Body           *string           `json:"body,omitempty"`
	Blocks         []block           `json:"blocks,omitzero"`
	Revision       int64             `json:"revision"`
	ContentHash    string            `json:"contentHash"`
	NextCursor     string            `json:"nextCursor,omitempty"`
	Total          *total            `json:"total,omitempty"`
	Outline        []page.Heading    `json:"outline,omitempty"`
	OutlineTotal   int               `json:"outlineTotal,omitempty"`
	Warnings       []warning         `json:"warnings,omitempty"`
}

// total is the size of the whole page, told when a reply is a part of it.
type total struct {
	Characters int `json:"characters"`
	Bytes      int `json:"bytes"`
	Blocks     int `json:"blocks"`
}

// block is one block as a caller sees it.
type block struct {
	ID       string    `json:"id"`
	Type     page.Type `json:"type"`
	Level    int       `json:"level,omitempty"`
	Language string    `json:"language,omitempty"`
	Text     string    `json:"text"`
	Source   *string   `json:"source,omitempty"`
	Items    []item    `json:"items,omitempty"`
	// Part is true for a piece of a block that is too large for one reply.
	Part bool `json:"part,omitempty"`
}

// item is one item of a list.
type item struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Depth   int    `json:"depth,omitempty"`
	Checked *bool  `json:"checked,omitempty"`
}

// Bounds of a reply. maxReply is in bytes of JSON: clients show 15,000 to 16,000
// of a longer one, and the envelope needs its share.
const (
	maxReply     = 12_500
	defaultChars = 8_000
	minChars     = 100
	summaryChars = 240
	maxOutline   = 40
	headingChars = 100
	maxHeading   = 120
)

// pageGet reads a page, or the part of it that fits a reply.
func pageGet(ctx context.Context, k *Kernel, c *call) (any, error) {
	var a pageArgs
	if err := c.decode(&a); err != nil {
		return nil, err
	}
	d, err := k.open(ctx, c)
	if err != nil {
		return nil, err
	}
	a.mark = cursorMark(d.key())
	head := k.pageHead(c, d, a)
	if !asked(a.IncludeBlocks) && !asked(a.IncludeBody) {
		return head, nil
	}
	r, err := fitted(head, d.page, a)
	if err == nil && asked(a.IncludeBlocks) {
		k.sights.read(c, d, a.Cursor == "", r.NextCursor == "")
	}
	return r, err
}

// pageHead is the part of a page that every reply has.
func (k *Kernel) pageHead(c *call, d *document, a pageArgs) pageResult {
	r := pageResult{
		DocumentID: string(d.id), WorkspaceID: k.id, Title: d.title(), Revision: d.revision, ContentHash: d.file.Hash,
	}
	r.Warnings = c.encodingOf(d)
	if asked(a.IncludeBody) {
		r.BodySummary = ptr(d.page.Summary(summaryChars))
	}
	if asked(a.IncludeOptions) {
		options, err := d.page.Options()
		if err != nil && len(r.Warnings) == 0 { // bytes that are no text are told of already
			r.Warnings = append(r.Warnings, c.warn(err))
		}
		r.PageOptions, r.RuntimeSupport = &options, k.runtimeSupport()
	}
	if d.uncounted {
		r.Warnings = append(r.Warnings, warning{Reason: "revision_unknown"})
	}
	return r
}

// fitted adds as much of the page as fits a reply. Characters are no bytes, so
// a window that turns out too large is taken again, smaller.
func fitted(head pageResult, p *page.Page, a pageArgs) (pageResult, error) {
	chars := a.MaxChars
	if chars <= 0 || chars > defaultChars {
		chars = defaultChars
	}
	for {
		r, err := windowed(head, p, a, chars)
		if err != nil {
			return r, err
		}
		size := jsonSize(r)
		if size <= maxReply || chars <= minChars {
			return r, nil
		}
		chars = max(minChars, min(chars*9/10, chars*maxReply/size))
	}
}

func windowed(head pageResult, p *page.Page, a pageArgs, chars int) (pageResult, error) {
	form := page.FormBlocks
	if !asked(a.IncludeBlocks) {
		form = page.FormBody
	}
	cursor, mark, _ := strings.Cut(a.Cursor, cursorSeparator)
	w, err := p.Window(cursor, chars, form)
	if err != nil {
		if tools.AsError(err).Code == tools.CodeConflict && mark != a.mark {
			err = tools.Errorf(tools.CodeInvalidArgs, textOtherPage).With("reason", "cursor_other_page")
		}
		return head, err
	}
	if w.Next != "" {
		w.Next += cursorSeparator + a.mark
	}
	if form == page.FormBody {
		head.Body = &w.Body
	} else {
		head.Blocks = blocksOf(w.Pieces)
	}
	head.NextCursor = w.Next
	if w.Next != "" || a.Cursor != "" {
		head.Total = &total{Characters: w.Characters, Bytes: w.Bytes, Blocks: w.Blocks}
	}
	if w.Next != "" && a.Cursor == "" {
		// An entry is about 70 characters of JSON: a reader who asked for little
		// gets a short outline, so that there is room for the page.
		head.Outline, head.OutlineTotal = p.Outline(min(maxOutline, chars/headingChars))
		head.Outline = slices.Clone(head.Outline)
		for i := range head.Outline {
			h := &head.Outline[i]
			h.Text, h.Path = bounded(h.Text, maxHeading), bounded(h.Path, maxHeading)
		}
	}
	return head, nil
}

func blocksOf(pieces []page.Piece) []block {
	list := []block{}
	for _, p := range pieces {
		b := block{
			ID: p.Block.ID, Type: p.Block.Type, Level: p.Block.Level, Language: p.Block.Language,
			Text: p.Text, Source: p.Source, Part: !p.Whole,
		}
		for _, i := range p.Items {
			b.Items = append(b.Items, item{ID: i.ID, Text: i.Text, Depth: i.Depth, Checked: i.Checked})
		}
		list = append(list, b)
	}
	return list
}

// warn is a fault that does not end the call, in the caller's language.
func (c *call) warn(err error) warning {
	e := tools.AsError(err).In(c.Lang)
	reason, _ := e.Details["reason"].(string)
	return warning{Reason: reason, Message: e.Message}
}

// encodingOf warns a reader of a page that is not UTF-8 and so is not written.
func (c *call) encodingOf(d *document) []warning {
	if err := d.page.Unwritable(); err != nil {
		return []warning{c.warn(err)}
	}
	return nil
}

func jsonSize(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(raw)
}

// optionNames are the page options, in the seeds' order.
var optionNames = []string{"wideLayout", "smallText", "showToc", "protectEditing"}

// runtimeSupport tells for each option whether this kernel acts on it.
func (k *Kernel) runtimeSupport() map[string]string {
	support := map[string]string{}
	for _, name := range optionNames {
		support[name] = "wired"
		if slices.Contains(k.opts.Unwired, name) {
			support[name] = "not_wired"
		}
	}
	return support
}
