package kernel

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/mnote-dev/mnote-host/tools"
)

// The lists for people, by the last element of their path.
const (
	listCapabilities = "capabilities"
	listSkills       = "skills"
	listTools        = "tools"
)

// runtimeName is the runtime of our packs among a kernel's other ones.
const runtimeName = "mnote"

var documentMembers = []string{"ok", "error"}

// ToolSwitch is one line of a tool list for people.
type ToolSwitch struct {
	Name                    tools.Name   `json:"name"`
	Title                   string       `json:"title,omitempty"`
	Kind                    tools.Kind   `json:"kind,omitempty"`
	Status                  tools.Status `json:"status"`
	Enabled                 bool         `json:"enabled"`
	PackID                  string       `json:"capabilityId,omitempty"`
	RequiresWritePermission bool         `json:"requiresWritePermission,omitempty"`
}

// PackSwitch is one pack as people see it (seed 7-47 §3.1).
type PackSwitch struct {
	ID               string       `json:"id"`
	Title            string       `json:"title"`
	Subtitle         string       `json:"subtitle,omitempty"`
	Description      string       `json:"description"`
	Enabled          bool         `json:"enabled"`
	Toggleable       bool         `json:"toggleable"`
	ReadOnly         bool         `json:"readOnly"`
	SkillID          string       `json:"skillId"`
	ToolNames        []tools.Name `json:"toolNames"`
	Tools            []ToolSwitch `json:"tools"`
	RequiresRefs     []string     `json:"requiresContextRefs"`
	ConfigScope      string       `json:"configScope"`
	UIKind           string       `json:"uiKind,omitempty"`
	NativeAgentTools bool         `json:"nativeAgentTools,omitempty"`
	// Status is planned where none of the pack's tools is there yet.
	Status tools.Status `json:"status,omitempty"`
	// OffReason says why the pack is off where it is not what a person said.
	OffReason string `json:"offReason,omitempty"`
}

// Category groups packs for people.
type Category struct {
	Name  string       `json:"name"`
	Title string       `json:"title"`
	Packs []PackSwitch `json:"capabilities"`
}

// SkillSwitch is one pack in the older skill view.
type SkillSwitch struct {
	ID           string       `json:"id"`
	Title        string       `json:"title"`
	Description  string       `json:"description"`
	Enabled      bool         `json:"enabled"`
	ToolNames    []tools.Name `json:"toolNames"`
	RequiresRefs []string     `json:"requiresContextRefs"`
	ReadOnly     bool         `json:"readOnly"`
}

// Toggled is what a switch did: the pack or tool, and every tool it touched.
type Toggled struct {
	// ID is the pack's id, or the tool's name.
	ID      string
	Enabled bool
	Tools   []ToolSwitch
}

// Capabilities lists the packs with their switches, for people.
func (c *Client) Capabilities(ctx context.Context) ([]Category, error) {
	list, err := listed[struct{ Categories []Category }](ctx, c, listCapabilities)
	return list.Categories, err
}

// Skills lists the packs in the older skill view.
func (c *Client) Skills(ctx context.Context) ([]SkillSwitch, error) {
	list, err := listed[struct{ Skills []SkillSwitch }](ctx, c, listSkills)
	return list.Skills, err
}

// Tools lists every tool with its switch.
func (c *Client) Tools(ctx context.Context) ([]ToolSwitch, error) {
	list, err := listed[struct{ Tools []ToolSwitch }](ctx, c, listTools)
	return list.Tools, err
}

// ToggleCapability switches a whole pack.
func (c *Client) ToggleCapability(ctx context.Context, id string, enabled bool) (Toggled, error) {
	return c.toggled(ctx, listCapabilities, id, enabled)
}

// ToggleSkill switches a pack by its skill.
func (c *Client) ToggleSkill(ctx context.Context, id string, enabled bool) (Toggled, error) {
	return c.toggled(ctx, listSkills, id, enabled)
}

// ToggleTool switches a single tool.
func (c *Client) ToggleTool(ctx context.Context, name tools.Name, enabled bool) (Toggled, error) {
	return c.toggled(ctx, listTools, string(name), enabled)
}

