package ledger

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

// ApprovalFilter narrows a list of approvals; the zero one gives all that wait
// for a person.
type ApprovalFilter struct {
	// Session and Document narrow to one; "" is any.
	Session, Document string
	// Over gives those too that had an answer or have expired, as long as they
	// are kept.
	Over bool
}

// maxApprovals bounds a list; the newest are in it.
const maxApprovals = 1000

// Approvals lists the approvals, the oldest first, without their previews.
func (l *Ledger) Approvals(ctx context.Context, f ApprovalFilter) (all []Approval, err error) {
	if l.file == nil {
		return nil, nil
	}
	where, args := f.where(l.now())
	err = l.file.View(ctx, func(tx *sqlite.Tx) error {
		all, err = l.approvals(tx, where, args...)
		return err
	})
	if !f.Over { // nobody can use a yes of theirs any more
		all = slices.DeleteFunc(all, func(a Approval) bool { return a.Ended })
	}
	for i := range all {
		all[i].Preview = nil
	}
	slices.Reverse(all)
	return all, err
}

func (f ApprovalFilter) where(now time.Time) (string, []any) {
	where, args := []string{"1"}, []any{}
	add := func(condition string, values ...any) {
		where, args = append(where, condition), append(args, values...)
	}
	if !f.Over {
		add("decision = ? AND expires > ? AND spent_by IS NULL", Undecided, now.UnixMicro())
	}
	if f.Session != "" {
		add("session = ?", f.Session)
	}
	if f.Document != "" {
		add("document = ?", f.Document)
	}
	return strings.Join(where, " AND ") + " ORDER BY asked DESC, id DESC LIMIT ?", append(args, maxApprovals)
}

// Approval gives one by its id; an unknown one is mnote_tool_conflict.
func (l *Ledger) Approval(ctx context.Context, id string) (a Approval, err error) {
	if l.file == nil {
		return Approval{}, errNoState()
	}
	err = l.file.View(ctx, func(tx *sqlite.Tx) error {
		a, err = l.oneApproval(tx, id)
		return err
	})
	return a, err
}

func (l *Ledger) oneApproval(tx *sqlite.Tx, id string) (Approval, error) {
	found, err := l.approvals(tx, "id = ?", id)
	if err != nil {
		return Approval{}, err
	}
	if len(found) == 0 {
		return Approval{}, errApproval("unknown")
	}
	return found[0], nil
}

func (l *Ledger) approvals(tx *sqlite.Tx, where string, args ...any) (all []Approval, err error) {
	for row := range tx.Search(`SELECT id, at_kernel, tool, session, workspace, document, actor, agent, revision, question, preview,
		decision, decided_by, decided_at, asked, expires, spent_by, owner FROM approval WHERE `+where, args...) {
		a, err := l.scanApproval(row)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func (l *Ledger) scanApproval(row sqlite.Row) (a Approval, err error) {
	var tool, owner string
	var preview, spentBy []byte
	var decided, asked, expires int64
	if err := row.Scan(&a.ID, &a.AtKernel, &tool, &a.Session, &a.Workspace, &a.Document, &a.Actor,
		&a.Agent, &a.Revision, &a.Question, &preview, &a.Decision, &a.By, &decided, &asked, &expires, &spentBy, &owner); err != nil {
		return a, err
	}
	a.Tool, a.Preview = tools.Name(tool), preview
	a.Used, a.Void = spentBy != nil, bytes.Equal(spentBy, nobody)
	a.Passing = owner != ""
	a.Ended = a.Passing && l.alive.left(owner)
	a.Asked, a.Expires = time.UnixMicro(asked).UTC(), time.UnixMicro(expires).UTC()
	if decided != 0 {
		a.Decided = time.UnixMicro(decided).UTC()
	}
	return a, nil
}
