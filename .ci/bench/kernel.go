package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// page is what a read gives: about 2 KB, or 1 MB for the page called big.
func page(id string) string {
	n := 2000
	if id == "big" {
		n = 1 << 20
	}
	return strings.Repeat("a line of a note, with \"quotes\"\n", n/31)
}

// newKernel serves reads and writes of pages by kernel-api; it has no manifest, so that the
// host stays with the one that it ships.
func newKernel() *httptest.Server {
	bodies := map[string]json.RawMessage{}
	for _, id := range []string{"small", "big"} {
		body, _ := json.Marshal(page(id))
		bodies[id] = body
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/hermes/tools/mnote/call", func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ToolName, ToolCallID, TraceID, WorkspaceID, DocumentID string
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		effect, command := "read", "null"
		if strings.Contains(call.ToolName, "save") {
			effect, command = "write", strconv.Quote("cmd_"+call.ToolCallID)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"ok":true,"toolName":%q,"toolCallId":%q,"traceId":%q,"result":{"documentId":%q,"title":"A","revision":1,"body":%s},`+
			`"audit":{"effect":%q,"commandId":%s,"workspaceId":%q,"documentId":%q},"error":null}`,
			call.ToolName, call.ToolCallID, call.TraceID, call.DocumentID, bodies[call.DocumentID], effect, command, call.WorkspaceID, call.DocumentID)
	})
	return httptest.NewServer(mux)
}
