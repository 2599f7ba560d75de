package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// reference is a face whose plain methods mcp-go's own dispatcher answers:
// negotiation, what is declared, the eras' differences in lists, prompts and
// completion are the library's there. What the face says is held against it, so
// that it follows the protocol as the library does.
type reference struct {
	face       *Face
	dispatcher *dispatcher
	legacy     *seat
	// shown is the surface that made was made of.
	shown *surface
	made  *server.MCPServer
}

func newReference(f *Face) *reference {
	return &reference{face: f, dispatcher: &dispatcher{face: f}, legacy: &seat{id: "legacy"}}
}

// Inline implements stdio.Handler.
func (r *reference) Inline(method string) bool { return handler{r.face}.Inline(method) }

// Notification implements stdio.Handler.
func (r *reference) Notification(ctx context.Context, s stdio.Request) {
	handler{r.face}.Notification(ctx, s)
}

// Request implements stdio.Handler.
func (r *reference) Request(ctx context.Context, s stdio.Request) stdio.Reply {
	q, fault := r.face.read(s)
	if fault != nil {
		return stdio.Reply{Fault: fault}
	}
	switch mcp.MCPMethod(q.Method) {
	case mcp.MethodInitialize:
		return r.initialize(ctx, q)
	case mcp.MethodPromptsList, mcp.MethodResourcesList, mcp.MethodResourcesTemplatesList:
		return r.list(ctx, q)
	case mcp.MethodPromptsGet:
		return r.getPrompt(ctx, q)
	case mcp.MethodServerDiscover, mcp.MethodPing, mcp.MethodCompletionComplete,
		mcp.MethodSetLogLevel, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe:
		return r.dispatch(ctx, q)
	}
	return r.face.serve(ctx, q)
}

func (r *reference) dispatch(ctx context.Context, q *request) stdio.Reply {
	session := r.legacy
	if q.modern {
		session = &seat{id: "modern"}
	}
	return r.dispatcher.ask(ctx, q, r.server(), session)
}

func (r *reference) initialize(ctx context.Context, q *request) stdio.Reply {
	reply := r.dispatch(ctx, q)
	var agreed mcp.InitializeResult
	if reply.Fault == nil && !q.modern && json.Unmarshal(reply.Result, &agreed) == nil {
		h := r.face.introduce(agreed.ProtocolVersion, q.params.ClientInfo, q.params.Abilities)
		r.face.greeted.Store(&h)
	}
	return reply
}

// list takes no cursor, since none is ever handed out; mcp-go would take any
// base64 for one.
func (r *reference) list(ctx context.Context, q *request) stdio.Reply {
	reply := r.dispatch(ctx, q)
	if fault := q.noCursor(); fault != nil && !isAbsent(reply) {
		return stdio.Reply{Fault: fault}
	}
	return reply
}

func isAbsent(r stdio.Reply) bool { return r.Fault != nil && r.Fault.Code == stdio.CodeMethod }

// getPrompt says of a prompt that is off what its skill is refused with. Of one
// that is not there mcp-go says so twice.
func (r *reference) getPrompt(ctx context.Context, q *request) stdio.Reply {
	reply := r.dispatch(ctx, q)
	if reply.Fault == nil || !strings.HasPrefix(reply.Fault.Message, "prompt '") {
		return reply
	}
	name, _ := text(q.params.Name)
	if p, ok := r.face.surface().snap.Pack(name); ok && p.ID == name && p.SkillID != "" {
		if _, fault := r.face.skill(ctx, q, p.SkillID); fault != nil {
			return stdio.Reply{Fault: fault}
		}
	}
	return stdio.Reply{Fault: q.notFound(q.client.results.Calm(fmt.Sprintf("prompt '%s' not found", clip(name, 200))))}
}

// server is mcp-go's view of the face's current surface.
func (r *reference) server() *server.MCPServer {
	if s := r.face.surface(); r.shown != s {
		r.shown, r.made = s, r.build(s)
	}
	return r.made
}

func (r *reference) build(s *surface) *server.MCPServer {
	offers := r.face.client.Offers
	o := []server.ServerOption{
		server.WithTitle(serverTitle), server.WithInstructions(r.face.instructions(s)), server.WithCacheHints(ttlMs, cacheScope),
		server.WithToolCapabilities(true), server.WithLogging(), server.WithHooks(manifestOrder(s)),
	}
	if offers.Prompts {
		o = append(o, server.WithPromptCapabilities(true))
	}
	if offers.Resources {
		o = append(o, server.WithResourceCapabilities(false, true), server.WithCompletions(),
			server.WithResourceCompletionProvider(referenceCompleter{r.face}))
	}
	out := server.NewMCPServer(serverName, r.face.cfg.Version, o...)
	if offers.Prompts {
		for _, p := range s.packs {
			out.AddPrompt(mcp.Prompt{Name: p.ID, Title: p.Title, Description: p.Description}, r.prompt(p))
		}
	}
	if offers.Resources {
		r.addResources(out, s)
	}
	return out
}

var errBelow = errors.New("the request has its own fault")

func (r *reference) prompt(p capabilities.Pack) server.PromptHandlerFunc {
	return func(ctx context.Context, _ mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		below := servedOf(ctx)
		text, fault := r.face.skill(ctx, below.request, p.SkillID)
		if fault != nil {
			below.fault = fault
			return nil, errBelow
		}
		return &mcp.GetPromptResult{
			Description: p.Description,
			Messages:    []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}},
		}, nil
	}
}

func (r *reference) addResources(out *server.MCPServer, s *surface) {
	listed := map[string]bool{}
	for _, p := range s.packs {
		if listed[p.SkillID] {
			continue
		}
		listed[p.SkillID] = true
		out.AddResource(mcp.NewResource(scheme+skillHost+"/"+url.PathEscape(p.SkillID), p.SkillID, mcp.WithResourceTitle(p.Title),
			mcp.WithResourceDescription(p.Description), mcp.WithMIMEType(markdown)), nil)
	}
	if s.snap.Offers(capabilities.ToolPageGet) {
		out.AddResourceTemplate(mcp.NewResourceTemplate(pageTemplate, pageHost, mcp.WithTemplateTitle("MNote page"),
			mcp.WithTemplateDescription("A page of notes (笔记) as Markdown, by its documentId; #blockId for one block."),
			mcp.WithTemplateMIMEType(markdown)), nil)
	}
}

// manifestOrder puts what mcp-go lists by name into the manifest's order.
func manifestOrder(s *surface) *server.Hooks {
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

// referenceCompleter hands mcp-go what the face completes.
type referenceCompleter struct{ face *Face }

// CompleteResourceArgument implements server.ResourceCompletionProvider.
func (c referenceCompleter) CompleteResourceArgument(ctx context.Context, uri string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	if uri != pageTemplate || a.Name != "documentId" {
		return nil, nil // it gives an empty one
	}
	found := c.face.documents(ctx, servedOf(ctx).request, a.Value)
	return &found, nil
}
