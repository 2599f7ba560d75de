package localkernel

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// nodeChange is what a write tool would do to one artifact, made under the
// state's write lock.
type nodeChange struct {
	// id is the page as the caller is told it, node the artifact's next state.
	id   vault.ID
	node store.Node
	// before and after are the artifact's texts; nil is none.
	before, after []byte
	created       bool
	undoes        string
}

// nodeTool says what a tool would do to an artifact.
type nodeTool func(k *Kernel, tx *store.Tx, c *call) (*nodeChange, error)

// maxArtifact is the longest text of an artifact, in bytes.
const maxArtifact = 256 << 10

var (
	textArtifactSize = tools.Text{
		ZH: "内容超过 256 KiB；请写得更短",
		EN: "the text is longer than 256 KiB; write a shorter one",
	}
	textArtifactEmpty = tools.Text{ZH: "内容是空的", EN: "the text is empty"}
)

// artifactWritten is the result of a write to an artifact.
type artifactWritten struct {
	CommandName      string `json:"commandName"`
	NodeID           string `json:"nodeId"`
	Kind             string `json:"kind"`
	DocumentID       string `json:"documentId"`
	EdgeID           string `json:"edgeId"`
	Created          bool   `json:"created"`
	Revision         int64  `json:"revision"`
	PreviousRevision int64  `json:"previousRevision"`
	ContentHash      string `json:"contentHash"`
	diff
	Undone string `json:"undoneCommandId,omitempty"`
}

// keepNode runs a tool that changes an artifact: all of it is in the state, so
// one transaction is enough.
func (k *Kernel) keepNode(ctx context.Context, c *call, tool nodeTool) (env tools.Envelope, err error) {
	if k.state == nil {
		return env, noState()
	}
	k.stateReady()
	if err := c.hashBody(); err != nil {
		return env, err
	}
	run, step := k.state.Durable, k.writeNode
	if c.DryRun {
		run, step = k.state.Update, k.planNode
	} else {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), writePatience)
		defer cancel()
	}
	err = k.alone(ctx, run, func(tx *store.Tx) error {
		env, err = step(tx, c, tool)
		return err
	})
	return env, err
}

func (k *Kernel) writeNode(tx *store.Tx, c *call, tool nodeTool) (tools.Envelope, error) {
	if old, err := k.replay(tx, c); old != nil || err != nil {
		if old == nil {
			old = &tools.Envelope{}
		}
		return *old, err
	}
	n, err := k.promisedNode(tx, c, tool)
	if err != nil {
		return tools.Envelope{}, err
	}
	return k.putNode(tx, c, n)
}

// putNode keeps an artifact's next state, its command, and the key's answer.
func (k *Kernel) putNode(tx *store.Tx, c *call, n *nodeChange) (env tools.Envelope, err error) {
	if n.after != nil {
		if _, err := tx.PutContent(n.after); err != nil {
			return env, err
		}
	}
	if err := tx.PutNode(n.node); err != nil {
		return env, err
	}
	id, err := tx.FreeCommandID(c.commandID())
	if err != nil {
		return env, err
	}
	if err := tx.AddCommand(store.Command{
		ID: id, Name: c.Command, Tool: string(c.ToolName), Path: n.node.Path, Before: hashOrNone(n.before), After: hashOrNone(n.after),
		Revision: n.node.Revision, Node: n.node.ID, Undoes: n.undoes, Actor: c.ActorID, Session: c.SessionID, Trace: c.TraceID,
	}); err != nil {
		return env, err
	}
	if plan := c.planID(); plan != "" {
		if err := tx.UsePlan(plan); err != nil {
			return env, err
		}
	}
	if env, err = tools.Succeed(c.Call, tools.EffectWrite, id, n.result(c)); err != nil {
		return env, err
	}
	env.Audit.DocumentID = ptr(string(n.id))
	return env, tx.PutDedupe(c.key(), store.Dedupe{Body: c.body, State: store.KeyDone, Answer: env.JSON()})
}

func (n *nodeChange) result(c *call) artifactWritten {
	return artifactWritten{
		CommandName: c.Command, NodeID: n.node.ID, Kind: string(n.node.Kind), DocumentID: string(n.id), EdgeID: n.node.EdgeID,
		Created: n.created, Revision: n.node.Revision, PreviousRevision: n.node.Revision - 1, ContentHash: n.node.Hash,
		diff: n.diff(maxDiff), Undone: n.undoes,
	}
}

func (n *nodeChange) diff(limit int) diff {
	return diffOf(page.Parse(n.before), page.Parse(n.after), limit)
}

