package interop

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// growingKernel is a remote kernel whose manifest gains a pack with a tool that
// no one here has heard of.
type growingKernel struct {
	*httptest.Server
	grown atomic.Bool
}

// The tool that is gained, by its name on the wire.
const gained = "mnote_board_list_cards"

func newGrowingKernel(t *testing.T) *growingKernel {
	t.Helper()
	k := &growingKernel{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/hermes/tools/mnote/manifest", func(w http.ResponseWriter, r *http.Request) {
		etag := map[bool]string{false: `"small"`, true: `"grown"`}[k.grown.Load()]
		if w.Header().Set("ETag", etag); r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_ = json.NewEncoder(w).Encode(k.manifest())
	})
	mux.HandleFunc("POST /api/hermes/tools/mnote/call", func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ToolName, ToolCallID, TraceID, WorkspaceID string
			DocumentID                                 *string
			Args                                       map[string]any
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(object{
			"ok": true, "toolName": call.ToolName, "toolCallId": call.ToolCallID, "traceId": call.TraceID, "error": nil,
			"result": object{"cards": []string{"milk"}, "board": call.Args["board"]},
			"audit":  object{"effect": "read", "commandId": nil, "workspaceId": call.WorkspaceID, "documentId": call.DocumentID},
		})
	})
	k.Server = httptest.NewServer(mux)
	t.Cleanup(k.Close)
	return k
}

func (k *growingKernel) manifest() object {
	read := func(name, title, description, pack string, properties object) object {
		return object{
			"name": name, "title": title, "description": description, "kind": "read", "status": "available", "enabled": true,
			"capabilityId": pack, "capabilityScope": []string{"page.read"}, "inputSchema": object{"type": "object", "properties": properties},
		}
	}
	text := object{"type": "string"}
	packs := []object{{"id": "mnote-current-page", "title": "当前页读取", "skillId": "mnote-current-page", "toolNames": []string{"mnote.page.get"}}}
	tools := []object{read("mnote.page.get", "读取页面", "Read a page of the MNote notes.", "mnote-current-page", object{"documentId": text})}
	if k.grown.Load() {
		packs = append(packs, object{"id": "mnote-board", "title": "看板", "toolNames": []string{"mnote.board.list_cards"}})
		tools = append(tools, read("mnote.board.list_cards", "列出卡片", "List the cards of a kanban board in MNote.", "mnote-board", object{"board": text}))
	}
	return object{"ok": true, "runtime": "mnote", "manifestVersion": "grown", "capabilities": packs, "tools": tools}
}
