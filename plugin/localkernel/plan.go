package localkernel

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// planLife is how long a plan can be used.
const planLife = 24 * time.Hour

var textPlan = tools.Text{
	ZH: "计划不能使用（%s）；没有写入任何内容。请重新读取并再做一次 dryRun",
	EN: "the plan cannot be used (%s); nothing was written. Read again and make another dry run",
}

// planRest is what a plan keeps of a change besides its bytes.
type planRest struct {
	ID       vault.ID     `json:"id"`
	Disk     string       `json:"disk"`
	Remove   bool         `json:"remove,omitempty"`
	Ops      []page.Op    `json:"ops"`
	Warnings []warning    `json:"warnings,omitempty"`
	Source   store.Source `json:"source"`
	Undoes   string       `json:"undoes,omitempty"`
	More     extra        `json:"more"`
}

// planEdit is a dry run: the edit is made, and kept instead of written.
func (k *Kernel) planEdit(ctx context.Context, c *call, tool editTool) (tools.Envelope, error) {
	var env tools.Envelope
	err := k.alone(ctx, k.state.Update, func(tx *store.Tx) error {
		ch, err := k.makes(tx, c, tool)
		if err != nil {
			return err
		}
		p, err := k.keepPlan(tx, c, ch)
		if err != nil {
			return err
		}
		next := ch.base.Revision
		if !bytes.Equal(ch.before, ch.after) || ch.before == nil {
			if next, err = tx.NextRevision(ch.key); err != nil {
				return err
			}
		}
		env, err = tools.Succeed(c.Call, tools.EffectDryRun, "", k.plannedResult(c, ch, p, next))
		return err
	})
	return env, err
}

// editStateless is an edit where there is no state folder: a dry run shows what
// would be, and keeps no plan; a write is refused.
func (k *Kernel) editStateless(c *call, tool editTool) (tools.Envelope, error) {
	if !c.DryRun {
		return tools.Envelope{}, noState()
	}
	ch, err := k.makes(nil, c, tool)
	if err != nil {
		return tools.Envelope{}, err
	}
	ch.warnings = append(ch.warnings, warning{Reason: "no_state"})
	return tools.Succeed(c.Call, tools.EffectDryRun, "", k.plannedResult(c, ch, store.Plan{}, 0))
}

func noState() error {
	return tools.Errorf(tools.CodeKernelUnavailable, textNoState).With("reason", "no_state")
}

func (k *Kernel) keepPlan(tx *store.Tx, c *call, ch *change) (store.Plan, error) {
	rest, err := json.Marshal(planRest{
		ID: ch.id, Disk: ch.disk, Remove: ch.after == nil, Ops: ch.ops, Warnings: ch.warnings, Source: ch.source, Undoes: ch.undoes, More: ch.more,
	})
	if err != nil {
		return store.Plan{}, err
	}
	if ch.after != nil {
		if _, err := tx.PutContent(ch.after); err != nil {
			return store.Plan{}, err
		}
	}
	p := store.Plan{
		ID: "plan_" + k.opts.NewID(), Session: c.SessionID, Actor: c.ActorID, Tool: string(c.ToolName), Path: ch.key, Body: c.body,
		BaseRevision: ch.base.Revision, BaseHash: hashOrNone(ch.before), ResultHash: hashOrNone(ch.after), Rest: rest,
		Expires: tx.Now().Add(planLife),
	}
	return p, tx.AddPlan(p)
}

// promised gives the change that a write makes: what its plan promised, or what
// the tool says now.
func (k *Kernel) promised(tx *store.Tx, c *call, tool editTool) (*change, error) {
	if c.planID() == "" {
		return k.makes(tx, c, tool)
	}
	p, err := usablePlan(tx, c)
	if err != nil {
		return nil, err
	}
	now, err := k.makes(tx, c, tool) // every guard of the tool holds for its plan too
	if err != nil {
		return nil, err
	}
	if now.key != p.Path || now.base.Revision != p.BaseRevision || hashOrNone(now.before) != p.BaseHash {
		return nil, planConflict("stale").With("currentRevision", now.base.Revision)
	}
	var rest planRest
	if err := json.Unmarshal(p.Rest, &rest); err != nil {
		return nil, err
	}
	now.id, now.disk, now.ops, now.warnings, now.source = rest.ID, rest.Disk, rest.Ops, rest.Warnings, rest.Source
	now.undoes, now.more, now.after, now.new = rest.Undoes, rest.More, nil, nil
	if rest.Remove {
		return now, nil
	}
	after, ok, err := tx.Content(p.ResultHash)
	if err == nil && !ok {
		err = planConflict("unknown")
	}
	now.after = present(after)
	return now, err
}

// usablePlan finds the call's plan, and refuses one that is unknown, expired,
// used, or of other arguments. One of another session or actor is unknown.
func usablePlan(tx *store.Tx, c *call) (store.Plan, error) {
	p, found, err := tx.Plan(c.planID())
	switch {
	case err != nil:
		return p, err
	case !found || p.Session != c.SessionID || p.Actor != c.ActorID:
		return p, planConflict("unknown")
	case !p.Used.IsZero():
		return p, planConflict("used")
	case !tx.Now().Before(p.Expires):
		return p, planConflict("expired")
	case p.Tool != string(c.ToolName) || p.Body != c.body:
		return p, planConflict("altered")
	}
	return p, nil
}

func planConflict(reason string) *tools.Error {
	return tools.Errorf(tools.CodeConflict, textPlan, reason).With("reason", reason)
}
