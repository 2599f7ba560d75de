package tools

import "encoding/json"

// Key is an idempotency key: the same key with the same content is the same
// write, and happens once.
type Key string

// Ref is something a person attached to the conversation.
type Ref struct {
	// Kind is page, folder, file, mindmap or office.
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// Call is the request to run one tool (seed 7-6 §2, kernel-api "Call"). Every
// field of 7-6 goes out, empty or not; only DocumentID may be null.
type Call struct {
	ToolName       Name            `json:"toolName"`
	WorkspaceID    string          `json:"workspaceId"`
	DocumentID     *string         `json:"documentId"`
	ActorID        string          `json:"actorId"`
	SessionID      string          `json:"sessionId"`
	RunID          string          `json:"runId"`
	ToolCallID     string          `json:"toolCallId"`
	TraceID        string          `json:"traceId"`
	IdempotencyKey Key             `json:"idempotencyKey"`
	DryRun         bool            `json:"dryRun"`
	Scopes         []Scope         `json:"capabilityScope"`
	Args           json.RawMessage `json:"args"`
	Profile        string          `json:"profile"`
	AgentID        string          `json:"agentId"`
	Grant          *Grant          `json:"accessScope,omitempty"`
	Refs           []Ref           `json:"contextRefs,omitempty"`
	Selection      json.RawMessage `json:"selection,omitempty"`
	ObjectIdentity string          `json:"objectIdentity,omitempty"`
	// PendingFocus is the page that the next turn will be about as things stand,
	// the person having moved on; "" where it is this turn's too.
	PendingFocus string `json:"pendingFocus,omitempty"`
	// WholeDiff asks a dry run for all of its diff, as the result's wholeDiff, where
	// unifiedDiff is cut: a person is to judge it. Only the host asks so; a kernel
	// may know nothing of it.
	WholeDiff bool `json:"wholeDiff,omitempty"`

	// Kind is the tool's, for whoever carries the call; "" where it is not known.
	Kind Kind `json:"-"`
	// TraceParent is the W3C header that travels with the call.
	TraceParent string `json:"-"`
	// Lang is the language wanted of messages (Accept-Language).
	Lang Lang `json:"-"`
}

// JSON gives the call as it goes out, on one line: every field of seed 7-6, empty
// or not.
func (c Call) JSON() ([]byte, error) {
	w := writer{out: make([]byte, 0, 640+len(c.Args))}
	w.call(c)
	return w.out, w.err
}

// Document gives the document's id, or "" where the call has none.
func (c Call) Document() string {
	if c.DocumentID == nil {
		return ""
	}
	return *c.DocumentID
}
