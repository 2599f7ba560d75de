package ledger

import (
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// Key says which write it is: the same Key is the same write, whoever sends it.
type Key struct {
	Kernel, Workspace, Actor, Profile string

	Tool tools.Name
	Key  tools.Key
}

// Write is a write about to be forwarded.
type Write struct {
	Key Key
	// BodyHash is the hash of the canonical document and arguments, without
	// dryRun, planId and idempotencyKey.
	BodyHash            string
	Session, ToolCallID string
	// Document is the document's id, or "".
	Document string
	// Deadline is when the call gives up: waiting for the key ends then, and
	// the lease 5 s later. It must be set.
	Deadline time.Time
	// ApprovalID and PlanID name a person's yes and a plan of the host's that
	// are spent with the claim; "" is none.
	ApprovalID, PlanID string
}
