package ledger

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
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

// MarshalText writes the decision as a word.
func (d Decision) MarshalText() ([]byte, error) {
	switch d {
	case Approved:
		return []byte("approved"), nil
	case Declined:
		return []byte("declined"), nil
	}
	return []byte("waiting"), nil
}

// Approval is a write that waits, outside its call, for a person's yes. The yes
// lets the same write (session, tool, document, arguments) pass once.
type Approval struct {
	// ID is the plan's, whoever keeps that; AtKernel says that the kernel does.
	ID       string `json:"planId"`
	AtKernel bool   `json:"-"`

	Tool      tools.Name `json:"toolName"`
	Session   string     `json:"sessionId"`
	Workspace string     `json:"workspaceId"`
	Document  string     `json:"documentId"`
	Actor     string     `json:"actorId"`
	Agent     string     `json:"agentId"`
	// Revision is the document's that the dry run saw, 0 where it is not known.
	Revision int64 `json:"revision,omitempty"`
	// Question is for people: tool, page, size. Preview is what the write would
	// do, kept until the approval is over; a list leaves it out.
	Question string          `json:"question"`
	Preview  json.RawMessage `json:"preview,omitempty"`

	Decision Decision `json:"decision"`
	// By says how the person spoke: terminal, console, client, permission.
	By      string    `json:"decidedBy,omitempty"`
	Asked   time.Time `json:"askedAt"`
	Decided time.Time `json:"decidedAt,omitzero"`
	Expires time.Time `json:"expiresAt"`
	// Used says that it is over: the write went through on the yes, or could no
	// longer happen, and then it is Void: the page is another by now.
	Used bool `json:"used"`
	Void bool `json:"void,omitempty"`
	// Passing says that the session ends with the process that asked, and Ended
	// that it has: its yes can never serve.
	Passing bool `json:"-"`
	Ended   bool `json:"sessionEnded,omitempty"`
}

// Digest stands for all that a person is shown of the approval before deciding.
func (a Approval) Digest() string {
	return hex.EncodeToString(digest("mnote-approval-1", a.ID, string(a.Tool), a.Session, a.Workspace, a.Document, a.Actor, a.Agent,
		strconv.FormatInt(a.Revision, 10), string(a.Preview)))
}

// Ask notes that w waits for a person, for PlanTime, and gives the question
// that stands: the one put before about the same write if that promised the
// same, so that its id stays good, else a.
func (l *Ledger) Ask(ctx context.Context, w Write, a Approval) (Approval, error) {
	if l.file == nil {
		return Approval{}, errNoState()
	}
	a.Tool, a.Session, a.Workspace, a.Document, a.Actor = w.Key.Tool, w.Session, w.Key.Workspace, w.Document, w.Key.Actor
	a.Asked = l.now()
	a.Expires = a.Asked.Add(PlanTime)
	stands := a
	err := l.file.Normal(ctx, func(tx *sqlite.Tx) error {
		before, err := l.approvals(tx, "twin = ? AND decision = ? AND expires > ? AND spent_by IS NULL", w.twin(), Undecided, a.Asked.UnixMicro())
		if err != nil {
			return err
		}
		for _, b := range before {
			if bytes.Equal(b.Preview, a.Preview) {
				stands = b
				return nil
			}
		}
		stands = a
		if _, err := tx.Exec("DELETE FROM approval WHERE twin = ? AND decision = ?", w.twin(), Undecided); err != nil {
			return err
		}
		return l.insertApproval(tx, w, a)
	})
	return stands, err
}

// Agree notes a yes that a person gave in the call itself: the write and its
// retries pass on it as on any other. By says how the person spoke.
func (l *Ledger) Agree(ctx context.Context, w Write, a Approval) (Approval, error) {
	if l.file == nil {
		return Approval{}, errNoState()
	}
	a.Tool, a.Session, a.Workspace, a.Document, a.Actor = w.Key.Tool, w.Session, w.Key.Workspace, w.Document, w.Key.Actor
	a.Asked = l.now()
	a.Decision, a.Decided, a.Expires = Approved, a.Asked, a.Asked.Add(PlanTime)
	return a, l.file.Normal(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.Exec("DELETE FROM approval WHERE twin = ? AND decision = ?", w.twin(), Undecided); err != nil {
			return err
		}
		return l.insertApproval(tx, w, a)
	})
}

