package interop

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

// slowKernel is a kernel whose first call hangs until its caller leaves. It
// keeps the contract otherwise, and serves the tools that the host ships.
type slowKernel struct {
	*httptest.Server
	hanging chan struct{} // closed when the first call has come
	left    chan struct{} // closed when its caller has left
	served  chan string   // names of the tools called afterwards
}

func newSlowKernel(t *testing.T) *slowKernel {
	t.Helper()
	k := &slowKernel{hanging: make(chan struct{}), left: make(chan struct{}), served: make(chan string, 16)}
	first := true
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/hermes/tools/mnote/call", func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ToolName, ToolCallID, TraceID, WorkspaceID string
			DocumentID                                 *string
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if first {
			first = false
			close(k.hanging)
			<-r.Context().Done()
			close(k.left)
			return
		}
		k.served <- call.ToolName
		_ = json.NewEncoder(w).Encode(object{
			"ok": true, "toolName": call.ToolName, "toolCallId": call.ToolCallID, "traceId": call.TraceID,
			"result": object{"documentId": call.DocumentID, "title": "after the cancel"}, "error": nil,
			"audit": object{"effect": "read", "commandId": nil, "workspaceId": call.WorkspaceID, "documentId": call.DocumentID},
		})
	})
	k.Server = httptest.NewServer(mux)
	t.Cleanup(k.Close)
	return k
}
