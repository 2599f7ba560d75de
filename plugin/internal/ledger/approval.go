package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// Decision is what a person said to an Approval.
type Decision int

// The decisions.
const (
	Undecided Decision = iota
	Approved
	Declined
)

// Approval is a write that waits, outside its call, for a person's yes. The yes
// lets the same write (session, tool, document, arguments) pass once.
type Approval struct {
	// ID is the plan's, whoever keeps that.
	ID string `json:"planId"`
	// Write is the write that waits. What comes back of it are Session,
	// Document and the key's Tool, Workspace and Actor.
	Write Write  `json:"-"`
	Agent string `json:"agentId"`
	// Revision is the document's that the dry run saw.
	Revision int64 `json:"revision"`
	// Question is for people: tool, page, size. Preview is the dry run's result
	// with its diff, kept until the approval is over.
	Question string          `json:"question"`
	Preview  json.RawMessage `json:"preview"`

	Decision Decision `json:"-"`
	// By says how the person spoke: terminal, console.
	By                      string    `json:"decidedBy,omitempty"`
	Asked, Decided, Expires time.Time `json:"-"`
	// Used says that the write went through on this yes.
	Used bool `json:"-"`
}

// Ask notes a write that waits for a person, for PlanTime. A former question
// about the same write that is still undecided gives way to this one.
func (l *Ledger) Ask(ctx context.Context, a Approval) error {
	if l.file == nil {
		return errNoState()
	}
	now, w := l.now(), a.Write
	return l.file.Normal(ctx, func(tx *sql.Tx) error {
		if _, err := tx.Exec("DELETE FROM approval WHERE twin = ? AND decision = ?", w.twin(), Undecided); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO approval
			(id, twin, tool, session, workspace, document, actor, agent, revision, question, preview, decision, decided_by, decided_at, asked, expires)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '', 0, ?, ?)`,
			a.ID, w.twin(), string(w.Key.Tool), w.Session, w.Key.Workspace, w.Document, w.Key.Actor, a.Agent, a.Revision,
			a.Question, []byte(a.Preview), now.UnixMicro(), now.Add(PlanTime).UnixMicro())
		return err
	})
}

// Waiting gives what waits for a person, the oldest first.
func (l *Ledger) Waiting(ctx context.Context) (all []Approval, err error) {
	if l.file == nil {
		return nil, nil
	}
	err = l.file.View(ctx, func(tx *sql.Tx) error {
		all, err = approvals(tx, "decision = ? AND expires > ? ORDER BY asked", Undecided, l.now().UnixMicro())
		return err
	})
	return all, err
}

// Approval gives one by its id; an unknown one is mnote_tool_conflict.
func (l *Ledger) Approval(ctx context.Context, id string) (a Approval, err error) {
	if l.file == nil {
		return Approval{}, errNoState()
	}
	err = l.file.View(ctx, func(tx *sql.Tx) error {
		a, err = oneApproval(tx, id)
		return err
	})
	return a, err
}

func oneApproval(tx *sql.Tx, id string) (Approval, error) {
	found, err := approvals(tx, "id = ?", id)
	if err != nil {
		return Approval{}, err
	}
	if len(found) == 0 {
		return Approval{}, errApproval("unknown")
	}
	return found[0], nil
}

// Decide records a person's yes or no to the approval with the id. It can be
// said once: an approval that is unknown, expired or decided already is
// mnote_tool_conflict with that reason.
func (l *Ledger) Decide(ctx context.Context, id string, d Decision, by string) (a Approval, err error) {
	if l.file == nil {
		return Approval{}, errNoState()
	}
	now := l.now()
	err = l.file.Full(ctx, func(tx *sql.Tx) error {
		switch a, err = oneApproval(tx, id); {
		case err != nil:
			return err
		case a.Decision != Undecided:
			return errApproval("decided")
		case !now.Before(a.Expires):
			return errApproval("expired")
		}
		a.Decision, a.By, a.Decided = d, by, now
		_, err = tx.Exec("UPDATE approval SET decision = ?, decided_by = ?, decided_at = ? WHERE id = ?", d, by, now.UnixMicro(), id)
		return err
	})
	return a, err
}

// Decided gives the id of a person's yes that w may be sent on, as its
// ApprovalID, or "" where nobody was asked or nobody has spoken. A no is
// mnote_tool_confirmation_declined, until the question expires.
func (l *Ledger) Decided(ctx context.Context, w Write) (id string, err error) {
	if l.file == nil {
		return "", errNoState()
	}
	err = l.file.View(ctx, func(tx *sql.Tx) error {
		var d Decision
		err := tx.QueryRow(`SELECT id, decision FROM approval
			WHERE twin = ? AND decision <> ? AND (spent_by IS NULL AND expires > ? OR spent_by = ?) ORDER BY asked DESC LIMIT 1`,
			w.twin(), Undecided, l.now().UnixMicro(), w.id()).Scan(&id, &d)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err == nil && d == Declined:
			return errDeclined()
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

// usableYes says why the yes that w names cannot be spent by it.
func (l *Ledger) usableYes(tx *sql.Tx, w Write) error {
	var twin, spentBy []byte
	var d Decision
	var expires int64
	err := tx.QueryRow("SELECT twin, decision, expires, spent_by FROM approval WHERE id = ?", w.ApprovalID).
		Scan(&twin, &d, &expires, &spentBy)
	switch own := bytes.Equal(spentBy, w.id()); {
	case errors.Is(err, sql.ErrNoRows):
		return errApproval("unknown")
	case err != nil:
		return err
	case !bytes.Equal(twin, w.twin()):
		return errApproval("altered")
	case d == Declined:
		return errDeclined()
	case d == Undecided:
		return errApproval("undecided")
	case spentBy != nil && !own:
		return errApproval("used")
	case spentBy == nil && l.now().UnixMicro() >= expires:
		return errApproval("expired")
	}
	return nil
}

func approvals(tx *sql.Tx, where string, args ...any) (all []Approval, err error) {
	rows, err := tx.Query(`SELECT id, tool, session, workspace, document, actor, agent, revision, question, preview,
		decision, decided_by, decided_at, asked, expires, spent_by IS NOT NULL FROM approval WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var a Approval
		var tool string
		var preview []byte
		var decided, asked, expires int64
		if err := rows.Scan(&a.ID, &tool, &a.Write.Session, &a.Write.Key.Workspace, &a.Write.Document, &a.Write.Key.Actor,
			&a.Agent, &a.Revision, &a.Question, &preview, &a.Decision, &a.By, &decided, &asked, &expires, &a.Used); err != nil {
			return nil, err
		}
		a.Write.Key.Tool, a.Preview = tools.Name(tool), preview
		a.Asked, a.Expires = time.UnixMicro(asked).UTC(), time.UnixMicro(expires).UTC()
		if decided != 0 {
			a.Decided = time.UnixMicro(decided).UTC()
		}
		all = append(all, a)
	}
	return all, rows.Err()
}
