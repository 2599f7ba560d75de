package interop

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// goSDK is the official Go library.
type goSDK struct {
	session *mcp.ClientSession
	changes atomic.Int64
	beat    atomic.Pointer[func()]
}

func openGoSDK(s setup, env []string) (library, error) {
	g := &goSDK{}
	options := &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { g.changes.Add(1) },
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			if beat := g.beat.Load(); beat != nil {
				(*beat)()
			}
		},
	}
	if s.Elicit != "none" {
		options.ElicitationHandler = func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if s.Elicit == "silent" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return &mcp.ElicitResult{Action: s.Elicit}, nil
		}
	}
	version := "2025-11-25"
	if s.Era == "modern" {
		version = modernVersion
	}
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Env, cmd.Stderr = env, os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "interop-go", Version: "1"}, options)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	g.session = session
	if err == nil && session.InitializeResult().ProtocolVersion != version {
		err = errors.New("the session speaks " + session.InitializeResult().ProtocolVersion)
	}
	return g, err
}

func (g *goSDK) list(ctx context.Context, what, cursor string) ([]string, error) {
	switch what {
	case "resources":
		r, err := g.session.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		return names(r.Resources, func(x *mcp.Resource) string { return x.URI }), nil
	case "templates":
		r, err := g.session.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		return names(r.ResourceTemplates, func(x *mcp.ResourceTemplate) string { return x.URITemplate }), nil
	case "prompts":
		r, err := g.session.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		return names(r.Prompts, func(x *mcp.Prompt) string { return x.Name }), nil
	}
	r, err := g.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
	if err != nil {
		return nil, err
	}
	return names(r.Tools, func(x *mcp.Tool) string { return x.Name }), nil
}

func (g *goSDK) call(ctx context.Context, name string, args map[string]any, beat func()) (string, bool, error) {
	g.beat.Store(&beat)
	params := &mcp.CallToolParams{Name: name, Arguments: args}
	params.SetProgressToken("interop")
	r, err := g.session.CallTool(ctx, params)
	if err != nil {
		return "", false, err
	}
	text, _ := r.Content[0].(*mcp.TextContent)
	return text.Text, r.IsError, nil
}

func (g *goSDK) read(ctx context.Context, uri string) (string, error) {
	r, err := g.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	return r.Contents[0].Text, nil
}

func (g *goSDK) prompt(ctx context.Context, name string) (string, error) {
	r, err := g.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name})
	if err != nil {
		return "", err
	}
	text, _ := r.Messages[0].Content.(*mcp.TextContent)
	return text.Text, nil
}

func (g *goSDK) complete(ctx context.Context, uri, argument, value string) ([]string, error) {
	r, err := g.session.Complete(ctx, &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/resource", URI: uri}, Argument: mcp.CompleteParamsArgument{Name: argument, Value: value},
	})
	if err != nil {
		return nil, err
	}
	return r.Completion.Values, nil
}

func (g *goSDK) heard() []string {
	if g.changes.Load() == 0 {
		return []string{}
	}
	return []string{"tools"}
}

func (g *goSDK) close() error { return g.session.Close() }
