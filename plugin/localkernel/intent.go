package localkernel

import (
	"fmt"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// intend makes a write's intent: all that finishing it takes, its answer
// included.
func (k *Kernel) intend(tx *store.Tx, c *call, ch *change) (store.Intent, error) {
	commandID, err := tx.FreeCommandID(c.commandID())
	if err != nil {
		return store.Intent{}, err
	}
	i := store.Intent{
		Path: ch.key, Disk: ch.disk, Temp: vault.TempPrefix + k.opts.NewID(), Before: hashOrNone(ch.before), After: hashOrNone(ch.after),
		Key: c.key(), Body: c.body, PlanID: c.planID(), Sweep: ch.sweep,
	}
	revision := ch.base.Revision
	if i.Before != i.After {
		if revision, err = tx.NextRevision(ch.key); err != nil {
			return i, err
		}
	}
	folders := 0
	if i.Before == "" {
		if folders, err = k.folder.Missing(i.Disk); err != nil {
			return i, err
		}
	}
	i.Command = store.Command{
		ID: commandID, Name: c.Command, Tool: string(c.ToolName), Path: ch.key, Before: i.Before, After: i.After, Revision: revision,
		Undoes: ch.undoes, Folders: folders, Actor: c.ActorID, Session: c.SessionID, Trace: c.TraceID,
	}
	i.Revision = store.Revision{
		Path: ch.key, Hash: i.After, Source: ch.source, Actor: c.ActorID, Session: c.SessionID, Trace: c.TraceID,
		CommandID: commandID, Summary: summarise(c.Command, ch.ops),
	}
	env, err := tools.Succeed(c.Call, tools.EffectWrite, commandID, k.writtenResult(c, ch, i))
	if err != nil {
		return i, err
	}
	env.Audit.DocumentID = ptr(string(ch.id))
	if i.Before != i.After {
		env.Audit.ChangedFiles = []tools.ChangedFile{{Path: string(ch.id), Kind: string(vault.KindPage)}}
	}
	i.Answer = env.JSON()
	return i, nil
}

// present keeps the bytes of an empty file from being no file.
func present(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

func ptr[T any](v T) *T { return &v }

func hashOrNone(data []byte) string {
	if data == nil {
		return ""
	}
	return vault.HashOf(data)
}

// summarise tells a write in a few words that hold no content.
func summarise(command string, ops []page.Op) string {
	words := []string{command}
	for _, op := range ops {
		words = append(words, fmt.Sprintf("%s %d", op.Op, op.Blocks))
	}
	return strings.Join(words, " · ")
}

// commandID is 7-6's <command>_<traceId>, and the call's id.
func (c *call) commandID() string {
	return strings.ReplaceAll(c.Command, ".", "_") + "_" + c.TraceID + "_" + c.ToolCallID
}
