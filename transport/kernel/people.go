package kernel

import (
	"context"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/tools"
)

// ToolSwitch is one line of a tool list for people.
type ToolSwitch struct {
	Name                    tools.Name   `json:"name"`
	Kind                    tools.Kind   `json:"kind"`
	Status                  tools.Status `json:"status"`
	Enabled                 bool         `json:"enabled"`
	PackID                  string       `json:"capabilityId,omitempty"`
	RequiresWritePermission bool         `json:"requiresWritePermission"`
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
	return nil, context.Cause(ctx)
}

// ToggleCapability switches a whole pack.
func (c *Client) ToggleCapability(ctx context.Context, id string, enabled bool) (Toggled, error) {
	return Toggled{}, context.Cause(ctx)
}

// Skills lists the packs in the older skill view.
func (c *Client) Skills(ctx context.Context) ([]SkillSwitch, error) { return nil, context.Cause(ctx) }

// ToggleSkill switches a pack by its skill.
func (c *Client) ToggleSkill(ctx context.Context, id string, enabled bool) (Toggled, error) {
	return Toggled{}, context.Cause(ctx)
}

// Tools lists every tool with its switch.
func (c *Client) Tools(ctx context.Context) ([]ToolSwitch, error) { return nil, context.Cause(ctx) }

// ToggleTool switches a single tool.
func (c *Client) ToggleTool(ctx context.Context, name tools.Name, enabled bool) (Toggled, error) {
	return Toggled{}, context.Cause(ctx)
}

// List gives the document of a list for people as the kernel sent it; what is
// capabilities, skills or tools.
func (c *Client) List(ctx context.Context, what string) (json.RawMessage, error) {
	return nil, context.Cause(ctx)
}

// Toggle switches the pack or tool id in the list what and gives the kernel's
// answer as it was sent.
func (c *Client) Toggle(ctx context.Context, what, id string, enabled bool) (json.RawMessage, error) {
	return nil, context.Cause(ctx)
}
