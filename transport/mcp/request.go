package mcp

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// Codes of MCP's own that the face gives.
const (
	codeResourceNotFound = -32002 // legacy era only; the modern one says -32602
	codeMissingAbility   = -32021
	codeVersion          = -32022
)

// params holds what the face itself reads of any request's params, each member
// raw, so that one decode serves every method and a member of another method's
// is nobody's fault.
type params struct {
	Meta           *words          `json:"_meta"`
	Cursor         json.RawMessage `json:"cursor"`
	Name           json.RawMessage `json:"name"`
	Arguments      json.RawMessage `json:"arguments"`
	URI            json.RawMessage `json:"uri"`
	Notifications  json.RawMessage `json:"notifications"`
	InputResponses json.RawMessage `json:"inputResponses"`
	RequestState   json.RawMessage `json:"requestState"`
	Version        json.RawMessage `json:"protocolVersion"`
	Abilities      json.RawMessage `json:"capabilities"`
	ClientInfo     json.RawMessage `json:"clientInfo"`
}

// words are the members of _meta that the face knows.
type words struct {
	Version       json.RawMessage `json:"io.modelcontextprotocol/protocolVersion"`
	ClientInfo    json.RawMessage `json:"io.modelcontextprotocol/clientInfo"`
	Abilities     json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	ProgressToken json.RawMessage `json:"progressToken"`
	TraceParent   json.RawMessage `json:"traceparent"`
	SessionID     json.RawMessage `json:"mnote/sessionId"`
	RunID         json.RawMessage `json:"mnote/runId"`
	ToolCallID    json.RawMessage `json:"mnote/toolCallId"`
}

// request is one request of the client, read as far as the face needs it.
type request struct {
	stdio.Request
	params params
	// modern says which era the request belongs to; each decides for itself
	// (M20), and nothing of an earlier one counts in the modern era (M1).
	modern bool
	// client is what the client said of itself, for this request.
	client handshake
}

// handshake is what a client says of itself: once in the legacy era, with every
// request in the modern one.
type handshake struct {
	// version is the protocol's; "" before any initialize.
	version string
	// asks says that the client can put a question to a person.
	asks bool
	// results is how it wants results written.
	results clients.Results
}

// modernOnly are the methods that exist in the modern era alone, so that one
// without a version is a malformed modern request and no legacy one.
var modernOnly = []mcp.MCPMethod{mcp.MethodServerDiscover, mcp.MethodSubscriptionsListen}

// read decodes a request's params and finds its era.
func (f *Face) read(r stdio.Request) (*request, *stdio.Fault) {
	q := &request{Request: r, client: *f.greeted.Load()}
	if r.Params != nil {
		if err := json.Unmarshal(r.Params, &q.params); err != nil {
			return nil, stdio.ParamsFault("params must be an object, and so must its _meta")
		}
	}
	w := q.params.Meta
	if w == nil || w.Version == nil {
		if slices.Contains(modernOnly, mcp.MCPMethod(r.Method)) {
			return nil, stdio.ParamsFault("_meta lacks " + mcp.MetaKeyProtocolVersion)
		}
		return q, nil
	}
	return q, f.readModern(q, w)
}

// readModern takes from _meta what a modern request must say of its client.
func (f *Face) readModern(q *request, w *words) *stdio.Fault {
	version, ok := text(w.Version)
	switch {
	case !ok:
		return stdio.ParamsFault("_meta " + mcp.MetaKeyProtocolVersion + " must be a string")
	case !mcp.IsValidProtocolVersion(version):
		return versionFault(version)
	case !mcp.IsModernProtocol(version):
		return nil // a legacy client that says its version twice
	case !isObject(w.Abilities):
		return stdio.ParamsFault("_meta " + mcp.MetaKeyClientCapabilities + " must be an object")
	}
	q.modern = true
	q.client = f.introduce(version, w.ClientInfo, w.Abilities)
	return nil
}

// introduce reads what a client says of itself. Its name may change how results
// are written and nothing else (M19), and only where none was named at launch.
func (f *Face) introduce(version string, clientInfo, abilities json.RawMessage) handshake {
	h := handshake{version: version, results: f.client.Results, asks: asks(abilities)}
	var who struct {
		Name string `json:"name"`
	}
	if f.cfg.Client.Name == "" && json.Unmarshal(clientInfo, &who) == nil {
		if c, known := clients.Recognise(who.Name); known {
			h.results = c.Results
		}
	}
	if version < mcp.ProtocolVersion20250618 {
		h.results.Structured = false // there was no structuredContent before
	}
	return h
}

// asks reports whether a client's abilities hold a form to ask a person with:
// elicitation with form, or with nothing, which means form.
func asks(abilities json.RawMessage) bool {
	var has struct {
		Elicitation *struct {
			Form json.RawMessage `json:"form"`
			URL  json.RawMessage `json:"url"`
		} `json:"elicitation"`
	}
	if json.Unmarshal(abilities, &has) != nil || has.Elicitation == nil {
		return false
	}
	return has.Elicitation.Form != nil || has.Elicitation.URL == nil
}

func versionFault(requested string) *stdio.Fault {
	data, _ := json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: mcp.ValidProtocolVersions, Requested: requested})
	return &stdio.Fault{Code: codeVersion, Message: "Unsupported protocol version", Data: data}
}

// noCursor faults any cursor: every list is one page, so none was ever handed
// out (L14).
func (q *request) noCursor() *stdio.Fault {
	if c, ok := text(q.params.Cursor); q.params.Cursor == nil || ok && c == "" {
		return nil
	}
	return stdio.ParamsFault("unknown cursor: every list here is one page")
}

// text reads a JSON string; anything else is not ok.
func text(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", false
	}
	return s, true
}

// word reads an optional string of _meta; what is none is left out, since a
// careless key there is no reason to fail a call.
func word(raw json.RawMessage) string {
	s, _ := text(raw)
	return s
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

// given reports whether a member was sent: null is what was left out.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// describe names a request for the log, without its params.
func (q *request) describe() string { return fmt.Sprintf("%s %s", q.Method, clip(string(q.ID), 64)) }
