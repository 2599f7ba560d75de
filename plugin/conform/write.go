package conform

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
)

func writeChecks() []Check {
	return []Check{
		check("write/effect", NeedsWrite, writeEffect, "A write says effect write, its commandId and commandName, and the new revision; the page shows it."),
		check("write/command-id", NeedsWrite, writeCommandID, "Each write has a commandId of its own."),
		check("write/replay", NeedsWrite, writeReplay, "The same key and content happen once; the replay has this call's ids, the first commandId and audit.replayed."),
		check("write/replay-at-once", NeedsWrite, writeReplayAtOnce, "The same key sent twice at the same time happens once."),
		check("write/key-conflict", NeedsWrite, writeKeyConflict, "The same key for other content is mnote_tool_idempotency_conflict."),
		check("write/revision-conflict", NeedsWrite, writeRevisionConflict, "A revision that is not the current one is mnote_tool_conflict with details.currentRevision."),
		check("write/undo", NeedsWrite, writeUndo, "mnote.command.undo takes a write back and is a write of its own; where it is only planned it is refused."),
	}
}

// write appends a paragraph and reads the page before and after.
func (p *probe) write(text string) (c tools.Call, env tools.Envelope, before, after page, err error) {
	if before, err = p.read(); err != nil {
		return
	}
	c = p.saving(text)
	if env, err = p.succeed(c, tools.EffectWrite); err != nil {
		return
	}
	after, err = p.read()
	return
}

func writeEffect(p *probe) error {
	text := p.marker()
	_, env, before, after, err := p.write(text)
	if err != nil {
		return err
	}
	var result struct {
		CommandName string
		Revision    int64
	}
	if err := json.Unmarshal(env.Result, &result); err != nil {
		return fmt.Errorf("the result is not of its form: %w", err)
	}
	switch {
	case result.CommandName == "":
		return errors.New("the result names no command")
	case after.Revision <= before.Revision || result.Revision != after.Revision:
		return fmt.Errorf("revision %d, then a write to %d, then %d", before.Revision, result.Revision, after.Revision)
	case after.same(before) || after.holds(text) != 1:
		return fmt.Errorf("the page shows the text %d times", after.holds(text))
	}
	return nil
}

func writeCommandID(p *probe) error {
	_, one, _, _, err := p.write(p.marker())
	if err != nil {
		return err
	}
	_, two, _, _, err := p.write(p.marker())
	if err != nil {
		return err
	}
	if *one.Audit.CommandID == *two.Audit.CommandID {
		return fmt.Errorf("two writes share the commandId %q", *one.Audit.CommandID)
	}
	return nil
}

// writeReplay is the retry after a lost answer: its caller must get the answer to
// this call and learn that it is the first one's.
func writeReplay(p *probe) error {
	c, first, _, after, err := p.write(p.marker())
	if err != nil {
		return err
	}
	second, err := p.succeed(p.again(c), tools.EffectWrite)
	switch {
	case err != nil:
		return err
	case *second.Audit.CommandID != *first.Audit.CommandID:
		return fmt.Errorf("the replay has commandId %q, want %q", *second.Audit.CommandID, *first.Audit.CommandID)
	case !second.Audit.Replayed:
		return errors.New("audit.replayed is not true")
	}
	return p.unchanged(after)
}

// writeReplayAtOnce sends one key three times at once, as a client does that gave
// up waiting and tried again. Calls go past ask here: which of the three wrote is
// only known when all are back.
func writeReplayAtOnce(p *probe) error {
	text := p.marker()
	first := p.saving(text)
	calls := []tools.Call{first, p.again(first), p.again(first)}
	envs, errs := make([]tools.Envelope, len(calls)), make([]error, len(calls))
	var all sync.WaitGroup
	for i, c := range calls {
		all.Go(func() { envs[i], errs[i] = p.subject.Kernel.Call(p.ctx, c) })
	}
	all.Wait()
	fresh := 0
	for _, env := range envs {
		if env.OK && env.Audit.CommandID != nil && !env.Audit.Replayed {
			p.written = append(p.written, *env.Audit.CommandID)
			fresh++
		}
	}
	after, err := p.read()
	if n := after.holds(text); err == nil && (n != 1 || fresh != 1) {
		err = fmt.Errorf("one key, %d effects, %d answers that say they wrote", n, fresh)
	}
	return errors.Join(append(errs, err)...)
}

func writeKeyConflict(p *probe) error {
	c, _, _, after, err := p.write(p.marker())
	if err != nil {
		return err
	}
	other := p.saving(p.marker())
	other.IdempotencyKey = c.IdempotencyKey
	if _, err := p.refuse(other, tools.CodeIdempotencyConflict); err != nil {
		return err
	}
	return p.unchanged(after)
}

// writeRevisionConflict tries a revision from the past and one from the future;
// only the current one is what the writer has read. A kernel whose schema has no
// expectedRevision has nothing to compare.
func writeRevisionConflict(p *probe) error {
	if !p.doc.tool(p.script.Save).takes("expectedRevision") {
		return nil
	}
	_, _, before, after, err := p.write(p.marker())
	if err != nil {
		return err
	}
	for _, stale := range []int64{before.Revision, after.Revision + 1} {
		e, err := p.refuse(with(p.saving(p.marker()), "expectedRevision", stale), tools.CodeConflict)
		if err != nil {
			return fmt.Errorf("expectedRevision %d on revision %d: %w", stale, after.Revision, err)
		}
		if got := fmt.Sprint(e.Details["currentRevision"]); got != fmt.Sprint(after.Revision) {
			return fmt.Errorf("details.currentRevision is %s, want %d", got, after.Revision)
		}
	}
	return p.unchanged(after)
}

// writeUndo holds both kinds of kernel to their word: what offers undo must undo,
// and what plans it must refuse.
func writeUndo(p *probe) error {
	_, env, before, after, err := p.write(p.marker())
	if err != nil {
		return err
	}
	if !p.doc.tool(p.script.Undo).available() {
		if _, err := p.refuse(p.undoing(*env.Audit.CommandID), tools.CodeNotFound, tools.CodeDisabled); err != nil {
			return err
		}
		return p.unchanged(after)
	}
	undone, err := p.succeed(p.undoing(*env.Audit.CommandID), tools.EffectWrite)
	if err != nil {
		return err
	}
	if *undone.Audit.CommandID == *env.Audit.CommandID {
		return errors.New("the undo has the commandId of what it undoes")
	}
	now, err := p.read()
	switch {
	case err != nil:
		return err
	case !now.same(before):
		return errors.New("after the undo the page is not as it was")
	case now.Revision <= after.Revision:
		return fmt.Errorf("the undo took the revision from %d to %d", after.Revision, now.Revision)
	}
	return p.undoTwice(*env.Audit.CommandID, now)
}

// undoTwice tries to take back what was taken back, and what never was.
func (p *probe) undoTwice(commandID string, now page) error {
	for _, id := range []string{commandID, "conform_" + p.subject.newID()} {
		env, err := p.ask(p.undoing(id))
		if err != nil {
			return err
		}
		if env.OK {
			return fmt.Errorf("the undo of %q succeeded, though there is nothing to take back", id)
		}
	}
	return p.unchanged(now)
}
