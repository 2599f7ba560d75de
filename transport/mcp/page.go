package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// Bounds of reading a page as a resource: the kernel gives it in parts, and a
// client gets it whole, up to here.
const (
	maxParts    = 64
	maxResource = 1 << 20
)

// pagePart is what a page tool's result holds of a page's text.
type pagePart struct {
	Body       *string `json:"body"`
	Blocks     []block `json:"blocks"`
	NextCursor string  `json:"nextCursor"`
}

// block is a block of a page: source is its exact Markdown, where it differs
// from text.
type block struct {
	ID     string  `json:"id"`
	Text   string  `json:"text"`
	Source *string `json:"source"`
}

func (b block) markdown() string {
	if b.Source != nil {
		return strings.TrimRight(*b.Source, "\n")
	}
	return b.Text
}

// page reads a page, or one block of it, through the pipeline, part by part. A
// kernel that gives no body gives blocks, which are joined as they are stored.
func (f *Face) page(ctx context.Context, q *request, a address) (content, *stdio.Fault) {
	args := f.pageArgs(a)
	var b strings.Builder
	for range maxParts {
		part, raw, fault := f.part(ctx, q, args)
		if fault != nil {
			return content{}, fault
		}
		if a.blockID != "" {
			if found, ok := findBlock(part.Blocks, a.blockID); ok {
				return content{found.markdown(), markdown}, nil
			}
		} else if !part.write(&b) {
			if args["includeBlocks"] != false {
				return content{string(raw), "application/json"}, nil
			}
			args["includeBlocks"] = true // a kernel that gives no body: ask for what it has
			continue
		}
		if part.NextCursor == "" && a.blockID != "" {
			return content{}, q.notFound("no such block on the page: read the page for its block ids")
		}
		if part.NextCursor == "" {
			return content{b.String(), markdown}, nil
		}
		if b.Len() > maxResource {
			break
		}
		args["cursor"] = part.NextCursor
	}
	// Half a page would be taken for a whole one.
	return content{}, q.notFound(fmt.Sprintf("%s: the page is larger than %d bytes; read it with the tool, part by part", tools.CodePayloadTooLarge, maxResource))
}

// pageArgs asks for the text alone, in the words that this kernel's tool has.
func (f *Face) pageArgs(a address) map[string]any {
	args := map[string]any{"documentId": a.documentID}
	if a.workspaceID != "" {
		args["workspaceId"] = a.workspaceID // the pipeline compares it with the session's
	}
	t, err := f.surface().snap.Resolve(string(capabilities.ToolPageGet))
	if err != nil {
		return args
	}
	takes := properties(t)
	for name, value := range map[string]bool{"includeOptions": false, "includeBody": true, "includeBlocks": a.blockID != ""} {
		if _, has := takes[name]; has {
			args[name] = value
		}
	}
	return args
}

// part runs the page tool once.
func (f *Face) part(ctx context.Context, q *request, args map[string]any) (pagePart, json.RawMessage, *stdio.Fault) {
	var raw json.RawMessage
	if fault := f.run(ctx, q, capabilities.ToolPageGet, args, &raw); fault != nil {
		return pagePart{}, nil, fault
	}
	var p pagePart
	if err := json.Unmarshal(raw, &p); err != nil {
		f.cfg.Log.Error().Err(err).Str("request", q.describe()).Msg("a page has another shape")
		return pagePart{}, nil, stdio.InternalFault()
	}
	return p, raw, nil
}

// write adds the part's text; it is false when the part holds neither form.
func (p pagePart) write(b *strings.Builder) bool {
	switch {
	case p.Body != nil:
		b.WriteString(*p.Body)
	case p.Blocks != nil:
		for _, block := range p.Blocks {
			if b.Len() > 0 {
				b.WriteString("\n\n")
			}
			b.WriteString(block.markdown())
		}
	default:
		return false
	}
	return true
}

func findBlock(blocks []block, id string) (block, bool) {
	for _, b := range blocks {
		if b.ID == id {
			return b, true
		}
	}
	return block{}, false
}
