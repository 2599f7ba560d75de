package mcp

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// FuzzParams: the members are those that encoding/json finds, to the byte, under
// names that are compared exactly.
func FuzzParams(f *testing.F) {
	for _, variants := range requests {
		for i, members := range variants {
			f.Add([]byte("{" + string(bytes.Trim([]byte(members+","+metas[i%len(metas)]), ",")) + "}"))
		}
	}
	for _, whole := range append(wholes, ` { "name" : [ 1 , {} ] , "n\u0061me" : "\u0000" , "Name" : 1 } `, `{"_meta":1,"_meta":{}}`, `{"_meta":{"traceparent":1},"_meta":{}}`) {
		f.Add([]byte(whole))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return // the peer lets none through
		}
		var p params
		ok := p.read(raw)
		var all, meta map[string]json.RawMessage
		fits := json.Unmarshal(raw, &all) == nil && (all["_meta"] == nil || json.Unmarshal(all["_meta"], &meta) == nil)
		if ok != fits || ok && (p.Meta == nil) != (meta == nil) {
			t.Fatalf("%s: %t, _meta %v", raw, ok, p.Meta)
		}
		if !ok {
			return
		}
		same(t, all, map[string]json.RawMessage{
			"cursor": p.Cursor, "name": p.Name, "arguments": p.Arguments, "uri": p.URI, "notifications": p.Notifications,
			"inputResponses": p.InputResponses, "requestState": p.RequestState, "protocolVersion": p.Version,
			"capabilities": p.Abilities, "clientInfo": p.ClientInfo,
		})
		if w := p.Meta; w != nil {
			same(t, meta, map[string]json.RawMessage{
				mcp.MetaKeyProtocolVersion: w.Version, mcp.MetaKeyClientInfo: w.ClientInfo, mcp.MetaKeyClientCapabilities: w.Abilities,
				"progressToken": w.ProgressToken, "traceparent": w.TraceParent, "mnote/sessionId": w.SessionID,
				"mnote/runId": w.RunID, "mnote/toolCallId": w.ToolCallID,
			})
		}
	})
}

func same(t *testing.T, sent, read map[string]json.RawMessage) {
	t.Helper()
	for name, got := range read {
		if !bytes.Equal(got, sent[name]) {
			t.Errorf("%s is %s, sent was %s", name, got, sent[name])
		}
	}
}
