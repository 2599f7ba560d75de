package localkernel

import (
	"context"
	"errors"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// change is what a write tool would do to one file, made under the state's
// write lock and before anything is done.
type change struct {
	// id is the document as the caller is told it, key its name in the state,
	// disk the same as spelled on the disk.
	id   vault.ID
	key  string
	disk string
	// base is what the state knows of it now.
	base store.Document
	// before and after are the file's bytes; nil is no file.
	before, after []byte
	// old and new are the same as pages, where somebody has parsed them already.
	old, new *page.Page
	ops      []page.Op
	warnings []warning
	source   store.Source
	// undoes is the command that is taken back, or "".
	undoes string
	// sweep is how many folders go with the file, where they are empty then.
	sweep int
	// changed are the blocks that the result tells of, all of them.
	changed []page.Change
	// more goes into the result beside what every write answers.
	more extra
}

// warning is a remark about a write that would be made all the same.
type warning struct {
	Reason string `json:"reason"`
	Block  *int   `json:"block,omitempty"`
	Option string `json:"option,omitempty"`
	// Message says it in words, where the reason alone does not say what to do.
	Message string `json:"message,omitempty"`
}

// extra is what some writes answer besides.
type extra struct {
	DocumentID string `json:"documentId,omitempty"`
	Title      string `json:"title,omitempty"`
	Created    *bool  `json:"created,omitempty"`
	Undone     string `json:"undoneCommandId,omitempty"`
	Restored   int64  `json:"restoredRevision,omitempty"`
}

// editTool says what a tool would do to a file. It runs under the state's write
// lock and changes no file.
type editTool func(k *Kernel, tx *store.Tx, c *call) (*change, error)

// maxPage is the largest page: what is larger is not read.
const maxPage = 64 << 20

// makes runs a tool, and refuses what could not be read again.
func (k *Kernel) makes(tx *store.Tx, c *call, tool editTool) (*change, error) {
	ch, err := tool(k, tx, c)
	if err == nil && len(ch.after) > maxPage {
		err = tools.Errorf(tools.CodePayloadTooLarge, textPageSize).With("limit", maxPage)
	}
	return ch, err
}

var (
	textPageSize = tools.Text{
		ZH: "页面会超过 64 MiB；请写得更短，或者分成几个页面",
		EN: "the page would be larger than 64 MiB; write less, or make several pages",
	}
	textUnknownOutcome = tools.Text{
		ZH: "写入的结果没能记录下来，可能已经生效；请用同一个 idempotencyKey 重试",
		EN: "the outcome of the write could not be recorded and it may have taken effect; send it again with the same idempotencyKey",
	}
	textContended = tools.Text{
		ZH: "此刻有别的写入占着这个页面；没有写入任何内容，请稍后重试",
		EN: "others are writing the page at this moment; nothing was written, try again later",
	}
)

// writePatience bounds a write once it is under way. It does not end with its
// caller: a write that has begun is finished, and the answer kept for a retry.
const writePatience = 30 * time.Second

// maxRestarts bounds how often a write starts again because another process
// settled it as cut off in the instant between its two transactions.
const maxRestarts = 50

// edit runs a tool that changes a file.
func (k *Kernel) edit(ctx context.Context, c *call, tool editTool) (tools.Envelope, error) {
	if k.state == nil {
		return k.editStateless(c, tool)
	}
	k.stateReady()
	if err := c.hashBody(); err != nil {
		return tools.Envelope{}, err
	}
	if c.DryRun {
		return k.planEdit(ctx, c, tool)
	}
	if err := ctx.Err(); err != nil {
		return tools.Envelope{}, tools.Errorf(tools.CodeCancelled, textCancelled)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writePatience)
	defer cancel()
	for range maxRestarts {
		env, err := k.editOnce(ctx, c, tool)
		if !errors.Is(err, errRestart) {
			return env, err
		}
	}
	return tools.Envelope{}, tools.Errorf(tools.CodeKernelUnavailable, textContended).With("reason", "busy")
}

var textCancelled = tools.Text{ZH: "调用已被取消；没有写入任何内容", EN: "the call was cancelled; nothing was written"}

// errRestart: the intent was settled by another process before we came to it.
var errRestart = errors.New("the write begins again")

// started is what the first transaction of a write leads to: an answer, or an
// intent to carry out.
type started struct {
	answer *tools.Envelope
	intent store.Intent
	data   []byte
	base   int64 // the revision that the intent goes over
	// changed are the blocks that the answer lists; complete is that it lists all.
	changed  []page.Change
	complete bool
}

func (k *Kernel) editOnce(ctx context.Context, c *call, tool editTool) (tools.Envelope, error) {
	var s started
	err := k.alone(ctx, k.state.Durable, func(tx *store.Tx) (err error) {
		s, err = k.start(tx, c, tool)
		return err
	})
	if err != nil {
		return tools.Envelope{}, err
	}
	if s.answer != nil {
		return *s.answer, nil
	}
	if err := k.at(stepIntended); err != nil {
		return tools.Envelope{}, err
	}
	if err := k.carryOut(ctx, c, s); err != nil {
		return tools.Envelope{}, err
	}
	k.sights.wrote(c, s.intent.Path, s.base, s.intent.Command.Revision, s.changed, s.complete)
	if err := k.at(stepAnswered); err != nil {
		return tools.Envelope{}, err
	}
	return c.answered(s.intent.Answer, false)
}

// start is a write's first transaction: the key, the edit, and the intent.
func (k *Kernel) start(tx *store.Tx, c *call, tool editTool) (s started, err error) {
	if err := k.catchUp(tx); err != nil {
		return s, err
	}
	if s.answer, err = k.replay(tx, c); s.answer != nil || err != nil {
		return s, err
	}
	ch, err := k.promised(tx, c, tool)
	if err != nil {
		return s, err
	}
	intent, err := k.intend(tx, c, ch)
	if err != nil {
		return s, err
	}
	if intent.Before == intent.After {
		s.answer, err = k.finishUnchanged(tx, c, intent)
		return s, err
	}
	for _, data := range [][]byte{ch.before, ch.after} {
		if data == nil {
			continue
		}
		if _, err := tx.PutContent(data); err != nil {
			return s, err
		}
	}
	if intent.ID, err = tx.AddIntent(intent); err != nil {
		return s, err
	}
	s.intent, s.data, s.base = intent, ch.after, ch.base.Revision
	s.changed, s.complete = ch.changed, ch.listed()
	return s, nil
}

// finishUnchanged answers a write that changes nothing: it has a command and no
// revision of its own.
func (k *Kernel) finishUnchanged(tx *store.Tx, c *call, i store.Intent) (*tools.Envelope, error) {
	if err := tx.AddCommand(i.Command); err != nil {
		return nil, err
	}
	if i.PlanID != "" {
		if err := tx.UsePlan(i.PlanID); err != nil {
			return nil, err
		}
	}
	if err := tx.PutDedupe(i.Key, store.Dedupe{Body: i.Body, State: store.KeyDone, Answer: i.Answer}); err != nil {
		return nil, err
	}
	env, err := c.answered(i.Answer, false)
	return &env, err
}

// carryOut is a write's second transaction: the file, then the state's word on
// it. Whoever settles the intent before it, settles it for us.
func (k *Kernel) carryOut(ctx context.Context, c *call, s started) error {
	applied := false
	err := k.alone(ctx, k.state.Durable, func(tx *store.Tx) error {
		i, open, err := tx.Intent(s.intent.ID)
		if err != nil {
			return err
		}
		if !open {
			return errRestart
		}
		err = k.folder.Apply(vault.Write{Path: i.Disk, Temp: i.Temp, Before: i.Before, After: i.After}, s.data)
		if err != nil {
			return k.applyFailed(tx, c, i, err)
		}
		applied = true
		k.sweep(i)
		if _, err = tx.Finish(i); err != nil {
			return err
		}
		return k.at(stepRecorded)
	})
	if err == nil || !applied {
		return err
	}
	k.opts.Log.Error().Err(err).Str("trace", c.TraceID).Msg("a write is done and cannot be recorded yet")
	return tools.Errorf(tools.CodeTimeout, textUnknownOutcome).With("outcome", "unknown").
		With("idempotencyKey", string(c.IdempotencyKey)).Because(err)
}

// sweep takes the folders away that an undone creation had made.
func (k *Kernel) sweep(i store.Intent) {
	if i.After == "" {
		k.folder.Sweep(i.Disk, i.Sweep)
	}
}

// applyFailed says what is true after a write to the folder failed.
func (k *Kernel) applyFailed(tx *store.Tx, c *call, i store.Intent, cause error) error {
	changed, isChanged := errors.AsType[*vault.Changed](cause)
	if isChanged {
		if err := keepStray(tx, i.Path, changed.Stray); err != nil {
			return err
		}
		if err := tx.Drop(i); err != nil {
			return err
		}
		return k.conflictNow(tx, c, i)
	}
	if err := k.settleOne(tx, i); err != nil {
		return err
	}
	d, found, err := tx.Dedupe(i.Key)
	if err != nil || found && d.State == store.KeyDone {
		return err // all but the last step was done: the file is the new bytes
	}
	return coded(cause)
}

// conflictNow is the conflict of a file that another program changed between
// our look and our write.
func (k *Kernel) conflictNow(tx *store.Tx, c *call, i store.Intent) error {
	conflict := tools.Errorf(tools.CodeConflict, textChanged).With("reason", "changed")
	d, err := k.load(c, vault.ID(i.Path))
	if err != nil {
		return conflict
	}
	seen, err := k.see(tx, d)
	if err != nil {
		return err
	}
	return conflict.With("currentRevision", seen.Revision)
}
