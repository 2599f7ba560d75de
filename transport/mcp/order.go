package mcp

import (
	"cmp"
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// ordered puts what is listed of packs into the manifest's order, which is the
// tools' order too and was chosen for people; mcp-go lists by name. We hand out no
// cursors, so a list is always whole.
func ordered(s *surface) *server.Hooks {
	prompts, resources := map[string]int{}, map[string]int{}
	for i, p := range slices.Backward(s.packs) { // of packs that share a skill the first counts
		prompts[p.ID], resources[p.SkillID] = i, i
	}
	h := &server.Hooks{}
	h.AddAfterListPrompts(func(_ context.Context, _ any, _ *mcp.ListPromptsRequest, r *mcp.ListPromptsResult) {
		slices.SortStableFunc(r.Prompts, func(a, b mcp.Prompt) int { return cmp.Compare(prompts[a.Name], prompts[b.Name]) })
	})
	h.AddAfterListResources(func(_ context.Context, _ any, _ *mcp.ListResourcesRequest, r *mcp.ListResourcesResult) {
		slices.SortStableFunc(r.Resources, func(a, b mcp.Resource) int { return cmp.Compare(resources[a.Name], resources[b.Name]) })
	})
	return h
}
