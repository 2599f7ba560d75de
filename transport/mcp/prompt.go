package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// errFaulted tells mcp-go that a handler failed; what the client gets is the
// request's own fault.
var errFaulted = errors.New("the request has its own fault")

// prompts gives each pack with a skill as a prompt by the pack's id: the skill's
// text.
func (f *Face) prompts(s *surface) []server.ServerPrompt {
	var out []server.ServerPrompt
	for _, p := range s.packs {
		out = append(out, server.ServerPrompt{
			Prompt:  mcp.Prompt{Name: p.ID, Title: p.Title, Description: p.Description},
			Handler: f.prompt(p),
		})
	}
	return out
}

func (f *Face) prompt(p capabilities.Pack) server.PromptHandlerFunc {
	return func(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		q := requestOf(ctx)
		text, fault := f.skill(ctx, q, p.SkillID)
		if fault != nil {
			q.fault = fault
			return nil, errFaulted
		}
		return &mcp.GetPromptResult{
			Description: p.Description,
			Messages:    []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}},
		}, nil
	}
}

// getPrompt serves prompts/get. A prompt that is not listed is looked for among
// all packs: one that is off is refused like its skill, and one that was just
// switched on is there.
func (f *Face) getPrompt(ctx context.Context, q *request) stdio.Reply {
	name, ok := text(q.params.Name)
	if !ok {
		return f.dispatch(ctx, q)
	}
	for _, p := range f.surface().packs {
		if p.ID == name {
			return f.dispatch(ctx, q)
		}
	}
	if p, ok := f.surface().snap.Pack(name); ok && p.ID == name && p.SkillID != "" && f.client.Offers.Prompts {
		if _, fault := f.skill(ctx, q, p.SkillID); fault != nil {
			return stdio.Reply{Fault: fault}
		}
		return f.dispatch(ctx, q)
	}
	return stdio.Reply{Fault: q.notFound(q.client.results.Calm(fmt.Sprintf("prompt '%s' not found", clip(name, 200))))}
}
