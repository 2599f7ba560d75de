package stdio

import "encoding/json"

// The codes of JSON-RPC 2.0.
const (
	CodeParse    = -32700
	CodeRequest  = -32600
	CodeMethod   = -32601
	CodeParams   = -32602
	CodeInternal = -32603
)

// Fault is a JSON-RPC error object: broken protocol, never a failed tool.
type Fault struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error gives the message, so that a peer's fault can be an error of Peer.Call.
func (f *Fault) Error() string { return f.Message }

// ParseFault says that a line is not JSON.
func ParseFault(detail string) *Fault {
	return &Fault{Code: CodeParse, Message: "Parse error: " + detail}
}

// RequestFault says that a line is JSON but no JSON-RPC request.
func RequestFault(detail string) *Fault {
	return &Fault{Code: CodeRequest, Message: "Invalid request: " + detail}
}

// MethodFault says that nobody serves the method.
func MethodFault(method string) *Fault {
	return &Fault{Code: CodeMethod, Message: "Method not found: " + clip(method)}
}

// ParamsFault says that the params do not fit the method.
func ParamsFault(detail string) *Fault {
	return &Fault{Code: CodeParams, Message: "Invalid params: " + detail}
}

// InternalFault says that we failed, and nothing about how: that is for the log.
func InternalFault() *Fault {
	return &Fault{Code: CodeInternal, Message: "Internal error"}
}

// maxQuoted bounds how much of a peer's own text goes back to it.
const maxQuoted = 200

// clip shortens a text of the peer's to what a message can carry.
func clip(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	cut := maxQuoted
	for cut > 0 && s[cut]&0xC0 == 0x80 { // not inside a code point
		cut--
	}
	return s[:cut] + "…"
}
