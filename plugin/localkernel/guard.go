package localkernel

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// admit takes a call through the checks in the order of kernel-api: login came
// before; idempotency comes with the write.
func (k *Kernel) admit(ctx context.Context, c *call) error {
	if err := k.member(c); err != nil {
		return err
	}
	if err := k.find(c); err != nil {
		return err
	}
	if err := k.switchedOn(ctx, c); err != nil {
		return err
	}
	if err := k.here(c); err != nil {
		return err
	}
	if err := k.scoped(c); err != nil {
		return err
	}
	if err := mayWrite(c); err != nil {
		return err
	}
	if err := k.readArgs(c); err != nil {
		return err
	}
	return k.reach(c)
}

var (
	textMember = tools.Text{
		ZH: "当前用户不是这个工作区的成员",
		EN: "this actor is no member of the workspace",
	}
	textUnknownTool = tools.Text{
		ZH: "本地内核没有工具 %s",
		EN: "the local kernel has no tool %s",
	}
	textPlanned = tools.Text{
		ZH: "工具 %s 已列入计划，本地内核还没有实现它",
		EN: "the tool %s is planned; the local kernel does not have it yet",
	}
	textNoWorkspace = tools.Text{ZH: "缺少工作区", EN: "the call names no workspace"}
	textWorkspace   = tools.Text{
		ZH: "不是这个内核的工作区，或者没有授权",
		EN: "not this kernel's workspace, or not granted",
	}
	textScope = tools.Text{
		ZH: "授权不包含权限 %s",
		EN: "the grant does not hold the permission %s",
	}
	textExpired = tools.Text{ZH: "授权已过期", EN: "the grant has expired"}
	textLevel   = tools.Text{
		ZH: "当前授权不允许读取",
		EN: "the grant permits no reading",
	}
	textNoWrite = tools.Text{
		ZH: "当前授权是只读的，不能调用写工具 %s",
		EN: "the grant is read-only; the write tool %s is not permitted",
	}
	textNoDocumentID = tools.Text{
		ZH: "没有当前页面：请给出 documentId",
		EN: "there is no current page: name a documentId",
	}
)

func denied(text tools.Text, args ...any) *tools.Error {
	return tools.Errorf(tools.CodePermissionDenied, text, args...)
}

// member checks that the actor belongs to the workspace.
func (k *Kernel) member(c *call) error {
	if k.opts.ActorID != "" && c.ActorID != k.opts.ActorID {
		return denied(textMember).With("reason", "member")
	}
	return nil
}

// find looks the tool up. A planned one is not there yet, and says so.
func (k *Kernel) find(c *call) error {
	e := ownCatalogue().byName[c.ToolName]
	if e == nil {
		return tools.Errorf(tools.CodeNotFound, textUnknownTool, c.ToolName)
	}
	switch c.entry = e; {
	case e.Status == tools.StatusPlanned:
		return tools.Errorf(tools.CodeNotFound, textPlanned, c.ToolName).With("status", "planned")
	case e.Status == tools.StatusAvailable, e.Status == tools.StatusCompat && !e.Writes():
		return nil
	}
	return tools.Errorf(tools.CodeNotFound, textUnknownTool, c.ToolName)
}

// switchedOn checks the profile's switches. They bind agents: the person's own
// undo passes, so that switching a pack off takes nobody's way back.
func (k *Kernel) switchedOn(ctx context.Context, c *call) error {
	var err error
	if c.view, err = k.view(ctx, c.Profile); err != nil {
		return err
	}
	if on, _ := c.view.state(c.entry.Tool); on || c.person && c.ToolName == capabilities.ToolCommandUndo {
		return nil
	}
	return capabilities.Off(string(c.ToolName), c.view.offReason(c.entry.Tool))
}

// here checks that the call means this workspace, and that it is still there.
func (k *Kernel) here(c *call) error {
	if c.WorkspaceID == "" {
		return tools.Errorf(tools.CodeMissingContext, textNoWorkspace).With("missing", "workspaceId")
	}
	if c.WorkspaceID != k.id || c.Grant != nil && c.Grant.WorkspaceID != "" && c.Grant.WorkspaceID != k.id {
		return denied(textWorkspace).With("reason", "workspace")
	}
	return k.folder.Present()
}

// scoped checks that the grant holds, permits reading, and has each permission
// word of the tool.
func (k *Kernel) scoped(c *call) error {
	c.access = accessOf(c.Grant, k.folder.Roots())
	if g := c.Grant; g != nil && g.Expired(k.opts.Now()) {
		return denied(textExpired).With("reason", "expired")
	}
	if g := c.Grant; g != nil && !g.Level.AtLeast(tools.LevelRead) {
		return denied(textLevel).With("reason", "level")
	}
	for _, s := range c.entry.Scopes {
		if !slices.Contains(c.Call.Scopes, s) || c.Grant != nil && !c.Grant.Allows(s) {
			return denied(textScope, s).With("reason", "scope").With("scope", s)
		}
	}
	return nil
}

// mayWrite guards writes. A dry run is a read, except on a shared page.
func mayWrite(c *call) error {
	g := c.Grant
	if g == nil || g.Level.AtLeast(tools.LevelWrite) || !c.Writes() && !c.RequiresWritePermission {
		return nil
	}
	if c.Writes() && c.DryRun && !g.Shared {
		return nil
	}
	return denied(textNoWrite, c.ToolName).With("reason", "read_only_grant")
}

// reach checks the document that the call names: a path of the workspace,
// within the grant, and where links lead within it too. Outside the grant the
// answer is the same whether it exists or not.
func (k *Kernel) reach(c *call) error {
	if c.Document() == "" {
		return nil
	}
	id, err := vault.ParseID(c.Document())
	if err != nil {
		return err
	}
	return k.reachable(c, id)
}

// reachable checks one id against the grant, and where its links lead.
func (k *Kernel) reachable(c *call, id vault.ID) error {
	if !c.access.reaches(id) {
		return notFound()
	}
	real, err := k.folder.Lookup(id)
	if errors.Is(err, vault.ErrNotFound) { // a write may make it, a replay may not need it
		return nil
	}
	if err != nil {
		return fmt.Errorf("reach a document: %w", err)
	}
	if !c.access.reaches(real) {
		return notFound()
	}
	return nil
}
