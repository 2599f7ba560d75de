package localkernel

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/skills"
	"github.com/mnote-dev/mnote-host/tools"
)

var (
	textNoSkill = tools.Text{
		ZH: "没有能力说明 %q；可用的有：%s",
		EN: "there is no skill %q; there are: %s",
	}
	textSkillOff = tools.Text{
		ZH: "能力 %s 已被关闭，不提供说明；只有用户可以重新打开",
		EN: "the capability %s is switched off and hands out no text; only the person can switch it on again",
	}
	textSkillPlanned = tools.Text{
		ZH: "能力 %s 的工具还没有实现，不提供说明",
		EN: "the tools of the capability %s are planned and not there yet; it hands out no text",
	}
)

// skillResult is skill.read's result.
type skillResult struct {
	SkillID   string   `json:"skillId"`
	Title     string   `json:"title"`
	Content   string   `json:"content"`
	ToolNames []string `json:"toolNames"`
}

// readSkill hands out a pack's text, by the skill's id or an alias, while the
// pack is on. Tools that cannot be called are not in it.
func readSkill(_ context.Context, k *Kernel, c *call) (any, error) {
	var id string
	if err := json.Unmarshal(c.args["skillId"], &id); err != nil {
		return nil, invalid("/skillId", tools.Text{ZH: "不是字符串", EN: "no string"}, tools.Text{ZH: "能力说明的 id", EN: "a skill's id"})
	}
	p, ok := c.view.pack(id)
	if !ok || p.SkillID == "" || !isFor(p, c.AgentID) {
		return nil, noSkill(c, id)
	}
	if c.view.planned(p) {
		return nil, tools.Errorf(tools.CodeDisabled, textSkillPlanned, p.ID).With("reason", "capability").With("status", "planned")
	}
	if !c.view.packOn(p) {
		reason := capabilities.ReasonCapability
		if c.view.packLost(p) {
			reason = capabilities.ReasonLost
		}
		return nil, tools.Errorf(tools.CodeDisabled, textSkillOff, p.ID).With("reason", reason)
	}
	title, content, ok := k.opts.Skill(p.SkillID, c.view.offered)
	if !ok {
		return nil, noSkill(c, id)
	}
	return skillResult{SkillID: p.SkillID, Title: title, Content: content, ToolNames: c.view.offeredOf(p)}, nil
}

func noSkill(c *call, id string) error {
	var ids []string
	for _, p := range c.view.packs {
		if p.SkillID != "" && c.view.packOn(p) && isFor(p, c.AgentID) {
			ids = append(ids, p.SkillID)
		}
	}
	allowed := strings.Join(ids, ", ")
	return tools.Errorf(tools.CodeInvalidArgs, textNoSkill, bounded(id, maxHeading), allowed).
		With("violations", []violation{{Path: "/skillId", Fault: "unknown skill", Allowed: allowed}})
}

// offered reports whether a tool can be called in this profile.
func (v switched) offered(name string) bool {
	e := v.byName[tools.Name(name)]
	if e == nil {
		return false
	}
	on, status := v.state(e.Tool)
	return on && status == tools.StatusAvailable
}

// offeredOf lists the tools of a pack that can be called.
func (v switched) offeredOf(p capabilities.Pack) []string {
	names := []string{}
	for _, name := range p.ToolNames {
		if v.offered(name) {
			names = append(names, name)
		}
	}
	return names
}

// shippedSkill gives the text of a skill that ships with us.
func shippedSkill(id string, offered func(string) bool) (title, content string, ok bool) {
	s, ok := skills.Read(id)
	if !ok {
		return "", "", false
	}
	return s.Title, s.Text(func(name string) (string, bool) { return name, offered(name) }), true
}
