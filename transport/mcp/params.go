package mcp

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"
)

// params holds what the face itself reads of any request's params, each member
// as it was sent, so that one reading serves every method and a member of another
// method's is nobody's fault.
type params struct {
	Meta           *words
	Cursor         json.RawMessage
	Name           json.RawMessage
	Arguments      json.RawMessage
	URI            json.RawMessage
	Notifications  json.RawMessage
	InputResponses json.RawMessage
	RequestState   json.RawMessage
	Version        json.RawMessage
	Abilities      json.RawMessage
	ClientInfo     json.RawMessage
}

// words are the members of _meta that the face knows.
type words struct {
	Version       json.RawMessage
	ClientInfo    json.RawMessage
	Abilities     json.RawMessage
	ProgressToken json.RawMessage
	TraceParent   json.RawMessage
	SessionID     json.RawMessage
	RunID         json.RawMessage
	ToolCallID    json.RawMessage
}

// read takes the members from params that are JSON; ok when they are an object or
// null, and so is their _meta. encoding/json would look at every byte three times,
// and take the two types apart before the first, a third of what initialize took.
func (p *params) read(raw json.RawMessage) (ok bool) {
	fits := true
	return members(gjson.ParseBytes(raw), func(key string, value gjson.Result) {
		if key == "_meta" {
			fits = p.readMeta(value)
		} else if field := p.field(key); field != nil {
			*field = json.RawMessage(value.Raw)
		}
	}) && fits
}

func (p *params) readMeta(meta gjson.Result) (ok bool) {
	if p.Meta = nil; meta.Type == gjson.Null {
		return true
	}
	p.Meta = &words{}
	return members(meta, func(key string, value gjson.Result) {
		if field := p.Meta.field(key); field != nil {
			*field = json.RawMessage(value.Raw)
		}
	})
}

// members gives each member of an object; ok when it is one, or null.
func members(object gjson.Result, each func(key string, value gjson.Result)) (ok bool) {
	if !object.IsObject() {
		return object.Type == gjson.Null
	}
	object.ForEach(func(key, value gjson.Result) bool {
		each(key.Str, value)
		return true
	})
	return true
}

func (p *params) field(key string) *json.RawMessage {
	switch key {
	case "cursor":
		return &p.Cursor
	case "name":
		return &p.Name
	case "arguments":
		return &p.Arguments
	case "uri":
		return &p.URI
	case "notifications":
		return &p.Notifications
	case "inputResponses":
		return &p.InputResponses
	case "requestState":
		return &p.RequestState
	case "protocolVersion":
		return &p.Version
	case "capabilities":
		return &p.Abilities
	case "clientInfo":
		return &p.ClientInfo
	}
	return nil
}

func (w *words) field(key string) *json.RawMessage {
	switch key {
	case mcp.MetaKeyProtocolVersion:
		return &w.Version
	case mcp.MetaKeyClientInfo:
		return &w.ClientInfo
	case mcp.MetaKeyClientCapabilities:
		return &w.Abilities
	case "progressToken":
		return &w.ProgressToken
	case "traceparent":
		return &w.TraceParent
	case "mnote/sessionId":
		return &w.SessionID
	case "mnote/runId":
		return &w.RunID
	case "mnote/toolCallId":
		return &w.ToolCallID
	}
	return nil
}
