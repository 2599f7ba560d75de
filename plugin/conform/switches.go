package conform

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mnote-dev/mnote-host/tools"
)

func switchChecks() []Check {
	return []Check{
		check("switches/capabilities", NeedsSwitches, switchesCapabilities, "GET …/capabilities answers seed 7-47 §3.1: categories of packs, each with its tools."),
		check("switches/skills", NeedsSwitches, switchesSkills, "GET …/skills shows the same packs with the same switches."),
		check("switches/tools", NeedsSwitches, switchesTools, "GET …/tools lists every tool of the manifest with its switch."),
		check("switches/pack", NeedsSwitches, switchesPack, "A pack switched off: its tools refuse with mnote_tool_disabled, reason capability, and say disabled_by_capability; on again they run."),
		check("switches/skill", NeedsSwitches, switchesSkill, "PUT …/skills/toggle turns the same switch."),
		check("switches/tool", NeedsSwitches, switchesTool, "A tool switched off by itself refuses with mnote_tool_disabled, reason tool, and says disabled."),
		check("switches/both", NeedsSwitches, switchesBoth, "Switching a pack off and on restores exactly what was before."),
		check("switches/manifest", NeedsSwitches, switchesManifest, "A switch changes the manifest and its ETag."),
		check("switches/fixed", NeedsSwitches, switchesFixed, "A pack with toggleable: false keeps its switch."),
		check("switches/unknown", NeedsSwitches, switchesUnknown, "An unknown id is refused with an error object."),
	}
}

// The lists for people.
const (
	listCapabilities = "capabilities"
	listSkills       = "skills"
	listTools        = "tools"
)

// toolSwitch is a line of a tool list.
type toolSwitch struct {
	Name    string
	Kind    tools.Kind
	Status  tools.Status
	Enabled *bool
}

type packSwitch struct {
	ID, Title           string
	Enabled, Toggleable *bool
	ReadOnly            *bool
	ToolNames           []string
	Tools               []toolSwitch
	ConfigScope         string
}

func (p *probe) list(what string, into any) error {
	doc, err := p.subject.People.List(p.ctx, what)
	if err != nil {
		return fmt.Errorf("list %s: %w", what, err)
	}
	if err := json.Unmarshal(doc, into); err != nil {
		return fmt.Errorf("list %s: not of its form: %w", what, err)
	}
	return nil
}

func (p *probe) packs() ([]packSwitch, error) {
	var list struct {
		Categories []struct {
			Name         string
			Capabilities []packSwitch
		}
	}
	if err := p.list(listCapabilities, &list); err != nil {
		return nil, err
	}
	var all []packSwitch
	for _, c := range list.Categories {
		if c.Name == "" {
			return nil, errors.New("a category has no name")
		}
		all = append(all, c.Capabilities...)
	}
	return all, nil
}

func (p *probe) toolSwitches() ([]toolSwitch, error) {
	var list struct{ Tools []toolSwitch }
	err := p.list(listTools, &list)
	return list.Tools, err
}

// toolSwitch gives the line of the tool that the checks read with.
func (p *probe) toolSwitch() (toolSwitch, error) {
	all, err := p.toolSwitches()
	if err != nil {
		return toolSwitch{}, err
	}
	if i := slices.IndexFunc(all, func(t toolSwitch) bool { return t.Name == string(p.script.Read) }); i >= 0 && all[i].Enabled != nil {
		return all[i], nil
	}
	return toolSwitch{}, fmt.Errorf("list tools: no line of %s, or none with enabled", p.script.Read)
}

// packID names the pack whose switch governs the tool that the checks read with.
func (p *probe) packID() (string, error) {
	packs := p.doc.tool(p.script.Read).packs()
	if len(packs) != 1 {
		return "", fmt.Errorf("%s is in %d packs, the check needs one", p.script.Read, len(packs))
	}
	return packs[0], nil
}

// turn sets a switch and holds the answer against what was asked.
func (p *probe) turn(what, id string, enabled bool) error {
	doc, err := p.subject.People.Toggle(p.ctx, what, id, enabled)
	if err != nil {
		return fmt.Errorf("toggle %s %s: %w", what, id, err)
	}
	var got struct {
		OK       bool
		ID, Name string
		Enabled  *bool
		Tools    []toolSwitch
	}
	if err := json.Unmarshal(doc, &got); err != nil {
		return fmt.Errorf("toggle %s: not of its form: %w", what, err)
	}
	if !got.OK || got.ID+got.Name != id || got.Enabled == nil || *got.Enabled != enabled || len(got.Tools) == 0 {
		return fmt.Errorf("toggle %s %s to %v: the answer says otherwise", what, id, enabled)
	}
	return nil
}

// off runs try while a switch is off, and turns it on again whatever happens. A
// switch that a person has turned off is left alone.
func (p *probe) off(what, id string, try func() error) (err error) {
	if p.depth++; p.depth == 1 {
		if err := p.enabled(); err != nil {
			return fmt.Errorf("before any switch is touched: %w", err)
		}
	}
	defer func() { p.depth--; err = errors.Join(err, p.turn(what, id, true)) }()
	if err := p.turn(what, id, false); err != nil {
		return err
	}
	return try()
}

// disabled tries the read, which must be refused for the reason, and looks at
// its line in the list.
func (p *probe) disabled(reason string, status tools.Status) error {
	e, err := p.refuse(p.call(p.script.Read, nil), tools.CodeDisabled)
	if err != nil {
		return err
	}
	if e.Details["reason"] != reason {
		return fmt.Errorf("details.reason is %v, want %s", e.Details["reason"], reason)
	}
	t, err := p.toolSwitch()
	if err == nil && (*t.Enabled || t.Status != status) {
		err = fmt.Errorf("list tools says enabled %v, status %q, want status %q", *t.Enabled, t.Status, status)
	}
	return err
}

func (p *probe) enabled() error {
	if _, err := p.succeed(p.call(p.script.Read, nil), tools.EffectRead); err != nil {
		return err
	}
	t, err := p.toolSwitch()
	if err == nil && (!*t.Enabled || t.Status != tools.StatusAvailable) {
		err = fmt.Errorf("list tools says enabled %v, status %q of a tool that runs", *t.Enabled, t.Status)
	}
	return err
}
