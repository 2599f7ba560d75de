package localkernel

import (
	"context"
	"encoding/json"
	"errors"

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
	textUndoneAlready = tools.Text{
		ZH: "这次写入已经撤销过了（%s）；没有改动任何内容。要恢复它，请撤销那次撤销",
		EN: "this write is already undone (by %s); nothing was changed. To have it back, undo that undo",
	}
	textGoneSince = tools.Text{
		ZH: "这次写入之后，它写的内容已被删除，没有可撤销的；没有改动任何内容。删除的页面可用 mnote.doc.restore 恢复",
		EN: "what this write wrote is gone since, so there is nothing to undo; nothing was changed. A page that was deleted comes back with mnote.doc.restore",
	}
	textLift = tools.Text{
		ZH: "这次写入开启了编辑保护（protectEditing），撤销它会关闭保护；需要 unlock: true，会先征求用户同意",
		EN: "this write set the page's protection (protectEditing), and undoing it clears that; it takes unlock: true, and the person is asked first",
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
	if errors.Is(err, protectedPage) {
		ch, err = k.changeOfProtected(tx, c, cmd, err)
	}
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
	ch.source, ch.undoes, ch.sweep = store.SourceUndo, cmd.ID, cmd.Folders
	ch.ops = []page.Op{{Op: "undo", Blocks: len(page.Changes(page.Parse(ch.before), page.Parse(ch.after)))}}
	ch.more = extra{DocumentID: cmd.Path, Undone: cmd.ID}
	return ch, nil
}

// protectedPage is compared by its code alone.
var protectedPage = tools.Errorf(tools.CodePageProtected, tools.Text{})

// changeOfProtected is changeOf for the undo of the write that protected the
// page, where a person agreed to that.
func (k *Kernel) changeOfProtected(tx *store.Tx, c *call, cmd store.Command, refusal error) (*change, error) {
	switch sets, err := setsProtection(tx, cmd); {
	case err != nil:
		return nil, err
	case !sets:
		return nil, refusal
	}
	if c.lifts = string(c.args["unlock"]) == "true"; !c.lifts {
		return nil, tools.Errorf(tools.CodePageProtected, textLift).With("unlock", true)
	}
	return k.changeOf(tx, c, vault.ID(cmd.Path))
}

// setsProtection reports whether a page was open before a write and protected
// after it: of all writes that one alone can be undone while the page is.
func setsProtection(tx *store.Tx, cmd store.Command) (bool, error) {
	var protected [2]bool
	for n, hash := range []string{cmd.Before, cmd.After} {
		data, err := contentOrNone(tx, hash)
		if err != nil {
			return false, err
		}
		options, _ := page.Parse(data).Options() // an unreadable one may say so too
		protected[n] = options.ProtectEditing
	}
	return !protected[0] && protected[1], nil
}

func keptBytes(tx *store.Tx, hash string) ([]byte, error) {
	data, kept, err := tx.Content(hash)
	if err == nil && !kept {
		err = tools.Errorf(tools.CodeConflict, textBytesGone).With("reason", "not_kept")
	}
	return present(data), err
}

// changedSince says why a write is not undone any more: it is already, what it
// wrote is gone, or that was changed; then with a three-way view of what undoing
// would have done, and what was done since.
func changedSince(tx *store.Tx, cmd store.Command, now []byte, revision int64) error {
	by, err := undoneBy(tx, cmd.ID)
	switch {
	case err != nil:
		return err
	case by != "":
		return tools.Errorf(tools.CodeConflict, textUndoneAlready, by).With("reason", "already_undone").
			With("undoneBy", by).With("currentRevision", revision)
	case now == nil:
		return tools.Errorf(tools.CodeConflict, textGoneSince).With("reason", "gone").With("currentRevision", revision)
	}
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

// undoneBy names the undo of a command that stands, or "".
func undoneBy(tx *store.Tx, command string) (string, error) {
	by, found, err := tx.UndoneBy(command)
	if err != nil || !found {
		return "", err
	}
	_, undone, err := tx.UndoneBy(by.ID)
	if undone {
		return "", err
	}
	return by.ID, err
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