// insertApproval puts the question. A kernel may give one id to equal plans: a
// former question of that id is over.
func (l *Ledger) insertApproval(tx *sqlite.Tx, w Write, a Approval) error {
	owner, decided := "", int64(0)
	if a.Passing && l.alive.sign() {
		owner = l.owner
	}
	if !a.Decided.IsZero() {
		decided = a.Decided.UnixMicro()
	}
	_, err := tx.Exec(`INSERT OR REPLACE INTO approval
		(id, at_kernel, twin, tool, session, workspace, document, actor, agent, revision, question, preview, decision, decided_by, decided_at, asked, expires, owner)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.ID, a.AtKernel, w.twin(), string(a.Tool), a.Session, a.Workspace, a.Document, a.Actor, a.Agent, a.Revision,
		a.Question, []byte(a.Preview), a.Decision, a.By, decided, a.Asked.UnixMicro(), a.Expires.UnixMicro(), owner)
	return err
}

// Decide records a person's yes or no to the approval with the id. Until the
// write has happened the person may say otherwise; one that is unknown, expired
// or used is mnote_tool_conflict with that reason, and so is one that is stale or
// whose session has ended.
func (l *Ledger) Decide(ctx context.Context, id string, d Decision, by string) (Approval, error) {
	return l.DecideShown(ctx, id, d, by, "")
}

// DecideShown is Decide of what the person was shown, by its Digest: one that
// has changed since is mnote_tool_conflict with the reason changed. "" compares
// nothing.
func (l *Ledger) DecideShown(ctx context.Context, id string, d Decision, by, shown string) (a Approval, err error) {
	if l.file == nil {
		return Approval{}, errNoState()
	}
	now := l.now()
	err = l.file.Full(ctx, func(tx *sqlite.Tx) error {
		if a, err = l.oneApproval(tx, id); err != nil {
			return err
		}
		if reason := a.over(now); reason != "" {
			return errApproval(reason)
		}
		if shown != "" && shown != a.Digest() {
			return errApproval("changed")
		}
		a.Decision, a.By, a.Decided = d, by, now
		_, err = tx.Exec("UPDATE approval SET decision = ?, decided_by = ?, decided_at = ? WHERE id = ?", d, by, now.UnixMicro(), id)
		return err
	})
	if err != nil {
		return Approval{}, err
	}
	return a, nil
}

// over is the reason why nothing is to be decided any more, or "".
func (a Approval) over(now time.Time) string {
	switch {
	case a.Void:
		return "stale"
	case a.Used:
		return "used"
	case !now.Before(a.Expires):
		return "expired"
	case a.Ended:
		return "session_ended"
	}
	return ""
}

// Decided gives a person's yes that w may be sent on, its ID as w's ApprovalID;
// the ID is "" where nobody was asked or nobody has spoken. A no is
// mnote_tool_confirmation_declined, until the question expires; By is given with
// it.
func (l *Ledger) Decided(ctx context.Context, w Write) (yes Approval, err error) {
	if l.file == nil {
		return Approval{}, errNoState()
	}
	err = l.file.View(ctx, func(tx *sqlite.Tx) error {
		found, err := l.approvals(tx, `twin = ? AND decision <> ? AND (spent_by IS NULL AND expires > ? OR spent_by = ?)
			ORDER BY asked DESC LIMIT 1`, w.twin(), Undecided, l.now().UnixMicro(), w.id())
		if err != nil || len(found) == 0 {
			return err
		}
		if found[0].Decision == Declined {
			yes.By = found[0].By
			return errDeclined()
		}
		yes = found[0]
		return nil
	})
	return yes, err
}

// Void ends a yes to what cannot happen any more: the next equal write is a new
// question.
func (l *Ledger) Void(ctx context.Context, id string) error {
	return l.file.Normal(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec("UPDATE approval SET spent_by = ? WHERE id = ? AND spent_by IS NULL", nobody, id)
		return err
	})
}

// usableYes says why the yes that w names cannot be spent by it.
func (l *Ledger) usableYes(tx *sqlite.Tx, w Write) error {
	var twin, spentBy []byte
	var d Decision
	var expires int64
	err := tx.Row("SELECT twin, decision, expires, spent_by FROM approval WHERE id = ?", w.ApprovalID).
		Scan(&twin, &d, &expires, &spentBy)
	switch own := bytes.Equal(spentBy, w.id()); {
	case errors.Is(err, sqlite.ErrNoRow):
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
