package interop

import (
	"context"
	"errors"
	"os/exec"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// mcpGo is the library whose dispatcher we use, as a client.
type mcpGo struct {
	client  *client.Client
	changes atomic.Int64
	beat    atomic.Pointer[func()]
}

// does answers a question as it is told to.
type does struct{ action string }

// Elicit implements client.ElicitationHandler.
func (d does) Elicit(ctx context.Context, _ mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	if d.action == "silent" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseAction(d.action)}}, nil
}

func openMCPGo(s setup, env []string) (library, error) {
	m := &mcpGo{}
	var options []client.ClientOption
	if s.Elicit != "none" {
		options = append(options, client.WithElicitationHandler(does{s.Elicit}))
	}
	if s.Era == "legacy" {
		options = append(options, client.WithLegacyProtocolOnly())
	}
	command := func(ctx context.Context, name string, _, args []string) (*exec.Cmd, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env = env
		return cmd, nil
	}
	m.client = client.NewClient(transport.NewStdioWithOptions(s.Command, env, s.Args, transport.WithCommandFunc(command)), options...)
	ctx := context.Background()
	m.client.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case mcp.MethodNotificationToolsListChanged:
			m.changes.Add(1)
		case string(mcp.MethodNotificationProgress):
			if beat := m.beat.Load(); beat != nil {
				(*beat)()
			}
		}
	})
	if err := m.client.Start(ctx); err != nil {
		return nil, err
	}
	var init mcp.InitializeRequest
	init.Params.ClientInfo = mcp.Implementation{Name: "interop-mcp-go", Version: "1"}
	init.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	r, err := m.client.Initialize(ctx, init)
	if err != nil {
		return nil, err
	}
	if modern := r.ProtocolVersion >= modernVersion; modern != (s.Era == "modern") {
		return nil, errors.New("the client speaks " + r.ProtocolVersion)
	}
	if s.Era == "modern" {
		_, err = m.client.ListenAsync(ctx, mcp.SubscriptionFilter{ToolsListChanged: true}, nil)
	}
	return m, err
}

func (m *mcpGo) list(ctx context.Context, what, cursor string) ([]string, error) {
	page := mcp.PaginatedParams{Cursor: mcp.Cursor(cursor)}
	switch what {
	case "resources":
		var r mcp.ListResourcesRequest
		r.Params = page
		got, err := m.client.ListResources(ctx, r)
		if err != nil {
			return nil, err
		}
		return names(got.Resources, func(x mcp.Resource) string { return x.URI }), nil
	case "templates":
		var r mcp.ListResourceTemplatesRequest
		r.Params = page
		got, err := m.client.ListResourceTemplates(ctx, r)
		if err != nil {
			return nil, err
		}
		return names(got.ResourceTemplates, func(x mcp.ResourceTemplate) string { return x.URITemplate.Raw() }), nil
	case "prompts":
		var r mcp.ListPromptsRequest
		r.Params = page
		got, err := m.client.ListPrompts(ctx, r)
		if err != nil {
			return nil, err
		}
		return names(got.Prompts, func(x mcp.Prompt) string { return x.Name }), nil
	}
	var r mcp.ListToolsRequest
	r.Params = page
	got, err := m.client.ListTools(ctx, r)
	if err != nil {
		return nil, err
	}
	return names(got.Tools, func(x mcp.Tool) string { return x.Name }), nil
}

func (m *mcpGo) call(ctx context.Context, name string, args map[string]any, beat func()) (string, bool, error) {
	m.beat.Store(&beat)
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = name, args
	r.Params.Meta = &mcp.Meta{ProgressToken: "interop"}
	got, err := m.client.CallTool(ctx, r)
	if err != nil {
		return "", false, err
	}
	text, _ := got.Content[0].(mcp.TextContent)
	return text.Text, got.IsError, nil
}

func (m *mcpGo) read(ctx context.Context, uri string) (string, error) {
	var r mcp.ReadResourceRequest
	r.Params.URI = uri
	got, err := m.client.ReadResource(ctx, r)
	if err != nil {
		return "", err
	}
	text, _ := got.Contents[0].(mcp.TextResourceContents)
	return text.Text, nil
}

func (m *mcpGo) prompt(ctx context.Context, name string) (string, error) {
	var r mcp.GetPromptRequest
	r.Params.Name = name
	got, err := m.client.GetPrompt(ctx, r)
	if err != nil {
		return "", err
	}
	text, _ := got.Messages[0].Content.(mcp.TextContent)
	return text.Text, nil
}

func (m *mcpGo) complete(ctx context.Context, uri, argument, value string) ([]string, error) {
	var r mcp.CompleteRequest
	r.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: uri}
	r.Params.Argument.Name, r.Params.Argument.Value = argument, value
	got, err := m.client.Complete(ctx, r)
	if err != nil {
		return nil, err
	}
	return got.Completion.Values, nil
}

func (m *mcpGo) heard() []string {
	if m.changes.Load() == 0 {
		return []string{}
	}
	return []string{"tools"}
}

func (m *mcpGo) close() error { return m.client.Close() }
