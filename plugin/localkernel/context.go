package localkernel

import (
	"context"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// contextResult is context.get's result.
type contextResult struct {
	WorkspaceID      string                     `json:"workspaceId"`
	DocumentID       *string                    `json:"documentId"`
	Title            *string                    `json:"title"`
	Selection        json.RawMessage            `json:"selection"`
	AccessScope      tools.Grant                `json:"accessScope"`
	ReadOnly         bool                       `json:"readOnly"`
	Notice           string                     `json:"notice,omitempty"`
	Capabilities     []contextPack              `json:"capabilities"`
	SkillPreferences map[string]map[string]bool `json:"skillPreferences"`
	Focus            *string                    `json:"focus"`
	PendingFocus     string                     `json:"pendingFocus,omitempty"`
}

// contextPack is a pack that is on.
type contextPack struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	SkillID  string `json:"skillId"`
	ReadOnly bool   `json:"readOnly"`
}

var (
	textReadOnlyGrant = tools.Text{
		ZH: "只读：当前授权不允许写入；写工具只能 dryRun",
		EN: "read-only (只读): this grant permits no writing; write tools only make dry runs",
	}
	textSharedReadOnly = tools.Text{
		ZH: "只读：当前授权不允许写入；内容是别人共享的，dryRun 也不行",
		EN: "read-only (只读): this grant permits no writing; what it reaches is shared, so dry runs are refused too",
	}
)

// contextGet tells where the call is, what it may do and which packs are on.
func contextGet(_ context.Context, k *Kernel, c *call) (any, error) {
	r := contextResult{
		WorkspaceID: k.id, Selection: c.Selection, AccessScope: k.grantOf(c), Capabilities: []contextPack{},
		SkillPreferences: map[string]map[string]bool{"mnote": {}},
	}
	if title, ok := k.titleOf(c, c.Document()); ok {
		r.DocumentID, r.Title, r.Focus = c.DocumentID, &title, c.DocumentID
	}
	if _, ok := k.titleOf(c, c.PendingFocus); ok {
		r.PendingFocus = c.PendingFocus
	}
	if !r.AccessScope.Level.AtLeast(tools.LevelWrite) {
		r.ReadOnly, r.Notice = true, textReadOnlyGrant.In(c.Lang)
		if r.AccessScope.Shared {
			r.Notice = textSharedReadOnly.In(c.Lang)
		}
	}
	for _, p := range c.view.packs {
		on := c.view.packOn(p)
		r.SkillPreferences["mnote"][p.ID] = on
		if on && isFor(p, c.AgentID) {
			r.Capabilities = append(r.Capabilities, contextPack{ID: p.ID, Title: p.Title, SkillID: p.SkillID, ReadOnly: p.ReadOnly})
		}
	}
	return r, nil
}

// grantOf is the call's grant; the owner's own session has none and holds all.
func (k *Kernel) grantOf(c *call) tools.Grant {
	if c.Grant != nil {
		return *c.Grant
	}
	return tools.Grant{Level: tools.LevelWrite, WorkspaceID: k.id, ResourceIDs: []string{}}
}

// titleOf is the title of a page within the grant; ok is false for everything
// else.
func (k *Kernel) titleOf(c *call, document string) (string, bool) {
	id, err := vault.ParseID(document)
	if err != nil || !c.access.reaches(id) {
		return "", false
	}
	d, err := k.load(c, id)
	if err != nil {
		return "", false
	}
	return d.title(), true
}

// contextRef is one thing that the person attached.
type contextRef struct {
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
}

// listRefs lists what the person attached, as far as the grant reaches.
func listRefs(_ context.Context, k *Kernel, c *call) (any, error) {
	refs := []contextRef{}
	for _, ref := range c.Refs {
		r := contextRef{Kind: ref.Kind, ID: ref.ID}
		switch ref.Kind {
		case "page":
			title, ok := k.titleOf(c, ref.ID)
			if !ok {
				continue
			}
			r.Title = title
		case "folder", "file":
			if id, err := vault.ParseID(ref.ID); err != nil || c.access.narrowed() && !c.access.reaches(id) {
				continue
			}
		case "mindmap", "office":
			if c.Grant != nil && !c.Grant.AllowsResource(ref.ID, "") {
				continue
			}
		default:
			continue
		}
		refs = append(refs, r)
	}
	if len(c.Selection) > 0 && string(c.Selection) != "null" {
		refs = append(refs, contextRef{Kind: "selection", ID: c.Document()})
	}
	return map[string]any{"refs": refs}, nil
}
