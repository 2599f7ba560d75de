package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// fake is a session of functions; one that is nil does the least.
type fake struct {
	call      func(ctx context.Context, name string, raw json.RawMessage, meta plugin.Meta) tools.Envelope
	delivered func(toolCallID string)
	known     []string
	readOnly  bool
}

func (f fake) Call(ctx context.Context, name string, raw json.RawMessage, meta plugin.Meta) tools.Envelope {
	return f.call(ctx, name, raw, meta)
}

func (f fake) Delivered(id string) {
	if f.delivered != nil {
		f.delivered(id)
	}
}

func (f fake) Lang() tools.Lang         { return tools.EN }
func (f fake) ReadOnly() bool           { return f.readOnly }
func (f fake) KnownDocuments() []string { return f.known }

// says makes a session that answers every call with the result.
func says(result string) fake {
	return fake{call: func(_ context.Context, name string, _ json.RawMessage, meta plugin.Meta) tools.Envelope {
		id := meta.ToolCallID
		if id == "" {
			id = "call_1"
		}
		return tools.Envelope{
			OK: true, ToolName: tools.Name(name), ToolCallID: id, TraceID: "trace_1", Result: json.RawMessage(result),
			Audit: tools.Audit{Effect: tools.EffectRead, WorkspaceID: "ws_1"},
		}
	}}
}

// still is a registry that serves one manifest.
func still(t testing.TB, doc string) *capabilities.Registry {
	t.Helper()
	return capabilities.NewRegistry(capabilities.Config{First: manifest(t, doc)})
}

// probe connects a probe to a face over pipes; both end with the test.
func probe(t *testing.T, cfg mcp.Config, as mcp.ProbeConfig) *mcp.Probe {
	t.Helper()
	in, clientOut := io.Pipe()
	clientIn, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.New(cfg).Run(context.Background(), in, out)
		out.Close()
	}()
	p, err := mcp.ConnectProbe(t.Context(), clientIn, clientOut, as)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return p
}
