package plugin

import (
	"context"
	"io"
	"iter"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
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
)

// Audit gives the calls that were recorded, by this process and every other one
// that shares the state folder. An error ends them.
func (h *Host) Audit(ctx context.Context, f AuditFilter) iter.Seq2[AuditRow, error] {
	return h.ledger.Rows(ctx, f)
}

// Verify walks the audit's whole chain of hashes. The error is for a file that
// cannot be read; a broken chain is an AuditChain that says where.
func (h *Host) Verify(ctx context.Context) (AuditChain, error) { return h.ledger.Verify(ctx) }

// Export writes the rows as JSON lines.
func (h *Host) Export(ctx context.Context, w io.Writer, f AuditFilter) error {
	return h.ledger.Export(ctx, w, f)
}
