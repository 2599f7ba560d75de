package kerneltest

import (
	"encoding/json"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// doneWrite is the stored answer of a key.
type doneWrite struct {
	body string
	env  tools.Envelope
}

// fakePlan is what a dry run promised.
type fakePlan struct {
	body     string
	revision int64
}

// fakeCommand is one write, to be undone.
type fakeCommand struct {
	page     *fakePage
	before   string
	revision int64 // that it made
	undone   bool
}

// change is a write that was worked out and not yet done.
type change struct {
	page  *fakePage
	text  string
	undid string // the command that it takes back
}

// write answers a tool that writes.
func (f *Fake) write(c tools.Call, t fakeTool) (tools.Envelope, *tools.Error) {
	done, used := f.done[f.slot(c)]
	if used && !c.DryRun && !f.has(IgnoresKeys) {
		return f.replay(c, done)
	}
	ch, e := f.work(c, t)
	switch {
	case e != nil:
		return tools.Envelope{}, e
	case c.DryRun:
		return f.plan(c, ch), nil
	}
	env := f.commit(c, t, ch)
	f.done[f.slot(c)] = doneWrite{bodyOf(c), env}
	return env, nil
}

func (f *Fake) replay(c tools.Call, done doneWrite) (tools.Envelope, *tools.Error) {
	if done.body != bodyOf(c) && !f.has(KeyTakesAnything) {
		return tools.Envelope{}, refusal(tools.CodeIdempotencyConflict, "the key was used for other content")
	}
	env := done.env
	env.ToolCallID, env.TraceID = c.ToolCallID, c.TraceID
	env.Audit.Replayed = !f.has(ReplaysUnmarked)
	if f.has(ReplaysAnew) {
		id := f.next("replay")
		env.Audit.CommandID = &id
	}
	return env, nil
}

// work finds out what a write would do, and whether it may.
func (f *Fake) work(c tools.Call, t fakeTool) (change, *tools.Error) {
	var a fakeArgs
	json.Unmarshal(c.Args, &a) // valid has read them
	if t.requires("commandId") {
		return f.undo(a.CommandID)
	}
	p := f.page(c)
	if e := f.expected(c, a, p); e != nil {
		return change{}, e
	}
	return change{page: p, text: p.edited(a)}, nil
}

// expected compares the revision and the plan that a save names.
func (f *Fake) expected(c tools.Call, a fakeArgs, p *fakePage) *tools.Error {
	conflict := refusal(tools.CodeConflict, "read again")
	if !f.has(ConflictsBlindly) {
		conflict = conflict.With("currentRevision", p.revision)
	}
	ignored := f.has(IgnoresRevisions) || c.DryRun && f.has(DryRunIgnoresRev)
	if a.ExpectedRevision != nil && *a.ExpectedRevision != p.revision && !ignored {
		return conflict
	}
	if a.PlanID == "" {
		if a.Mode != "append" && a.ExpectedRevision == nil {
			return conflict
		}
		return nil
	}
	plan, known := f.plans[a.PlanID]
	if !known || plan.revision != p.revision && !f.has(PlanRepeats) || plan.body != bodyOf(c) && !f.has(PlanBindsNothing) {
		return refusal(tools.CodeConflict, "the plan does not hold").With("reason", "plan")
	}
	if !f.has(PlanRepeats) {
		delete(f.plans, a.PlanID)
	}
	return nil
}

func (f *Fake) undo(id string) (change, *tools.Error) {
	cmd, known := f.commands[id]
	if !known || (cmd.undone || cmd.page.revision != cmd.revision) && !f.has(UndoRepeats) {
		return change{}, refusal(tools.CodeConflict, "nothing to take back")
	}
	text := cmd.before
	if f.has(UndoDoesNothing) {
		text = cmd.page.text
	}
	return change{page: cmd.page, text: text, undid: id}, nil
}

func (f *Fake) plan(c tools.Call, ch change) tools.Envelope {
	id := f.next("plan")
	f.plans[id] = fakePlan{body: bodyOf(c), revision: ch.page.revision}
	result := map[string]any{
		"dryRun": true, "diff": []any{map[string]any{"op": "append", "blocks": 1}}, "planId": id,
		"resultHash": hashOf(ch.text), "resultRevision": ch.page.revision + 1,
	}
	if f.has(PlanMiscounts) {
		result["resultRevision"] = ch.page.revision + 2
	}
	if f.has(DryRunHasNoDiff) {
		delete(result, "diff")
	}
	if f.has(DryRunWrites) {
		ch.page.text, ch.page.revision = ch.text, ch.page.revision+1
	}
	effect, command := tools.EffectDryRun, ""
	if f.has(DryRunSaysWrite) {
		effect, command = tools.EffectWrite, "cmd"
	}
	env, err := tools.Succeed(c, effect, command, result)
	if err != nil {
		return tools.Refuse(c, err)
	}
	if f.has(DryRunUsesKey) {
		f.done[f.slot(c)] = doneWrite{bodyOf(c), env}
	}
	return env
}

func (f *Fake) commit(c tools.Call, t fakeTool, ch change) tools.Envelope {
	before, old := ch.page.text, ch.page.revision
	if !f.has(WriteIsLost) {
		ch.page.text, ch.page.revision = ch.text, old+1
		f.effects++
	}
	id := strings.ReplaceAll(t.Command, ".", "_") + "_" + c.TraceID + "_" + c.ToolCallID
	switch {
	case f.has(WriteSharesID):
		id = "one"
	case f.has(UndoSharesID) && ch.undid != "":
		id = ch.undid
	}
	f.commands[id] = fakeCommand{page: ch.page, before: before, revision: ch.page.revision}
	if undone, known := f.commands[ch.undid]; known && ch.undid != id {
		undone.undone = true
		f.commands[ch.undid] = undone
	}
	result := map[string]any{
		"commandName": t.Command, "revision": ch.page.revision, "previousRevision": old, "contentHash": hashOf(ch.page.text),
	}
	if f.has(WriteKeepsRevision) {
		result["revision"] = old
	}
	if f.has(WriteNamesNothing) {
		delete(result, "commandName")
	}
	if f.has(WriteWithoutID) {
		id = ""
	}
	env, err := tools.Succeed(c, tools.EffectWrite, id, result)
	if err != nil {
		return tools.Refuse(c, err)
	}
	return env
}