// planNode is a dry run on an artifact.
func (k *Kernel) planNode(tx *store.Tx, c *call, tool nodeTool) (env tools.Envelope, err error) {
	n, err := tool(k, tx, c)
	if err != nil {
		return env, err
	}
	p := store.Plan{
		ID: "plan_" + k.opts.NewID(), Session: c.SessionID, Actor: c.ActorID, Tool: string(c.ToolName), Path: n.node.Path, Body: c.body,
		BaseRevision: n.node.Revision - 1, BaseHash: hashOrNone(n.before), ResultHash: hashOrNone(n.after), Expires: tx.Now().Add(planLife),
	}
	if err := tx.AddPlan(p); err != nil {
		return env, err
	}
	op := "update"
	switch {
	case n.after == nil:
		op = "delete"
	case n.created:
		op = "create"
	}
	return tools.Succeed(c.Call, tools.EffectDryRun, "", planned{
		DryRun: true, Diff: []page.Op{{Op: op, Blocks: 1}}, PlanID: p.ID, ExpiresAt: p.Expires.UTC().Format(time.RFC3339),
		BaseRevision: p.BaseRevision, ResultRevision: n.node.Revision, ResultHash: p.ResultHash, diff: plannedDiff(c, page.Parse(n.before), page.Parse(n.after)),
		Warnings: []warning{},
	})
}

// promisedNode gives the change that a write makes; a plan's must still be what
// it promised.
func (k *Kernel) promisedNode(tx *store.Tx, c *call, tool nodeTool) (*nodeChange, error) {
	if c.planID() == "" {
		return tool(k, tx, c)
	}
	p, err := usablePlan(tx, c)
	if err != nil {
		return nil, err
	}
	n, err := tool(k, tx, c)
	if err != nil {
		return nil, err
	}
	if n.node.Path != p.Path || n.node.Revision-1 != p.BaseRevision || hashOrNone(n.before) != p.BaseHash || hashOrNone(n.after) != p.ResultHash {
		return nil, planConflict("stale").With("currentRevision", n.node.Revision-1)
	}
	return n, nil
}

// artifactText reads an artifact's text from the call.
func artifactText(c *call, name string) ([]byte, error) {
	var text string
	if err := json.Unmarshal(c.args[name], &text); err != nil {
		return nil, invalid("/"+name, tools.Text{ZH: "不是字符串", EN: "no string"}, tools.Text{ZH: "字符串", EN: "a string"})
	}
	switch {
	case len(text) > maxArtifact:
		return nil, tools.Errorf(tools.CodePayloadTooLarge, textArtifactSize).With("limit", maxArtifact)
	case strings.TrimSpace(text) == "":
		return nil, tools.Errorf(tools.CodeInvalidArgs, textArtifactEmpty).
			With("violations", []violation{{Path: "/" + name, Fault: "empty", Allowed: "text"}})
	}
	return []byte(text), page.CheckText("/"+name, text)
}

// artifactPage finds the page that an artifact belongs to. A protected page may
// have artifacts: they leave it alone.
func (k *Kernel) artifactPage(c *call) (id vault.ID, key string, err error) {
	if id, err = c.documentID(); err != nil {
		return id, "", err
	}
	real, err := k.folder.Lookup(id)
	if err != nil {
		return id, "", coded(err)
	}
	if !c.access.reaches(real) || vault.KindOf(string(real)) != vault.KindPage {
		return id, "", notFound()
	}
	return id, string(real), nil
}

// createSummary makes or updates the page's one summary.
func createSummary(k *Kernel, tx *store.Tx, c *call) (*nodeChange, error) {
	id, key, err := k.artifactPage(c)
	if err != nil {
		return nil, err
	}
	after, err := artifactText(c, "summary")
	if err != nil {
		return nil, err
	}
	n := &nodeChange{id: id, after: after}
	old, found, err := tx.Summary(key)
	if err != nil {
		return nil, err
	}
	n.node, n.created = old, !found || old.Hash == ""
	if !found {
		n.node = store.Node{ID: "node_" + k.opts.NewID(), Kind: store.NodeSummary, Path: key}
	}
	if n.node.EdgeID == "" {
		n.node.EdgeID = "edge_" + k.opts.NewID()
	}
	if old.Hash != "" {
		if n.before, err = textOf(tx, old.Hash); err != nil {
			return nil, err
		}
	}
	n.advance(c, vault.HashOf(after))
	return n, nil
}

// createNote makes a new note about the page, each time.
func createNote(k *Kernel, _ *store.Tx, c *call) (*nodeChange, error) {
	id, key, err := k.artifactPage(c)
	if err != nil {
		return nil, err
	}
	after, err := artifactText(c, "content")
	if err != nil {
		return nil, err
	}
	n := &nodeChange{id: id, after: after, created: true, node: store.Node{
		ID: "node_" + k.opts.NewID(), Kind: store.NodeAINote, Path: key, EdgeID: "edge_" + k.opts.NewID(),
	}}
	n.advance(c, vault.HashOf(after))
	return n, nil
}

// advance gives the node its next revision.
func (n *nodeChange) advance(c *call, hash string) {
	n.node.Revision++
	n.node.Hash, n.node.Actor = hash, c.ActorID
}

func textOf(tx *store.Tx, hash string) ([]byte, error) {
	text, _, err := tx.Content(hash)
	return present(text), err
}