// List gives the document of a list for people as the kernel sent it; what is
// capabilities, skills or tools. The typed lists above read the same document;
// the contract checks want it raw, to see what a kernel really sent.
func (c *Client) List(ctx context.Context, what string) (json.RawMessage, error) {
	return c.document(ctx, order{method: http.MethodGet, path: pathClient + what, query: c.listQuery(what)})
}

// Toggle switches the pack or tool id in the list what and gives the kernel's
// answer as it was sent.
func (c *Client) Toggle(ctx context.Context, what, id string, enabled bool) (json.RawMessage, error) {
	body, err := json.Marshal(c.toggleBody(what, id, enabled))
	if err != nil {
		return nil, tools.AsError(err)
	}
	return c.document(ctx, order{method: http.MethodPut, path: pathClient + what + "/toggle", body: body})
}

// Reset puts every switch back to what the manifest says.
func (c *Client) Reset(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{"runtime": runtimeName})
	if err == nil {
		_, err = c.document(ctx, order{method: http.MethodPut, path: pathClient + "capabilities/reset", body: body})
	}
	return err
}

// listQuery is what each list is narrowed by; seed 7-47 gives each its own words.
func (c *Client) listQuery(what string) url.Values {
	switch what {
	case listTools:
		return url.Values{"scope": {runtimeName}, "profile": {c.cfg.Profile}}
	case listSkills:
		return url.Values{"runtime": {runtimeName}, "agentId": {c.cfg.AgentID}}
	}
	return url.Values{"runtime": {runtimeName}, "agentId": {c.cfg.AgentID}, "profile": {c.cfg.Profile}}
}

// toggleBody is what each switch wants; the skill view is older and goes by agent
// where the others go by profile.
func (c *Client) toggleBody(what, id string, enabled bool) map[string]any {
	switch what {
	case listTools:
		return map[string]any{"scope": runtimeName, "profile": c.cfg.Profile, "name": id, "enabled": enabled}
	case listSkills:
		return map[string]any{"runtime": runtimeName, "agentId": c.cfg.AgentID, "id": id, "enabled": enabled}
	}
	return map[string]any{"runtime": runtimeName, "profile": c.cfg.Profile, "id": id, "enabled": enabled}
}

// document fetches {ok: true, …}; a document that says ok=false is its error.
func (c *Client) document(ctx context.Context, o order) (json.RawMessage, error) {
	a, err := c.fetch(ctx, o)
	if err != nil {
		return nil, err
	}
	m := object{names: documentMembers}
	f := m.read(a.body)
	if f == nil {
		var ok bool
		if ok, f = m.boolean("ok", true); ok {
			return a.body, nil
		}
	}
	if f == nil {
		return nil, c.toldOr(a, flawMissing("error"), o.path)
	}
	return nil, c.breached(o.path, f.breach())
}

// toldOr gives the error that a failed document names, else the flaw.
func (c *Client) toldOr(a answer, f *flaw, path string) *tools.Error {
	if t := toldIn(a.body, c.cfg.Lang); t != nil {
		return t
	}
	return c.breached(path, f.breach())
}

// listed reads a list into T.
func listed[T any](ctx context.Context, c *Client, what string) (T, error) {
	var list T
	doc, err := c.List(ctx, what)
	if err != nil {
		return list, err
	}
	if json.Unmarshal(doc, &list) != nil {
		return list, c.breached(what, flawType(what).breach())
	}
	return list, nil
}

// toggled turns a switch and reads the answer; one that does not say how the
// switch now stands is a breach, for a person will be shown it.
func (c *Client) toggled(ctx context.Context, what, id string, enabled bool) (Toggled, error) {
	doc, err := c.Toggle(ctx, what, id, enabled)
	if err != nil {
		return Toggled{}, err
	}
	var t struct {
		ID, Name string
		Enabled  *bool
		Tools    []ToolSwitch
	}
	if json.Unmarshal(doc, &t) != nil || t.Enabled == nil {
		return Toggled{}, c.breached(what, flawType("enabled").breach())
	}
	if t.ID == "" {
		t.ID = t.Name
	}
	return Toggled{ID: t.ID, Enabled: *t.Enabled, Tools: t.Tools}, nil
}
