package localkernel

import (
	"context"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

var (
	textNoCommand = tools.Text{
		ZH: "没有这个 commandId，或者不在授权范围内",
		EN: "there is no such commandId, or it is outside what was granted",
	}
	textChangedSince = tools.Text{
		ZH: "这次写入之后内容又被修改，不能直接撤销；details 里有两边的差异，请重新读取后再决定",
		EN: "the content was changed after this write, so it is not undone; details show both differences. Read again, then decide",
	}
	textBytesGone = tools.Text{
		ZH: "这次写入之前的内容已不再保存，不能撤销",
		EN: "what was there before this write is no longer kept, so it cannot be undone",
	}
)

// maxSideDiff bounds each side of a three-way view, in bytes.
const maxSideDiff = 3000

// undo picks what takes the named command back: a file's bytes or an artifact.
func undo(ctx context.Context, k *Kernel, c *call) (implementation, error) {
	if k.state == nil {
		return implementation{}, noState()
	}
	k.stateReady()
	var what implementation
	err := k.state.View(ctx, func(tx *store.Tx) error {
		cmd, err := k.commandOf(tx, c)
		if cmd.Node != "" {
			what = implementation{node: undoNode}
		} else {
			what = implementation{edit: undoEdit}
		}
		return err
	})
	return what, err
}

// commandOf finds the command that the call names. One outside the grant is as
// unknown as one that never was.
func (k *Kernel) commandOf(tx *store.Tx, c *call) (store.Command, error) {
	var id string
	_ = json.Unmarshal(c.args["commandId"], &id) // the schema says it is a string
	cmd, found, err := tx.Command(id)
	if err != nil {
		return cmd, err
	}
	if !found || !c.access.reaches(vault.ID(cmd.Path)) || !k.grantsTool(c, cmd.Tool) {
		return cmd, tools.Errorf(tools.CodeInvalidArgs, textNoCommand).With("reason", "unknown_command").
			With("violations", []violation{{Path: "/commandId", Fault: "unknown command", Allowed: "the commandId of a write"}})
	}
	return cmd, nil
}

// grantsTool reports whether the grant holds the scopes of the tool whose write
// is undone: undoing it is writing where it wrote.
func (k *Kernel) grantsTool(c *call, tool string) bool {
	e := ownCatalogue().byName[tools.Name(tool)]
	if c.Grant == nil || e == nil {
		return true
	}
	for _, s := range e.Scopes {
		if !c.Grant.Allows(s) {
			return false
		}
	}
	return true
}

// undoEdit brings back the bytes that were there before a write to a page, if
// the page still is what that write made of it.
func undoEdit(k *Kernel, tx *store.Tx, c *call) (*change, error) {
	cmd, err := k.commandOf(tx, c)
	if err != nil {
		return nil, err
	}
	ch, err := k.changeOf(tx, c, vault.ID(cmd.Path))
	if err != nil {
		return nil, err
	}
	if hashOrNone(ch.before) != cmd.After {
		return nil, changedSince(tx, cmd, ch.before, ch.base.Revision)
	}
	if cmd.Before != "" {
		if ch.after, err = keptBytes(tx, cmd.Before); err != nil {
			return nil, err
		}
	}
	ch.source, ch.undoes = store.SourceUndo, cmd.ID
	ch.ops = []page.Op{{Op: "undo", Blocks: len(page.Changes(page.Parse(ch.before), page.Parse(ch.after)))}}
	ch.more = extra{DocumentID: cmd.Path, Undone: cmd.ID}
	return ch, nil
}

func keptBytes(tx *store.Tx, hash string) ([]byte, error) {
	data, kept, err := tx.Content(hash)
	if err == nil && !kept {
		err = tools.Errorf(tools.CodeConflict, textBytesGone).With("reason", "not_kept")
	}
	return present(data), err
}

// changedSince refuses with a three-way view: what undoing would have done, and
// what was done since.
func changedSince(tx *store.Tx, cmd store.Command, now []byte, revision int64) error {
	before, err := contentOrNone(tx, cmd.Before)
	if err != nil {
		return err
	}
	after, err := contentOrNone(tx, cmd.After)
	if err != nil {
		return err
	}
	wouldUndo := diffOf(page.Parse(after), page.Parse(before), maxSideDiff)
	since := diffOf(page.Parse(after), page.Parse(now), maxSideDiff)
	return tools.Errorf(tools.CodeConflict, textChangedSince).With("reason", "changed_since").
		With("currentRevision", revision).With("commandRevision", cmd.Revision).
		With("threeWay", map[string]any{"undo": wouldUndo, "since": since})
}

func contentOrNone(tx *store.Tx, hash string) ([]byte, error) {
	if hash == "" {
		return nil, nil
	}
	data, _, err := tx.Content(hash)
	return data, err
}

// undoNode takes an artifact back, or gives it its former text.
func undoNode(k *Kernel, tx *store.Tx, c *call) (*nodeChange, error) {
	cmd, err := k.commandOf(tx, c)
	if err != nil {
		return nil, err
	}
	node, found, err := tx.Node(cmd.Node)
	if err != nil || !found {
		return nil, firstOf(err, notFound())
	}
	n := &nodeChange{id: vault.ID(cmd.Path), node: node, undoes: cmd.ID}
	if n.before, err = contentOrNone(tx, node.Hash); err != nil {
		return nil, err
	}
	if node.Hash != cmd.After {
		return nil, changedSince(tx, cmd, n.before, node.Revision)
	}
	if cmd.Before != "" {
		if n.after, err = keptBytes(tx, cmd.Before); err != nil {
			return nil, err
		}
	}
	n.advance(c, cmd.Before)
	return n, nil
}

// Diff gives the unified diff of one write, for people.
func (k *Kernel) Diff(ctx context.Context, commandID string) (string, error) {
	if k.state == nil {
		return "", noState()
	}
	k.stateReady()
	var text string
	err := k.state.View(ctx, func(tx *store.Tx) error {
		cmd, found, err := tx.Command(commandID)
		if err != nil {
			return err
		}
		if !found {
			return tools.Errorf(tools.CodeInvalidArgs, textNoCommand).With("reason", "unknown_command")
		}
		before, err := contentOrNone(tx, cmd.Before)
		if err != nil {
			return err
		}
		after, err := contentOrNone(tx, cmd.After)
		text = page.Diff(page.Parse(before), page.Parse(after))
		return err
	})
	return text, err
}
