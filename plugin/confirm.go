package plugin

import (
	"context"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/tools"
)

// Answer is what came of asking a person.
type Answer int

// The answers of a Confirmer.
const (
	// CannotAsk: the client has no way to ask.
	CannotAsk Answer = iota
	Yes
	No
	// Unanswered: the question was put and nobody chose, or not within 120 s.
	Unanswered
	// Asked: the question went out as the end of this call; the face will call
	// again with the person's answer (MCP 2026-07-28 input_required).
	Asked
)

// ConfirmMode says which writes a person must agree to first.
type ConfirmMode string

// The modes of --confirm. A tool's confirmWhen asks in every mode; a dry run is
// never asked about.
const (
	// ConfirmNever asks for no write: the default of the owner's own session.
	ConfirmNever ConfirmMode = "never"
	// ConfirmDestructive asks for writes that may lose or overwrite something.
	ConfirmDestructive ConfirmMode = "destructive"
	// ConfirmOutside asks for every write that is not on the page in focus.
	ConfirmOutside ConfirmMode = "outside"
	// ConfirmWrites asks for every write: the default of a shared session.
	ConfirmWrites ConfirmMode = "writes"
)

// Question is what a person is asked before a write. Only the action of the
// answer counts; there are no fields to fill in.
type Question struct {
	SessionID  string
	Tool       tools.Tool
	DocumentID string
	// Title is the document's title or id, for people.
	Title string
	// ArgsHash is the hash of the canonical arguments, so that an answer can be
	// bound to exactly this call.
	ArgsHash string
	// Revision is the arguments' expectedRevision, or 0.
	Revision int64
	// Args are the arguments as they would be forwarded.
	Args json.RawMessage
	// Shown stands for what the write would do, as a dry run says: an answer to
	// the same question with another Shown is none.
	Shown string
	// Text is the question, in the session's language: tool, page, and the change.
	Text string
}

// Confirmer asks a person, by whatever means its face has.
type Confirmer interface {
	Confirm(ctx context.Context, q Question) Answer
}

// Speaker is a Confirmer that says how its person speaks: terminal, console,
// permission. One that does not asks in the agent's client.
type Speaker interface {
	By() string
}

// bySpeaker is how the person of a Confirmer speaks.
func bySpeaker(c Confirmer) string {
	if s, ok := c.(Speaker); ok {
		return s.By()
	}
	return "client"
}
