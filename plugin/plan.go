package plugin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"strconv"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

// Members of a dry run's result.
const (
	planIDField    = "planId"
	expiresAtField = "expiresAt"
	expectedField  = "expectedRevision"
	diffField      = "unifiedDiff"
	cutField       = "unifiedDiffTruncated"
	wholeDiffField = "wholeDiff"
)

// tryOut makes the dry run of a write, and gives the kernel's word on it, a
// refusal as an error. Nothing is changed and no key taken.
func (s *Session) tryOut(ctx context.Context, c callFresh) (tools.Envelope, error) {
	c.call.DryRun = true
	tried := then(ctx, then(ctx, then(ctx, stage[callAgreed]{at: callAgreed{c}}, s.claim), s.forward), s.verify)
	switch env := tried.at.env; {
	case tried.end != nil:
		return tools.Envelope{}, tried.end
	case !env.OK:
		return tools.Envelope{}, env.Error
	default:
		return env, nil
	}
}

// keepPlan remembers what a dry run promised, for a kernel whose tool knows no
// plans, and adds the plan's id to the result. A dry run stands without one.
func (s *Session) keepPlan(ctx context.Context, c callAnswered) json.RawMessage {
	var members map[string]any
	if json.Unmarshal(c.env.Result, &members) != nil || members == nil {
		return c.env.Result
	}
	p := ledger.Plan{ID: s.host.newID("plan"), Write: s.write(c.trail), Revision: basisOf(c), Promise: promiseOf(c.env.Result)}
	p, err := s.host.ledger.KeepPlan(ctx, p)
	if err != nil {
		s.host.cfg.Log.Warn().Err(err).Str("traceId", c.call.TraceID).Msg("the ledger could not keep a plan")
		return c.env.Result
	}
	return withMembers(c.env.Result, map[string]any{planIDField: p.ID, expiresAtField: p.Expires.UTC().Format(time.RFC3339)})
}

// withMembers gives an object with some members set, the others as they are.
func withMembers(object json.RawMessage, set map[string]any) json.RawMessage {
	members := membersOf(object)
	maps.Copy(members, set)
	return encode(members)
}

// encode gives the members as an object by sorted names, the values as they
// stand but for blanks between their parts.
func encode(members map[string]any) json.RawMessage {
	object, err := tools.Compact(members)
	if err != nil { // what membersOf gave can be written
		return nil
	}
	return object
}

// membersOf reads an object's members as they stand; what is none has none.
func membersOf(object json.RawMessage) map[string]any {
	var raw map[string]json.RawMessage
	_ = json.Unmarshal(object, &raw)
	members := make(map[string]any, len(raw))
	for name, value := range raw {
		members[name] = value
	}
	return members
}

// promised are the members of a dry run's result that say what the write would
// do. Ids and times differ each time.
var promised = []string{"diff", "unifiedDiff", "baseRevision", "previousRevision", "resultRevision", "resultHash"}

// promiseOf is equal for dry runs that promise the same.
func promiseOf(result json.RawMessage) []byte {
	members := membersOf(result)
	said := map[string]any{}
	for _, name := range promised {
		if v, ok := members[name]; ok {
			said[name] = v
		}
	}
	sum := sha256.Sum256(encode(said))
	return sum[:]
}

// basisOf is the revision that a dry run looked at, 0 where nobody says.
func basisOf(c callAnswered) int64 {
	var said struct{ BaseRevision, PreviousRevision int64 }
	_ = json.Unmarshal(c.env.Result, &said) // a revision of another form is none that we can expect
	if expected, ok := c.args.ExpectedRevision(); ok {
		return expected
	}
	if said.BaseRevision != 0 {
		return said.BaseRevision
	}
	return said.PreviousRevision
}

// namesPlan reports whether the call names a plan of the host's. A kernel's plan
// is the kernel's to judge.
func (c callAllowed) namesPlan() bool { return c.args.PlanID() != "" && c.schema.AddsPlan() }

// planned finds the plan that the call names.
func (s *Session) planned(ctx context.Context, c callFresh) (callFresh, error) {
	if !c.namesPlan() {
		return c, nil
	}
	return s.planNamed(ctx, c, c.args.PlanID())
}

func (s *Session) planNamed(ctx context.Context, c callFresh, id string) (callFresh, error) {
	w := s.write(c.trail)
	w.PlanID = id
	p, err := s.host.ledger.CheckPlan(ctx, w)
	if err != nil {
		return callFresh{}, err
	}
	return s.holdTo(c, p), nil
}

// heldPlan is what a write is held to of the plan that it names: a ledger.Plan
// without the write that it was made for, which is this one. The zero value is
// none.
type heldPlan struct {
	id       string
	revision int64
	promise  []byte
	spent    bool
}

// holdTo makes the write do what the plan promised, or be refused: where the
// tool can be told, it expects the revision that the dry run saw.
func (s *Session) holdTo(c callFresh, p ledger.Plan) callFresh {
	c.plan = heldPlan{p.ID, p.Revision, p.Promise, p.Spent}
	if _, said := c.args.ExpectedRevision(); !said && c.expects() {
		own := s.own(c.callRead)
		own[expectedField] = json.Number(strconv.FormatInt(p.Revision, 10))
		c.call.Args = schema.Canonical(own)
	}
	return c
}

// expects reports whether the kernel itself holds the write to the revision that
// its plan saw.
func (c callFresh) expects() bool {
	_, said := c.args.ExpectedRevision()
	return said || c.plan.revision != 0 && c.schema.Lists(expectedField)
}

// prove refuses a write whose plan is out of date, where the kernel cannot tell
// by a revision: the dry run, made once more, must promise the same. A retry
// needs no proof, for its write may have happened.
func (s *Session) prove(ctx context.Context, c callFresh) error {
	if c.plan.id == "" || c.plan.spent || c.expects() {
		return nil
	}
	env, err := s.tryOut(ctx, c)
	if err != nil {
		return err
	}
	return s.stillPromises(c, env)
}

func (s *Session) stillPromises(c callFresh, env tools.Envelope) error {
	if c.plan.id == "" || c.plan.spent || bytes.Equal(promiseOf(env.Result), c.plan.promise) {
		return nil
	}
	return outOfDate()
}

func outOfDate() error {
	return tools.Errorf(tools.CodeConflict, tools.Text{
		ZH: "做计划之后页面变了，这个计划不再成立；没有写入任何内容。请重新读取，再用 dryRun=true 做一个新计划",
		EN: "the page has changed since the plan was made, so it no longer holds; nothing was written. Read again and make a new plan with dryRun=true",
	}).With("reason", "stale")
}
