package plugin

import (
	"context"
	"io"
	"iter"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// What people see of the ledger.
type (
	// AuditRow is one call: who did what where, and what came of it.
	AuditRow = ledger.Row
	// AuditFilter narrows the rows; its zero value gives them all.
	AuditFilter = ledger.Filter
	// AuditChain is what Verify found.
	AuditChain = ledger.Chain
	// AuditBreak is the first row that is not as it was written.
	AuditBreak = ledger.Break
	// Plan is a write that waits for a person's yes, or had an answer.
	Plan = ledger.Approval
	// PlanFilter narrows the plans; its zero value gives all that wait.
	PlanFilter = ledger.ApprovalFilter
	// PlanDecision is what a person said to a plan.
	PlanDecision = ledger.Decision
)

// The decisions of a Plan.
const (
	PlanWaiting  = ledger.Undecided
	PlanApproved = ledger.Approved
	PlanDeclined = ledger.Declined
)

// AuditLost is the Start of a chain whose older rows were lost with their file.
const AuditLost = ledger.StartLost

// AuditUnmarked is the Kind of a break where audit.head is missing: whether the
// newest rows were cut off cannot be told.
const AuditUnmarked = ledger.Unmarked

// Audit gives the calls that were recorded, by this process and every other one
// that shares the state folder. An error ends them.
func (h *Host) Audit(ctx context.Context, f AuditFilter) iter.Seq2[AuditRow, error] {
	return h.ledger.Rows(ctx, f)
}

// Verify walks the audit's whole chain of hashes. The error is for a file that
// cannot be read; a broken chain is an AuditChain that says where.
func (h *Host) Verify(ctx context.Context) (AuditChain, error) { return h.ledger.Verify(ctx) }

// KeyHash is an idempotency key as an AuditRow tells it.
func KeyHash(k tools.Key) string { return ledger.HashKey(k) }

// Export writes the rows as JSON lines.
func (h *Host) Export(ctx context.Context, w io.Writer, f AuditFilter) error {
	return h.ledger.Export(ctx, w, f)
}

// Plans lists the writes that wait for a person, of this process and every other
// one that shares the state folder, the oldest first and without what they would
// do: Plan gives that.
func (h *Host) Plans(ctx context.Context, f PlanFilter) ([]Plan, error) {
	return h.ledger.Approvals(ctx, f)
}

// Plan gives one plan with what it would do. An unknown one is
// mnote_tool_conflict.
func (h *Host) Plan(ctx context.Context, id string) (Plan, error) { return h.ledger.Approval(ctx, id) }

// Approve is a person's yes to the plan: the write it was made for passes once,
// if it comes in time. by says how the person spoke: terminal, console. A plan
// that is unknown, expired or used is mnote_tool_conflict.
func (h *Host) Approve(ctx context.Context, id, by string) (Plan, error) {
	return h.ledger.Decide(ctx, id, ledger.Approved, by)
}

// Decline is a person's no: the write is refused until the plan expires. Both
// answers can be changed until the write has happened.
func (h *Host) Decline(ctx context.Context, id, by string) (Plan, error) {
	return h.ledger.Decide(ctx, id, ledger.Declined, by)
}
