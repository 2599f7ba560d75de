package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// steady is a session that gives one envelope.
type steady struct {
	mute
	env tools.Envelope
}

func (s steady) Call(context.Context, string, json.RawMessage, plugin.Meta) tools.Envelope {
	return s.env
}

// BenchmarkHotPath is a tools/call by the face and by mcp-go's dispatcher, without
// peer and pipes.
func BenchmarkHotPath(b *testing.B) {
	params := json.RawMessage(`{"name":"mnote_page_get","arguments":{"documentId":"plan.md"}}`)
	env := enveloped(tools.EffectRead, `{"body":"`+strings.Repeat(`Some text of a note, 笔记里的一行。 \"quoted\"\n`, 40)+`"}`)
	f := New(Config{Session: steady{env: env}, Registry: capabilities.NewRegistry(capabilities.Config{})})
	b.Run("face", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			handler{f}.Request(b.Context(), stdio.Request{ID: json.RawMessage("1"), Method: "tools/call", Params: params})
		}
	})
	s := server.NewMCPServer("x", "1")
	s.AddTool(mcp.NewToolWithRawSchema("mnote_page_get", "d", json.RawMessage(`{"type":"object"}`)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text := env.JSON()
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(string(text))}, StructuredContent: json.RawMessage(text)}, nil
	})
	b.Run("mcp-go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			line := append(append([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`), params...), '}')
			if _, err := json.Marshal(s.HandleMessage(b.Context(), line)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
