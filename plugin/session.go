package plugin

import "encoding/json"

// Meta is what a face knows about one call besides name and arguments. The
// zero value is valid: the host makes what is missing.
type Meta struct {
	// SessionID, RunID and ToolCallID come from _meta keys mnote/sessionId,
	// mnote/runId, mnote/toolCallId or from the face's own protocol.
	SessionID, RunID, ToolCallID string
	// TraceParent is the W3C header value in the request's _meta.
	TraceParent string
	// DocumentID is the page in focus for this turn; "" leaves the session's.
	DocumentID string
	// Selection is the person's selection, raw JSON, or nil.
	Selection json.RawMessage
	// Confirm asks a person; nil means this call cannot ask.
	Confirm Confirmer
}
