// Command mcpgo is the same server on mcp-go's own ServeStdio.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}

func main() {
	s := server.NewMCPServer("mcpgo", "1", server.WithToolCapabilities(true))
	schema := json.RawMessage(`{"type":"object","properties":{"documentId":{"type":"string","description":"` + strings.Repeat("d", 200) + `"}}}`)
	for i := range 25 {
		name := fmt.Sprintf("page_get_%d", i)
		switch i {
		case 0:
			name = "page_get"
		case 1:
			name = "page_save"
		}
		s.AddTool(mcp.NewToolWithRawSchema(name, strings.Repeat("d", 100), schema), call)
	}
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func call(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	body, _ := json.Marshal(map[string]any{"toolName": r.Params.Name, "documentId": r.GetString("documentId", ""), "workspaceId": "ws_1"})
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Args[1]+"/api/hermes/tools/mnote/call", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := client.Do(q)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	envelope, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultStructured(json.RawMessage(envelope), string(envelope)), nil
}
