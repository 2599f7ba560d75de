package localkernel

import (
	"context"

	"github.com/mnote-dev/mnote-host/tools"
)

// readTool answers a call that changes nothing.
type readTool func(ctx context.Context, k *Kernel, c *call) (any, error)

// implementation is what runs a tool: one of the four.
type implementation struct {
	read readTool
	edit editTool
	node nodeTool
	// pick finds out which of the others the call needs.
	pick func(ctx context.Context, k *Kernel, c *call) (implementation, error)
}

// implementations pairs each tool of the manifest that is not planned with what
// runs it. The pairing is tested both ways.
func implementations() map[tools.Name]implementation {
	return map[tools.Name]implementation{
		"mnote.skill.read":              {read: readSkill},
		"mnote.context.get":             {read: contextGet},
		"mnote.context.list_refs":       {read: listRefs},
		"mnote.page.get":                {read: pageGet},
		"mnote.page.save":               {edit: onPage(savePage)},
		"mnote.page.update_title":       {edit: onPage(updateTitle)},
		"mnote.page.update_options":     {edit: onPage(updateOptions)},
		"mnote.doc.list":                {read: docList},
		"mnote.doc.create":              {edit: createDoc},
		"mnote.doc.history":             {read: docHistory},
		"mnote.doc.restore":             {edit: restoreDoc},
		"mnote.command.undo":            {pick: undo},
		"mnote.block.get":               {read: blockGet},
		"mnote.block.insert":            {edit: onBlocks(insertBlock)},
		"mnote.block.update":            {edit: onBlocks(updateBlock)},
		"mnote.block.delete":            {edit: onBlocks(deleteBlock)},
		"mnote.block.move":              {edit: onBlocks(moveBlock)},
		"mnote.artifact.list":           {read: listArtifacts},
		"mnote.artifact.create_summary": {node: createSummary},
		"mnote.artifact.create_ai_note": {node: createNote},
	}
}

// run takes a call through the checks and has its tool run.
func (k *Kernel) run(ctx context.Context, c *call) (tools.Envelope, error) {
	if err := k.admit(ctx, c); err != nil {
		return tools.Envelope{}, k.withNear(ctx, c, err)
	}
	env, err := k.dispatch(ctx, c, k.tools[c.ToolName])
	if err != nil {
		return env, k.withNear(ctx, c, err)
	}
	if env.Audit.Effect == tools.EffectWrite {
		k.mark()
	}
	return env, nil
}

func (k *Kernel) dispatch(ctx context.Context, c *call, tool implementation) (tools.Envelope, error) {
	switch {
	case tool.pick != nil:
		picked, err := tool.pick(ctx, k, c)
		if err != nil {
			return tools.Envelope{}, err
		}
		return k.dispatch(ctx, c, picked)
	case tool.edit != nil:
		return k.edit(ctx, c, tool.edit)
	case tool.node != nil:
		return k.keepNode(ctx, c, tool.node)
	case tool.read != nil:
		result, err := tool.read(ctx, k, c)
		if err != nil {
			return tools.Envelope{}, err
		}
		return tools.Succeed(c.Call, tools.EffectRead, "", result)
	}
	return tools.Envelope{}, tools.Errorf(tools.CodeNotFound, textPlanned, c.ToolName).With("status", "planned")
}
