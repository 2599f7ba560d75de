package mcp

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mnote-dev/mnote-host/capabilities"
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
