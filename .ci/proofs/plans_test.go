package proofs

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestPlans: a dry run promises a revision and a hash; the write that names its
// plan gives exactly those bytes. Where a person edited in between, where other
// arguments come, or where the plan is spent, it is refused and no byte changes.
func TestPlans(t *testing.T) {
	t.Parallel()
	n := size(150, 5_000)
	var p planned
	var all sync.WaitGroup
	const workers = 2
	for w := range workers {
		all.Go(func() {
			e := editor{box: newBox(t)}
			for i := w; i < n; i += workers {
				if err := p.plan(&e, i); err != nil {
					t.Errorf("plan %d: %v", i, err)
				}
			}
			e.box.swept()
		})
	}
	all.Wait()
	t.Logf("%d plans: %d kept to the byte, %d refused after a person's edit, %d with other arguments, %d spent twice; %d writes could not be planned",
		p.made.Load(), p.kept.Load(), p.edited.Load(), p.altered.Load(), p.spent.Load(), p.unplanned.Load())
	if got := p.kept.Load() + p.edited.Load() + p.altered.Load(); got != p.made.Load() || p.made.Load() < int64(n) {
		t.Errorf("%d of %d plans did what they must, want at least %d", got, p.made.Load(), n)
	}
}

type planned struct{ made, kept, edited, altered, spent, unplanned atomic.Int64 }

// plan makes random edits' plans until one can be made, and spends it.
func (p *planned) plan(e *editor, i int) error {
	r := newRoll(1_000_000 + i)
	if e.calls > burst-100 { // a plan is its session's: this one is to be spent in the same
		e.calls = burst
	}
	name := fmt.Sprintf("%d/plan %d.md", i%40, i)
	e.box.put(name, r.page())
	for {
		page, err := e.call("mnote_page_get", map[string]any{"documentId": name, "includeBody": false, "includeOptions": false})
		if err != nil || !page.OK {
			return fmt.Errorf("read: %v %s", err, page.raw)
		}
		before := e.box.bytes(name)
		what := r.edit(page.Result)
		what.args["documentId"], what.args["dryRun"] = name, true
		dry, err := e.call(what.tool, what.args)
		if err != nil {
			return err
		}
		if !bytes.Equal(before, e.box.bytes(name)) {
			return fmt.Errorf("a dry run of %s %v changed the page", what.tool, what.args)
		}
		if !dry.OK {
			p.unplanned.Add(1)
			if !slices.Contains(edible, dry.code()) {
				return fmt.Errorf("%s %v: %s", what.tool, what.args, dry.raw)
			}
			continue
		}
		p.made.Add(1)
		return p.spend(e, r, name, what, dry)
	}
}

// spend writes by the plan, with or without somebody in the way.
func (p *planned) spend(e *editor, r roll, name string, what edit, dry envelope) error {
	args := maps.Clone(what.args)
	args["dryRun"], args["planId"] = false, dry.Result.PlanID
	switch r.IntN(5) {
	case 0:
		e.box.put(name, append(e.box.bytes(name), r.of([]string{"x", "\n", " ", "\nA person's line.\n"})...))
		p.edited.Add(1)
		return refusedWhole(e, name, what.tool, args)
	case 1:
		args["content"], args["title"] = "other", "other"
		for _, name := range []string{"content", "title"} {
			if _, had := what.args[name]; !had {
				delete(args, name)
			}
		}
		if maps.EqualFunc(args, what.args, func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) || args["content"] == nil && args["title"] == nil {
			break // nothing of it can be altered
		}
		p.altered.Add(1)
		return refusedWhole(e, name, what.tool, args)
	}
	env, err := e.call(what.tool, args)
	if err != nil || !env.OK {
		return fmt.Errorf("%s %v: %v %s", what.tool, args, err, env.raw)
	}
	if got := hashOf(e.box.bytes(name)); got != dry.Result.ResultHash || got != env.Result.ContentHash || env.Result.Revision != dry.Result.ResultRevision {
		return fmt.Errorf("%s %v promised %s as revision %d and gave %s: %s", what.tool, args, dry.Result.ResultHash, dry.Result.ResultRevision, got, env.raw)
	}
	p.kept.Add(1)
	p.spent.Add(1)
	args["idempotencyKey"] = fmt.Sprint("again ", name)
	return refusedWhole(e, name, what.tool, args)
}

// refusedWhole: the write is a conflict and no byte changes.
func refusedWhole(e *editor, name, tool string, args map[string]any) error {
	before := e.box.bytes(name)
	env, err := e.call(tool, args)
	if err != nil || env.OK || env.code() != "mnote_tool_conflict" {
		return fmt.Errorf("%s %v was to be a conflict: %v %s", tool, args, err, env.raw)
	}
	if !bytes.Equal(before, e.box.bytes(name)) {
		return fmt.Errorf("a refused %s %v changed the page", tool, args)
	}
	return nil
}
