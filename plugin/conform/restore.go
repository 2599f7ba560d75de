package conform

import (
	"errors"
	"fmt"

	"github.com/mnote-dev/mnote-host/tools"
)

// leaveAsFound runs a check and then takes back what it wrote.
func (p *probe) leaveAsFound(run func(*probe) error) error {
	before, err := p.read()
	if err != nil {
		return err
	}
	return errors.Join(run(p), p.restore(before))
}

// restore undoes the writes, last first; where that does not bring the document
// back, it gets the blocks it had.
func (p *probe) restore(before page) error {
	undo := p.doc.tool(p.script.Undo).available()
	if undo {
		if err := p.undoAll(before); err != nil {
			return err
		}
	}
	now, err := p.read()
	if err == nil && !now.same(before) {
		now, err = p.replace(before, now)
	}
	switch {
	case err != nil:
		return fmt.Errorf("put the document back: %w", err)
	case undo && !now.same(before) || !now.sameBlocks(before):
		return errors.New("the document is not as it was found, and cannot be put back")
	}
	return nil
}

// undoAll stops as soon as the page is as it was: what a check took back itself
// must not be taken back again.
func (p *probe) undoAll(before page) error {
	for ids := p.written; len(ids) > 0; ids = ids[:len(ids)-1] {
		now, err := p.read()
		if err != nil || now.same(before) {
			return err
		}
		if _, err := p.ask(p.undoing(ids[len(ids)-1])); err != nil {
			return err
		}
	}
	return nil
}

func (p *probe) undoing(commandID string) tools.Call {
	return p.call(p.script.Undo, map[string]any{"commandId": commandID})
}

// replace writes the blocks that were read. A kernel takes its own blocks back,
// but the bytes between them may differ, so after this only texts are compared.
func (p *probe) replace(with, now page) (page, error) {
	args := map[string]any{"mode": "replace", "content": with.Blocks}
	if p.doc.tool(p.script.Save).takes("expectedRevision") {
		args["expectedRevision"] = now.Revision
	}
	if _, err := p.succeed(p.call(p.script.Save, args), tools.EffectWrite); err != nil {
		return page{}, err
	}
	return p.read()
}
