package ledger

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
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
	// Promise is a hash of what the dry run said the write would do.
	Promise []byte
	// Made and Expires are set when the plan is kept.
	Made, Expires time.Time
	// Spent says that the write which names the plan has spent it before: it is a
	// retry.
	Spent bool
}

// KeepPlan remembers a plan for PlanTime, and gives it with its times.
func (l *Ledger) KeepPlan(ctx context.Context, p Plan) (Plan, error) {
	if l.file == nil {
		return Plan{}, errNoState()
	}
	p.Made = l.now()
	p.Expires = p.Made.Add(PlanTime)
	w := p.Write
	return p, l.file.Normal(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`INSERT INTO plan (id, twin, tool, session, document, revision, promise, made, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			p.ID, w.twin(), string(w.Key.Tool), w.Session, w.Document, p.Revision, append([]byte{}, p.Promise...), p.Made.UnixMicro(), p.Expires.UnixMicro())
		return err
	})
}

// CheckPlan gives the plan that w names in PlanID, if w may use it: else it is
// mnote_tool_conflict with the reason unknown, other_session, altered (it was
// made for another write), expired or used. Claim spends it.
func (l *Ledger) CheckPlan(ctx context.Context, w Write) (p Plan, err error) {
	if l.file == nil {
		return Plan{}, errNoState()
	}
	err = l.file.View(ctx, func(tx *sqlite.Tx) error {
		p, err = l.usablePlan(tx, w)
		return err
	})
	return p, err
}

func (l *Ledger) usablePlan(tx *sqlite.Tx, w Write) (Plan, error) {
	p, k, err := readPlan(tx, "id = ?", w.PlanID)
	p.Write, p.Spent = w, bytes.Equal(k.spentBy, w.id())
	switch {
	case errors.Is(err, sqlite.ErrNoRow):
		return Plan{}, errPlan("unknown")
	case err != nil:
		return Plan{}, err
	case k.session != w.Session:
		return Plan{}, errPlan("other_session")
	case !bytes.Equal(k.twin, w.twin()):
		return Plan{}, errPlan("altered")
	case p.Spent: // a retry may come later
		return p, nil
	case k.spentBy != nil:
		return Plan{}, errPlan("used")
	case !l.now().Before(p.Expires):
		return Plan{}, errPlan("expired")
	}
	return p, nil
}

// planKey is what decides who may use a plan.
type planKey struct {
	twin, spentBy []byte
	session       string
}

func readPlan(tx *sqlite.Tx, where string, arg any) (p Plan, k planKey, err error) {
	var made, expires int64
	err = tx.Row("SELECT id, twin, session, revision, promise, made, expires, spent_by FROM plan WHERE "+where, arg).
		Scan(&p.ID, &k.twin, &k.session, &p.Revision, &p.Promise, &made, &expires, &k.spentBy)
	p.Made, p.Expires = time.UnixMicro(made).UTC(), time.UnixMicro(expires).UTC()
	return p, k, err
}

// spend uses up the plan and the yes that the write names, in the claim's own
// transaction.
func (l *Ledger) spend(tx *sqlite.Tx, w Write) error {
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

// restore gives back what a claim spent that changed nothing. A yes to what
// cannot happen any more, because the document is another by now, is over: the
// next equal write is a new question.
func (c *Claim) restore(tx *sqlite.Tx, why tools.Code) error {
	if c.write.PlanID != "" {
		if _, err := tx.Exec("UPDATE plan SET spent_by = NULL WHERE spent_by = ?", c.id); err != nil {
			return err
		}
	}
	if c.write.ApprovalID == "" {
		return nil
	}
	var rest any
	if why == tools.CodeConflict {
		rest = nobody
	}
	_, err := tx.Exec("UPDATE approval SET spent_by = ? WHERE spent_by = ?", rest, c.id)
	return err
}

// nobody is the claim that spent what came to nothing.
var nobody = []byte{0}
