package plugin

import (
	"context"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// replayed ends a call with the answer that the same write got before, under the
// key that it had then.
type replayed struct {
	env tools.Envelope
	key tools.Key
}

func (r replayed) Error() string { return "replayed" }

// holdsKey reports whether the call is a write that happens: only such a one
// takes a key, is confirmed and can be replayed.
func (t trail) holdsKey() bool { return t.tool.Writes() && !t.call.DryRun }

// replay is step 6: the stored answer of the same write, given only now that
// every guard has passed. A write without a caller's key may be the retry of
// one that got no answer; else it is a new one, with the key that bind made. What
// neither a person nor a plan stands in the way of, claim finds out with the
// key.
func (s *Session) replay(ctx context.Context, c callAllowed) (callFresh, error) {
	if !c.holdsKey() {
		return callFresh{c}, nil
	}
	if c.args.IdempotencyKey() == "" {
		key, err := s.host.pending.match(ctx, sameWrite(c.trail))
		if err != nil {
			return callFresh{}, gaveUp(ctx)
		}
		if key == "" && !s.asks(c) && !c.namesPlan() {
			c.bare = true
			return callFresh{c}, nil
		}
		if key == "" {
			key, err = s.host.ledger.MatchInDoubt(ctx, s.write(c.trail))
		}
		if err != nil {
			return callFresh{}, err
		}
		if key == "" {
			return s.planned(ctx, callFresh{c})
		}
		c.call.IdempotencyKey = key
	}
	answer, err := s.host.ledger.Find(ctx, s.write(c.trail))
	if err != nil {
		return callFresh{}, err
	}
	if answer != nil {
		return callFresh{}, replayed{*answer, c.call.IdempotencyKey}
	}
	return s.planned(ctx, callFresh{c})
}

// claim is step 8: the key is taken, so that no other call of any process
// forwards the same write meanwhile. Where another one holds it, its answer is
// waited for.
func (s *Session) claim(ctx context.Context, c callAgreed) (callClaimed, error) {
	c.deadline = s.host.now().Add(s.patience(c.trail))
	if !c.holdsKey() {
		c.claim = s.host.ledger.Empty()
		return callClaimed{c}, nil
	}
	began := s.host.now()
	claim, answer, err := s.host.ledger.Claim(ctx, s.write(c.trail))
	c.kept = s.host.now().Sub(began)
	if err != nil {
		return callClaimed{}, err
	}
	c.call.IdempotencyKey = claim.Key() // a bare write may repeat another
	if answer != nil {
		return callClaimed{}, replayed{*answer, c.call.IdempotencyKey}
	}
	c.claim = claim
	if p := claim.Plan(); p.ID != "" && c.plan.id == "" { // the retry goes out as the write did
		c.callFresh = s.holdTo(c.callFresh, p)
	}
	return callClaimed{c}, nil
}

// write is the call as the ledger knows it.
func (s *Session) write(t trail) ledger.Write {
	return ledger.Write{
		Key: ledger.Key{
			Kernel: s.host.cfg.KernelID, Workspace: t.call.WorkspaceID, Actor: t.call.ActorID,
			Profile: t.call.Profile, Tool: t.call.ToolName, Key: t.call.IdempotencyKey,
		},
		BodyHash:   t.hash,
		Session:    t.call.SessionID,
		ToolCallID: t.call.ToolCallID,
		Document:   t.call.Document(),
		Deadline:   t.deadline,
		Bare:       t.bare,
		PlanID:     t.plan.id,
		ApprovalID: t.yes,
	}
}
