package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// Codes of MCP's own that the face gives.
const (
	codeResourceNotFound = -32002 // legacy era only; the modern one says -32602
	codeMissingAbility   = -32021
	codeVersion          = -32022
)

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
	if r.Params != nil && !q.params.read(r.Params) {
		return nil, stdio.ParamsFault("params must be an object, and so must its _meta")
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
	if f.cfg.Client.Name == "" {
		if c, known := clients.Recognise(gjson.GetBytes(clientInfo, "name").Str); known {
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
	e := gjson.GetBytes(abilities, "elicitation")
	return e.IsObject() && (e.Get("form").Exists() || !e.Get("url").Exists())
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
	if bytes.IndexByte(raw, '\\') < 0 { // it is part of a line that was read
		return string(raw[1 : len(raw)-1]), true
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
