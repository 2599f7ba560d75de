package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"
)

// PlanTime is how long a plan, and a person's yes to it, can be used.
const PlanTime = 24 * time.Hour

// Plan is a dry run that the host remembers, for a kernel that does not: the
// write it was made for may name it, once.
type Plan struct {
	ID string
	// Write is the write that the dry run stood for; its key does not matter.
	Write Write
	// Revision is the document's when the plan was made; the write is to expect
	// it.
	Revision int64
	// Made and Expires are set when the plan is kept.
	Made, Expires time.Time
}

// KeepPlan remembers a plan for PlanTime.
func (l *Ledger) KeepPlan(ctx context.Context, p Plan) error {
	if l.file == nil {
		return errNoState()
	}
	now := l.now()
	w := p.Write
	return l.file.Normal(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO plan (id, twin, tool, session, document, revision, made, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			p.ID, w.twin(), string(w.Key.Tool), w.Session, w.Document, p.Revision, now.UnixMicro(), now.Add(PlanTime).UnixMicro())
		return err
	})
}

// CheckPlan gives the plan that w names in PlanID, if w may use it: else it is
// mnote_tool_conflict with the reason unknown, altered (it was made for another
// write), expired or used. Claim spends it.
func (l *Ledger) CheckPlan(ctx context.Context, w Write) (p Plan, err error) {
	if l.file == nil {
		return Plan{}, errNoState()
	}
	err = l.file.View(ctx, func(tx *sql.Tx) error {
		p, err = l.usablePlan(tx, w)
		return err
	})
	return p, err
}

func (l *Ledger) usablePlan(tx *sql.Tx, w Write) (Plan, error) {
	var twin, spentBy []byte
	var made, expires int64
	p := Plan{ID: w.PlanID, Write: w}
	err := tx.QueryRow("SELECT twin, revision, made, expires, spent_by FROM plan WHERE id = ?", w.PlanID).
		Scan(&twin, &p.Revision, &made, &expires, &spentBy)
	p.Made, p.Expires = time.UnixMicro(made).UTC(), time.UnixMicro(expires).UTC()
	switch own := bytes.Equal(spentBy, w.id()); {
	case errors.Is(err, sql.ErrNoRows):
		return Plan{}, errPlan("unknown")
	case err != nil:
		return Plan{}, err
	case !bytes.Equal(twin, w.twin()):
		return Plan{}, errPlan("altered")
	case spentBy != nil && !own:
		return Plan{}, errPlan("used")
	case spentBy == nil && !l.now().Before(p.Expires): // a retry of its own write may come later
		return Plan{}, errPlan("expired")
	}
	return p, nil
}

// spend uses up the plan and the yes that the write names, in the claim's own
// transaction.
func (l *Ledger) spend(tx *sql.Tx, w Write) error {
	if w.PlanID != "" {
		if _, err := l.usablePlan(tx, w); err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE plan SET spent_by = ? WHERE id = ?", w.id(), w.PlanID); err != nil {
			return err
		}
	}
	if w.ApprovalID == "" {
		return nil
	}
	if err := l.usableYes(tx, w); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE approval SET spent_by = ? WHERE id = ?", w.id(), w.ApprovalID)
	return err
}

// restore gives back what a claim spent that sent nothing.
func restore(tx *sql.Tx, claim []byte) error {
	if _, err := tx.Exec("UPDATE plan SET spent_by = NULL WHERE spent_by = ?", claim); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE approval SET spent_by = NULL WHERE spent_by = ?", claim)
	return err
}
