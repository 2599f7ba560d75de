package localkernel

import (
	"encoding/json"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

var (
	textKeyUsed = tools.Text{
		ZH: "同一幂等键已用于不同的内容；请换一个新的 idempotencyKey",
		EN: "the idempotency key was used for other content; use a new one",
	}
	textKeyOld = tools.Text{
		ZH: "这个幂等键的写入早已完成，它的回答已不再保存；请换一个新的 idempotencyKey",
		EN: "the write of this idempotency key was done long ago and its answer is no longer kept; use a new one",
	}
	textDoubt = tools.Text{
		ZH: "这次写入曾被中断，之后页面又被别的程序修改，无法断定它是否生效；请重新读取页面再决定，并换一个新的 idempotencyKey",
		EN: "this write was cut off and another program changed the page afterwards, so nobody can tell whether it took effect; read the page again, then decide again with a new idempotencyKey",
	}
)

// key is what the state knows the call by.
func (c *call) key() store.Key {
	return store.Key{Actor: c.ActorID, Profile: c.Profile, Tool: string(c.ToolName), Key: string(c.IdempotencyKey)}
}

// planID gives the plan that the call names, or "".
func (c *call) planID() string {
	var id string
	_ = json.Unmarshal(c.args["planId"], &id) // the schema says it is a string
	return id
}

// hashBody hashes what a key and a plan are bound to: the document and the
// arguments, less what may differ between a dry run, its write and a retry.
func (c *call) hashBody() error {
	args := map[string]json.RawMessage{}
	for name, value := range c.args {
		if name != "planId" {
			args[name] = value
		}
	}
	raw, err := json.Marshal(map[string]any{"documentId": c.DocumentID, "args": args})
	if err != nil {
		return err
	}
	c.body = vault.HashOf(schema.Canonical(raw))
	return nil
}

// replay gives the stored answer of a key that was used before.
func (k *Kernel) replay(tx *store.Tx, c *call) (*tools.Envelope, error) {
	d, found, err := tx.Dedupe(c.key())
	if err != nil || !found {
		return nil, err
	}
	if d.Body != c.body {
		return nil, tools.Errorf(tools.CodeIdempotencyConflict, textKeyUsed)
	}
	if d.State == store.KeyOpen { // cut off, or in another process's hands until this instant
		i, open, err := tx.IntentOf(c.key())
		if err != nil {
			return nil, err
		}
		if open {
			if err := k.settleOne(tx, i); err != nil {
				return nil, err
			}
		}
		if d, found, err = tx.Dedupe(c.key()); err != nil || !found {
			return nil, err
		}
	}
	switch {
	case d.State == store.KeyDoubt:
		return nil, tools.Errorf(tools.CodeConflict, textDoubt).With("reason", "in_doubt")
	case len(d.Answer) == 0:
		return nil, tools.Errorf(tools.CodeIdempotencyConflict, textKeyOld).With("reason", "answer_dropped")
	}
	env, err := c.answered(d.Answer, true)
	return &env, err
}

// answered makes a stored answer this call's.
func (c *call) answered(stored []byte, replayed bool) (tools.Envelope, error) {
	var env tools.Envelope
	if err := json.Unmarshal(stored, &env); err != nil {
		return env, err
	}
	env.ToolCallID, env.TraceID = c.ToolCallID, c.TraceID
	env.Audit.Replayed = replayed
	return env, nil
}
