package mcp

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// maxCompletions is the most that the protocol lets one answer hold.
const maxCompletions = 100

// complete serves completion/complete. What we cannot complete completes to
// nothing, a prompt's arguments because it has none.
func (f *Face) complete(ctx context.Context, q *request) stdio.Reply {
	var p mcp.CompleteParams
	if fault := q.decode(&p); fault != nil {
		return stdio.Reply{Fault: fault}
	}
	r := mcp.CompleteResult{Completion: mcp.Completion{Values: []string{}}}
	switch ref := p.Ref.(type) {
	case mcp.PromptReference:
	case mcp.ResourceReference:
		if ref.URI == pageTemplate && p.Argument.Name == "documentId" {
			r.Completion = f.documents(ctx, q, p.Argument.Value)
		}
	default: // without params nothing was decoded
		return stdio.Reply{Fault: q.misfit()}
	}
	return f.reply(q, r, "")
}

// documents lists the documents whose id begins with what was typed: those of the
// typed folder where the kernel can list them, else those that the session knows.
// A completion that cannot be had is an empty one: it is asked for at every key.
func (f *Face) documents(ctx context.Context, q *request, typed string) mcp.Completion {
	if plain, err := url.PathUnescape(typed); err == nil {
		typed = plain
	}
	ids, more := f.folder(ctx, q, typed)
	if ids == nil {
		ids = f.cfg.Session.KnownDocuments()
	}
	values := []string{}
	for _, id := range ids {
		if strings.HasPrefix(id, typed) {
			values = append(values, encodeID(id))
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	n := len(values)
	return mcp.Completion{Values: values[:min(n, maxCompletions)], Total: n, HasMore: more || n > maxCompletions}
}

// folder asks the kernel for the folder that the typed value lies in; nil when
// it has no such tool or refuses. Folders end in /, so that typing goes on.
func (f *Face) folder(ctx context.Context, q *request, typed string) (ids []string, more bool) {
	if !f.surface().snap.Offers(capabilities.ToolDocList) {
		return nil, false
	}
	args := map[string]any{}
	if folder := path.Dir(typed); strings.Contains(typed, "/") {
		args["folder"] = folder
	}
	var r struct {
		Entries []struct {
			DocumentID string `json:"documentId"`
			Kind       string `json:"kind"`
		} `json:"entries"`
		NextCursor string `json:"nextCursor"`
	}
	if fault := f.run(ctx, q, capabilities.ToolDocList, args, &r); fault != nil {
		return nil, false
	}
	ids = []string{}
	for _, e := range r.Entries {
		switch e.Kind {
		case "page", "":
			ids = append(ids, e.DocumentID)
		case "folder":
			ids = append(ids, strings.TrimSuffix(e.DocumentID, "/")+"/")
		}
	}
	return ids, r.NextCursor != ""
}
