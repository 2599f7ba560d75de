package mcp

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// listPrompts serves prompts/list.
func (f *Face) listPrompts(_ context.Context, q *request) stdio.Reply {
	return f.show(q, func(s *surface, k *known) list { k.prompts = s; return s.prompts })
}

// promptRows lists each pack with a skill as a prompt by the pack's id.
func (s *surface) promptRows() []mcp.Prompt {
	out := []mcp.Prompt{}
	for _, p := range s.packs {
		out = append(out, mcp.Prompt{Name: p.ID, Title: p.Title, Description: p.Description})
	}
	return out
}

// prompt gives the pack that is listed as a prompt by the name.
func (s *surface) prompt(name string) (capabilities.Pack, bool) {
	for _, p := range s.packs {
		if p.ID == name {
			return p, true
		}
	}
	return capabilities.Pack{}, false
}

// getPrompt serves prompts/get: the text of the pack's skill. A prompt that is not
// listed is looked for among all packs: one that is off is refused like its skill,
// and one that was just switched on is there.
func (f *Face) getPrompt(ctx context.Context, q *request) stdio.Reply {
	var params mcp.GetPromptParams
	if fault := q.decode(&params); fault != nil {
		return stdio.Reply{Fault: fault}
	}
	s := f.surface()
	p, listed := s.prompt(params.Name)
	if !listed {
		p, _ = s.snap.Pack(params.Name)
		if p.ID != params.Name || p.SkillID == "" { // an alias is no prompt's name
			return stdio.Reply{Fault: q.noPrompt(params.Name)}
		}
	}
	text, fault := f.skill(ctx, q, p.SkillID)
	if fault != nil {
		return stdio.Reply{Fault: fault}
	}
	if !listed {
		if p, listed = f.surface().prompt(params.Name); !listed { // readable, and yet no prompt
			return stdio.Reply{Fault: q.noPrompt(params.Name)}
		}
	}
	return f.reply(q, mcp.GetPromptResult{
		Description: p.Description,
		Messages:    []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}},
	}, "")
}

func (q *request) noPrompt(name string) *stdio.Fault {
	return q.notFound(q.client.results.Calm(fmt.Sprintf("prompt '%s' not found", clip(name, 200))))
}
