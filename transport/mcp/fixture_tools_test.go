package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// schemaTool is the suite's tool whose schema uses all of 2020-12.
const schemaTool = "json_schema_2020_12_tool"

func (x *fixtures) newServer() *server.MCPServer {
	s := server.NewMCPServer("fixtures", "1", server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true), server.WithCompletions(), server.WithLogging(), server.WithElicitation(),
		server.WithCacheHints(ttlMs, cacheScope))
	s.EnableSampling()
	s.AddTools(contentTools()...)
	s.AddTools(x.askingTools()...)
	s.AddTools(x.movingTools()...)
	s.AddTools(x.inputTools()...)
	addFixtureResources(s)
	addFixturePrompts(s)
	return s
}

func fixtureTool(name string, h server.ToolHandlerFunc, options ...mcp.ToolOption) server.ServerTool {
	return server.ServerTool{Tool: mcp.NewTool(name, append(options, mcp.WithDescription("A fixture of the conformance suite."))...), Handler: h}
}

// gives is a tool that always answers with the same content.
func gives(name string, content ...mcp.Content) server.ServerTool {
	return fixtureTool(name, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	})
}

func embedded(uri, kind, text string) mcp.Content {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: kind, Text: text})
}

// contentTools answer with each kind of content.
func contentTools() []server.ServerTool {
	image := mcp.NewImageContent(pixel(), "image/png")
	schema := json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
		"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`)
	said := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("taken"), nil
	}
	return []server.ServerTool{
		gives("test_simple_text", mcp.NewTextContent("This is a simple text response for testing.")),
		gives("test_image_content", image),
		gives("test_audio_content", mcp.NewAudioContent(silence, "audio/wav")),
		gives("test_embedded_resource", embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
		gives("test_multiple_content_types", mcp.NewTextContent("Multiple content types test:"), image,
			embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		gives("test_missing_capability", mcp.NewTextContent("the client can sample")),
		fixtureTool("test_error_handling", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
		}),
		{Tool: mcp.NewToolWithRawSchema(schemaTool, "Tool with JSON Schema 2020-12 features", schema), Handler: said},
	}
}

// movingTools tell of something while they run, or change the lists.
func (x *fixtures) movingTools() []server.ServerTool {
	trigger := func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := x.change(ctx); err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText("changed"), nil
	}
	return []server.ServerTool{
		fixtureTool("test_trigger_tool_change", trigger),
		fixtureTool("test_trigger_prompt_change", trigger),
		fixtureTool("test_tool_with_logging", x.logs),
		fixtureTool("test_logging_tool", x.logs),
		fixtureTool("test_tool_with_progress", x.progresses),
	}
}

// pause is the time that the suite wants between two notifications of a call.
const pause = 50 * time.Millisecond

// logs sends three log messages: to a legacy client, and to a modern one that
// asked for them with its request (M15).
func (x *fixtures) logs(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	wanted := !servedOf(ctx).modern || r.Params.Meta != nil && r.Params.Meta.AdditionalFields[mcp.MetaKeyLogLevel] != nil
	for i, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			time.Sleep(pause)
		}
		if wanted {
			_ = x.face.face.peer.Notify(ctx, "notifications/message", map[string]any{"level": "info", "logger": "fixtures", "data": message})
		}
	}
	return mcp.NewToolResultText("Tool with logging executed successfully"), nil
}

func (x *fixtures) progresses(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := servedOf(ctx).progressToken()
	for i := range 3 {
		if i > 0 {
			time.Sleep(pause)
		}
		if token != nil {
			_ = x.face.face.peer.Notify(ctx, string(mcp.MethodNotificationProgress), map[string]any{"progressToken": token, "progress": 50 * i, "total": 100})
		}
	}
	return mcp.NewToolResultText("progress reported"), nil
}

// askingTools ask a legacy client by requests of the server's own.
func (x *fixtures) askingTools() []server.ServerTool {
	elicit := func(say func(mcp.CallToolRequest) string, schema, told string) server.ToolHandlerFunc {
		return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, err := x.server.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
				Message: say(r), RequestedSchema: json.RawMessage(schema),
			}})
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			content, _ := json.Marshal(answer.Content)
			return mcp.NewToolResultText(fmt.Sprintf("%s: action=%s, content=%s", told, answer.Action, content)), nil
		}
	}
	fixed := func(s string) func(mcp.CallToolRequest) string { return func(mcp.CallToolRequest) string { return s } }
	given := func(r mcp.CallToolRequest) string { return r.GetString("message", "") }
	return []server.ServerTool{
		fixtureTool("test_sampling", x.samples, mcp.WithString("prompt", mcp.Required())),
		fixtureTool("test_elicitation", elicit(given, userForm, "User response"), mcp.WithString("message", mcp.Required())),
		fixtureTool("test_elicitation_sep1034_defaults", elicit(fixed("Fill in"), defaultsForm, "Elicitation completed")),
		fixtureTool("test_elicitation_sep1330_enums", elicit(fixed("Choose"), enumsForm, "Elicitation completed")),
	}
}

func (x *fixtures) samples(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	//lint:ignore SA1019 the older revision has it, and so the suite
	answer, err := x.server.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: mcp.CreateMessageParams{
		Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(r.GetString("prompt", ""))}}, MaxTokens: 100,
	}})
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	content, _ := answer.Content.(mcp.TextContent)
	return mcp.NewToolResultText("LLM response: " + content.Text), nil
}

// The forms of the suite's elicitations.
const (
	userForm = `{"type":"object","properties":{"username":{"type":"string","description":"User's response"},
		"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`
	defaultsForm = `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
		"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","default":true}},"required":[]}`
	enumsForm = `{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},
		"required":[]}`
)
