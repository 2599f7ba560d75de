package ledger

import (
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// Row is one call in the audit: who did what where, and what came of it; never
// a title, a text or an argument.
type Row struct {
	// Seq, Prev and Hash are the chain's; Record sets them.
	Seq        int64     `json:"seq"`
	Time       time.Time `json:"time"`
	Session    string    `json:"sessionId"`
	Run        string    `json:"runId"`
	ToolCallID string    `json:"toolCallId"`
	TraceID    string    `json:"traceId"`
	Actor      string    `json:"actorId"`
	Profile    string    `json:"profile"`
	Agent      string    `json:"agentId"`
	Kernel     string    `json:"kernel"`
	Workspace  string    `json:"workspaceId"`
	Document   string    `json:"documentId"`
	// Tool is the dotted name; for a call of no known tool, what was asked for.
	Tool   string        `json:"toolName"`
	Kind   tools.Kind    `json:"kind"`
	Scopes []tools.Scope `json:"capabilityScope"`
	DryRun bool          `json:"dryRun"`
	Effect tools.Effect  `json:"effect"`
	// Code is the error's, or "" for a success.
	Code      tools.Code          `json:"code,omitempty"`
	CommandID string              `json:"commandId,omitempty"`
	Changed   []tools.ChangedFile `json:"changedFiles,omitempty"`
	ArgsHash  string              `json:"argsHash"`
	// KeyHash is HashKey of the idempotency key.
	KeyHash  string        `json:"keyHash"`
	Duration time.Duration `json:"durationNs"`
	Replayed bool          `json:"replayed"`
	Prev     string        `json:"prev"`
	Hash     string        `json:"hash"`
}

// Filter narrows the rows; the zero Filter gives them all, oldest first.
type Filter struct {
	// Since and Until bound the time; zero is open.
	Since, Until               time.Time
	Session, Command, Document string
	Tool                       string
	// Newest gives the newest rows first.
	Newest bool
	// After continues behind the row with this Seq, in the order asked for.
	After int64
	// Limit ends after so many rows; 0 is no limit.
	Limit int
}
