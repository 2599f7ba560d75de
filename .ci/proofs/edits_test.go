package proofs

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// edible are the codes an edit of a readable page may be refused with.
var edible = []string{"mnote_tool_invalid_block", "mnote_tool_invalid_args", "mnote_tool_conflict"}

// TestEdits: random edits one after the other, over pages with CRLF, BOM, CJK,
// invalid YAML and unclosed fences, then undo, newest first. Each undo brings
// the bytes back that were there before its write; an undo that is undone gives
// the write's again; what is refused changes no byte.
func TestEdits(t *testing.T) {
	t.Parallel()
	sequences := size(150, 10_000)
	var made, refused, undone, identical atomic.Int64
	var all sync.WaitGroup
	const workers = 2
	for w := range workers {
		all.Go(func() {
			e := editor{box: newBox(t)}
			for i := w; i < sequences; i += workers {
				if err := e.sequence(i); err != nil {
					t.Errorf("sequence %d: %v", i, err)
					continue
				}
				identical.Add(1)
			}
			made.Add(e.made)
			refused.Add(e.refused)
			undone.Add(e.undone)
			e.box.swept()
		})
	}
	all.Wait()
	t.Logf("%d of %d sequences byte-identical after undo: %d edits made, %d refused with no byte changed, %d undone", identical.Load(), sequences, made.Load(), refused.Load(), undone.Load())
	if made.Load() < int64(sequences) {
		t.Errorf("%d edits in %d sequences: the proof edits too little", made.Load(), sequences)
	}
}

// editor makes the sequences of one box. A host serves some of them and is
// then replaced, so that undo also crosses processes.
type editor struct {
	box                   *box
	agent                 *agent
	calls                 int
	made, refused, undone int64
}

// burst is below the number of calls that a session may make at once.
const burst = 1500

func (e *editor) call(tool string, args map[string]any) (envelope, error) {
	if e.agent == nil || e.calls >= burst {
		if err := e.renew(); err != nil {
			return envelope{}, err
		}
	}
	e.calls++
	return e.agent.call(tool, args)
}

// renew replaces the host, and with it the session.
func (e *editor) renew() (err error) {
	if e.agent != nil {
		if err := e.agent.leave(); err != nil {
			return fmt.Errorf("the host's end: %w", err)
		}
	}
	e.agent, err = e.box.start()
	e.calls = 0
	return err
}

// step is one write that was made: its command and the bytes before it.
type step struct {
	command string
	before  []byte
	what    edit
}

func (e *editor) sequence(i int) error {
	r := newRoll(i)
	name := fmt.Sprintf("%d/页 %d.md", i%40, i)
	first := r.page()
	e.box.put(name, first)
	var steps []step
	for range 2 + r.IntN(6) {
		s, err := e.edit(r, name)
		if err != nil {
			return fmt.Errorf("%w\non %q", err, first)
		}
		if s != nil {
			steps = append(steps, *s)
		}
	}
	for k, s := range slices.Backward(steps) {
		if err := e.takeBack(r, name, s); err != nil {
			return fmt.Errorf("step %d, %s %v, on %q: %w", k, s.what.tool, s.what.args, first, err)
		}
	}
	if got := e.box.bytes(name); !bytes.Equal(got, first) {
		return fmt.Errorf("%q became %q", first, got)
	}
	return nil
}

// edit makes one random edit; nil is a refusal.
func (e *editor) edit(r roll, name string) (*step, error) {
	page, err := e.call("mnote_page_get", map[string]any{"documentId": name, "includeBody": false, "includeOptions": false})
	if err != nil || !page.OK {
		return nil, fmt.Errorf("read: %v %s", err, page.raw)
	}
	before := e.box.bytes(name)
	what := r.edit(page.Result)
	what.args["documentId"] = name
	env, err := e.call(what.tool, what.args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what.tool, err)
	}
	after := e.box.bytes(name)
	if !env.OK {
		e.refused++
		if !bytes.Equal(before, after) || !slices.Contains(edible, env.code()) {
			return nil, fmt.Errorf("%s %v refused with %q: %q became %q", what.tool, what.args, env.raw, before, after)
		}
		return nil, nil
	}
	e.made++
	grown := env.Result.Revision - page.Result.Revision
	if env.Result.ContentHash != hashOf(after) || bytes.Equal(before, after) != (grown == 0) || grown > 1 {
		return nil, fmt.Errorf("%s %v on %q answers %s and the file is %q", what.tool, what.args, before, env.raw, after)
	}
	return &step{env.Audit.CommandID, before, what}, nil
}

// takeBack undoes a step; one in four is also redone and undone again.
func (e *editor) takeBack(r roll, name string, s step) error {
	after := e.box.bytes(name)
	undo, err := e.undo(name, s.command, s.before)
	if err != nil || r.IntN(4) > 0 {
		return err
	}
	redo, err := e.undo(name, undo, after)
	if err != nil {
		return fmt.Errorf("undo the undo: %w", err)
	}
	_, err = e.undo(name, redo, s.before)
	return err
}

func (e *editor) undo(name, command string, want []byte) (string, error) {
	env, err := e.call("mnote_command_undo", map[string]any{"commandId": command, "dryRun": false})
	if err != nil || !env.OK {
		return "", fmt.Errorf("undo %s: %v %s", command, err, env.raw)
	}
	e.undone++
	if got := e.box.bytes(name); !bytes.Equal(got, want) || env.Result.ContentHash != hashOf(want) {
		return "", fmt.Errorf("undo gives %q, want %q", got, want)
	}
	if !strings.HasPrefix(env.Audit.CommandID, "command_undo_") {
		return "", fmt.Errorf("an undo without a command: %s", env.raw)
	}
	return env.Audit.CommandID, nil
}
