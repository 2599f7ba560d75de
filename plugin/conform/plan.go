package conform

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mnote-dev/mnote-host/tools"
)

func planChecks() []Check {
	return []Check{
		check("plan/dry-run", NeedsWrite, planDryRun, "A dry run has effect dry_run, no commandId and a diff, and writes nothing."),
		check("plan/conflict", NeedsWrite, planConflict, "A dry run is refused where the write would be."),
		check("plan/key", NeedsWrite, planKey, "A dry run does not use up its key: the write may follow under the same one."),
		check("plan/promise", NeedsWrite, planPromise, "A write with a planId does exactly what was planned, once; altered or used again it is mnote_tool_conflict."),
	}
}

// promise is the result of a dry run.
type promise struct {
	DryRun         bool
	Diff           []any
	PlanID         string
	ResultHash     string
	ResultRevision int64
}

// plan sends the call as a dry run and gives what it promises.
func (p *probe) plan(c tools.Call) (promise, error) {
	c.DryRun = true
	env, err := p.succeed(c, tools.EffectDryRun)
	if err != nil {
		return promise{}, err
	}
	var d promise
	if err := json.Unmarshal(env.Result, &d); err != nil {
		return d, fmt.Errorf("the result of a dry run is not of its form: %w", err)
	}
	return d, nil
}

func planDryRun(p *probe) error {
	before, err := p.read()
	if err != nil {
		return err
	}
	d, err := p.plan(p.saving(p.marker()))
	switch {
	case err != nil:
		return err
	case !d.DryRun || len(d.Diff) == 0:
		return errors.New("the result of a dry run says no dryRun or no diff")
	}
	return p.unchanged(before)
}

func planConflict(p *probe) error {
	if !p.doc.tool(p.script.Save).takes("expectedRevision") {
		return nil
	}
	before, err := p.read()
	if err != nil {
		return err
	}
	c := with(p.saving(p.marker()), "expectedRevision", before.Revision+7)
	c.DryRun = true
	if _, err := p.refuse(c, tools.CodeConflict); err != nil {
		return err
	}
	return p.unchanged(before)
}

// planKey: a model plans and then writes with the arguments it has, its key among
// them.
func planKey(p *probe) error {
	c := p.saving(p.marker())
	if _, err := p.plan(c); err != nil {
		return err
	}
	env, err := p.succeed(p.again(c), tools.EffectWrite)
	if err == nil && env.Audit.Replayed {
		err = errors.New("the write under a dry run's key counts as a replay")
	}
	return err
}

// planPromise takes a plan through its whole life: altered, kept, used up. A
// kernel that gives no planId has promised nothing; the host keeps its plans.
func planPromise(p *probe) error {
	text := p.marker()
	d, err := p.plan(p.saving(text))
	if err != nil || d.PlanID == "" || !p.doc.tool(p.script.Save).takes("planId") {
		return err
	}
	altered := with(p.saving(p.marker()), "planId", d.PlanID)
	if _, err := p.refuse(altered, tools.CodeConflict); err != nil {
		return fmt.Errorf("other content under a plan: %w", err)
	}
	if _, err := p.succeed(with(p.saving(text), "planId", d.PlanID), tools.EffectWrite); err != nil {
		return fmt.Errorf("a write by its plan: %w", err)
	}
	after, err := p.read()
	switch {
	case err != nil:
		return err
	case after.ContentHash != d.ResultHash || after.Revision != d.ResultRevision:
		return fmt.Errorf("the plan promised revision %d, the write gave %d, or another content", d.ResultRevision, after.Revision)
	}
	for what, id := range map[string]string{"a used plan": d.PlanID, "an unknown plan": "plan_" + p.subject.newID()} {
		if _, err := p.refuse(with(p.saving(text), "planId", id), tools.CodeConflict); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return p.unchanged(after)
}
