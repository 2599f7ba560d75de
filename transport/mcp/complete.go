package mcp

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/capabilities"
)

// maxCompletions is the most that the protocol lets one answer hold.
const maxCompletions = 100

// completer completes the documentId of the page template.
type completer struct{ face *Face }

// CompleteResourceArgument lists the documents whose id begins with what was
// typed: those of the typed folder where the kernel can list them, else those
// that the session knows. A completion that cannot be had is an empty one: it is
// asked for at every key.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	if uri != pageTemplate || argument.Name != "documentId" {
		return &mcp.Completion{Values: []string{}}, nil
	}
	typed := argument.Value
	if plain, err := url.PathUnescape(typed); err == nil {
		typed = plain
	}
	ids, more := c.listed(ctx, typed)
	if ids == nil {
		ids = c.face.cfg.Session.KnownDocuments()
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
	return &mcp.Completion{Values: values[:min(n, maxCompletions)], Total: n, HasMore: more || n > maxCompletions}, nil
}

// listed asks the kernel for the folder that the typed value lies in; nil when
// it has no such tool or refuses. Folders end in /, so that typing goes on.
func (c completer) listed(ctx context.Context, typed string) (ids []string, more bool) {
	if !callable(c.face.surface().snap, capabilities.ToolDocList) {
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
	if fault := c.face.run(ctx, requestOf(ctx), capabilities.ToolDocList, args, &r); fault != nil {
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
