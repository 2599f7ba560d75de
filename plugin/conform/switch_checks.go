package conform

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mnote-dev/mnote-host/tools"
)

func switchesCapabilities(p *probe) error {
	packs, err := p.packs()
	if err != nil {
		return err
	}
	if len(packs) == 0 {
		return errors.New("not one pack is listed")
	}
	var wrong []error
	for _, c := range packs {
		switch {
		case c.ID == "" || c.Title == "" || c.Enabled == nil || c.Toggleable == nil || c.ReadOnly == nil || c.ConfigScope == "":
			wrong = append(wrong, fmt.Errorf("pack %q lacks a member", c.ID))
		case !slices.Equal(c.ToolNames, namesOf(c.Tools)):
			wrong = append(wrong, fmt.Errorf("pack %s: tools are not those of toolNames", c.ID))
		}
	}
	return errors.Join(wrong...)
}

func namesOf(lines []toolSwitch) []string {
	var names []string
	for _, t := range lines {
		names = append(names, t.Name)
	}
	return names
}

func switchesSkills(p *probe) error {
	packs, err := p.packs()
	if err != nil {
		return err
	}
	var list struct {
		Skills []struct {
			ID      string
			Enabled *bool
		}
	}
	if err := p.list(listSkills, &list); err != nil {
		return err
	}
	state := map[string]bool{}
	for _, s := range list.Skills {
		if s.ID == "" || s.Enabled == nil {
			return errors.New("a skill lacks its id or enabled")
		}
		state[s.ID] = *s.Enabled
	}
	for _, c := range packs {
		if on, has := state[c.ID]; !has || c.Enabled == nil || on != *c.Enabled {
			return fmt.Errorf("the skill view and the pack %s disagree", c.ID)
		}
	}
	return nil
}

// switchesTools asks for the available tools only: a kernel may leave out what it
// does not have yet.
func switchesTools(p *probe) error {
	all, err := p.toolSwitches()
	if err != nil {
		return err
	}
	names := namesOf(all)
	for _, t := range p.doc.Tools {
		if t.available() && !slices.Contains(names, t.Name) {
			return fmt.Errorf("the available tool %s is not listed", t.Name)
		}
	}
	return nil
}

func switchesPack(p *probe) error { return p.packOff(listCapabilities) }

func switchesSkill(p *probe) error { return p.packOff(listSkills) }

// packOff turns the read tool's pack off by one of the two lists, looks at what
// that does, and at what is left of it afterwards.
func (p *probe) packOff(what string) error {
	id, err := p.packID()
	if err != nil {
		return err
	}
	err = p.off(what, id, func() error {
		if err := p.disabled("capability", tools.StatusDisabledByPack); err != nil {
			return err
		}
		return p.packShown(id, false)
	})
	return errors.Join(err, p.enabled(), p.packShown(id, true))
}

// packShown looks at a pack in the list for people.
func (p *probe) packShown(id string, enabled bool) error {
	packs, err := p.packs()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(packs, func(c packSwitch) bool { return c.ID == id })
	if i < 0 || packs[i].Enabled == nil || *packs[i].Enabled != enabled {
		return fmt.Errorf("the pack %s is not shown with enabled %v", id, enabled)
	}
	return nil
}

func switchesTool(p *probe) error {
	err := p.off(listTools, string(p.script.Read), func() error { return p.disabled("tool", tools.StatusDisabled) })
	return errors.Join(err, p.enabled())
}

// switchesBoth turns off a tool and then its pack. The two have separate reasons:
// with the pack on again the tool must still be off.
func switchesBoth(p *probe) error {
	id, err := p.packID()
	if err != nil {
		return err
	}
	err = p.off(listTools, string(p.script.Read), func() error {
		err := p.off(listCapabilities, id, func() error { return p.disabled("capability", tools.StatusDisabledByPack) })
		return errors.Join(err, p.disabled("tool", tools.StatusDisabled))
	})
	return errors.Join(err, p.enabled())
}

// switchesManifest: a host in another process learns of a switch by the etag alone.
func switchesManifest(p *probe) error {
	etag := func() (string, error) {
		m, err := p.subject.Kernel.Manifest(p.ctx, "")
		return m.ETag, err
	}
	before, err := etag()
	if err != nil {
		return err
	}
	return p.off(listTools, string(p.script.Read), func() error {
		during, err := etag()
		if err == nil && during == before {
			err = errors.New("the manifest's ETag is the same with a tool switched off")
		}
		return err
	})
}

func switchesFixed(p *probe) error {
	packs, err := p.packs()
	if err != nil {
		return err
	}
	for _, c := range packs {
		if c.Enabled == nil || c.Toggleable == nil || *c.Toggleable {
			continue
		}
		if _, err := p.subject.People.Toggle(p.ctx, listCapabilities, c.ID, !*c.Enabled); err == nil {
			_, err := p.subject.People.Toggle(p.ctx, listCapabilities, c.ID, *c.Enabled)
			return errors.Join(fmt.Errorf("the pack %s says toggleable: false and was switched", c.ID), err)
		}
		if err := p.packShown(c.ID, *c.Enabled); err != nil {
			return err
		}
	}
	return nil
}

func switchesUnknown(p *probe) error {
	var wrong []error
	for _, what := range []string{listCapabilities, listSkills, listTools} {
		doc, err := p.subject.People.Toggle(p.ctx, what, string(p.script.Unknown), false)
		if err == nil {
			wrong = append(wrong, fmt.Errorf("toggle %s of an unknown id succeeded: %s", what, json.RawMessage(doc)))
			continue
		}
		switch tools.AsError(err).Code { // what a client says of a 404 without an error object, or of none
		case tools.CodeKernelUnavailable, tools.CodeContractViolation, tools.CodeInternal:
			wrong = append(wrong, fmt.Errorf("toggle %s of an unknown id: %w", what, err))
		}
	}
	return errors.Join(wrong...)
}
