package plugin

import (
	"slices"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/guard"
	"github.com/mnote-dev/mnote-host/tools"
)

// Chip is one word for people about a pack in a session (seed 7-47 §4.1).
type Chip string

// The chips. Of the first three a pack that is on has exactly one: the
// strictest that its own readOnly, its tools and the session's grant make of it.
const (
	ChipWritable Chip = "writable"
	ChipReadOnly Chip = "read_only"
	// ChipNoWriting is a pack that could write in a session that may not.
	ChipNoWriting Chip = "read_only_context"
	// ChipPartlyOff is a pack that is on with tools that are off by themselves.
	ChipPartlyOff Chip = "partly_off"
	ChipOff       Chip = "off"
	// ChipUnusable is a pack that is on in a session that may call none of its
	// tools.
	ChipUnusable Chip = "unusable"
	// ChipLost is a pack that is off because its switch was lost.
	ChipLost    Chip = "switches_lost"
	ChipPlanned Chip = "planned"
	// ChipGuidance is a pack of rules for the agent's own tools.
	ChipGuidance Chip = "guidance"
	// ChipMode is an agent mode and no capability.
	ChipMode Chip = "mode"
)

var chipTexts = map[Chip]tools.Text{
	ChipWritable:  {ZH: "可写", EN: "can write"},
	ChipReadOnly:  {ZH: "只读", EN: "read only"},
	ChipNoWriting: {ZH: "只读上下文不可写", EN: "no writing in this read-only context"},
	ChipPartlyOff: {ZH: "部分工具关闭", EN: "some tools off"},
	ChipOff:       {ZH: "已关闭", EN: "off"},
	ChipUnusable:  {ZH: "不可用", EN: "not usable in this context"},
	ChipLost:      {ZH: "已关闭（开关记录丢失）", EN: "off: its switch was lost"},
	ChipPlanned:   {ZH: "尚未实现", EN: "not built yet"},
	ChipGuidance:  {ZH: "agent 自带工具", EN: "the agent's own tools"},
	ChipMode:      {ZH: "模式", EN: "mode"},
}

// uiKindChat marks a pack that is an agent mode (seed 7-47 §2).
const uiKindChat = "chat"

// In gives the chip's text in a language.
func (c Chip) In(lang tools.Lang) string { return chipTexts[c].In(lang) }

// Chips tells how a pack stands for this session; list are the pack's tools,
// with their switches as they are. What a call of a tool would be told by the
// guards decides, so a chip never says more than a call may do.
func (s *Session) Chips(p capabilities.Pack, list []tools.Tool) []Chip {
	switch {
	case p.Planned:
		return []Chip{ChipPlanned}
	case p.Lost && !p.Enabled:
		return []Chip{ChipLost}
	case !p.Enabled:
		return []Chip{ChipOff}
	case p.UIKind == uiKindChat:
		return []Chip{ChipMode}
	case p.NativeAgentTools:
		return []Chip{ChipGuidance}
	}
	chips := []Chip{s.access(p, list)}
	if slices.ContainsFunc(list, switchedOff) {
		chips = append(chips, ChipPartlyOff)
	}
	return chips
}

func switchedOff(t tools.Tool) bool { return t.Status == tools.StatusDisabled || !t.Enabled }

// access is the strictest of what pack, tools and grant say about writing. Which
// tools are switched off changes nothing of what the grant permits: of a pack that
// writes in a session that may not, it stays the same word.
func (s *Session) access(p capabilities.Pack, list []tools.Tool) Chip {
	if guard.Authorise(s.bounds, guard.Reach{Tool: tools.Tool{Kind: tools.KindRead}}, s.host.now()) != nil {
		return ChipUnusable // not even read: nothing, another workspace, too late
	}
	access, usable := ChipReadOnly, false
	for _, t := range list {
		if !built(t) {
			continue
		}
		plan := s.anyReach(p, t)
		plan.DryRun = true
		usable = usable || guard.Authorise(s.bounds, plan, s.host.now()) == nil
		if p.ReadOnly || !t.Writes() && !t.RequiresWritePermission {
			continue
		}
		switch refused := guard.Authorise(s.bounds, s.anyReach(p, t), s.host.now()) != nil; {
		case refused:
			access = ChipNoWriting
		case !switchedOff(t):
			return ChipWritable
		}
	}
	if !usable && len(list) > 0 && access == ChipReadOnly {
		return ChipUnusable
	}
	return access
}

// Usable reports whether a call of the tool would pass the switches and the
// session's grant, if only as a dry run.
func (s *Session) Usable(p capabilities.Pack, t tools.Tool) bool {
	r := s.anyReach(p, t)
	r.DryRun = true
	return t.Enabled && callable(t) && guard.Authorise(s.bounds, r, s.host.now()) == nil
}

// built reports whether a tool is there to be called, if it is on.
func built(t tools.Tool) bool { return callable(t) || t.Status == tools.StatusDisabled }

func callable(t tools.Tool) bool {
	return t.Status == tools.StatusAvailable || t.Status == tools.StatusCompat
}

// anyReach is a call of the tool on whatever the grant lists, so that only what
// holds for every call refuses it.
func (s *Session) anyReach(p capabilities.Pack, t tools.Tool) guard.Reach {
	r := guard.Reach{Tool: t, Packs: []capabilities.Pack{p}}
	r.Resource = slices.ContainsFunc(p.RequiresRefs, func(kind string) bool { return kind == "mindmap" || kind == "office" })
	if g := s.cfg.Grant; r.Resource && g != nil && len(g.ResourceIDs) > 0 {
		r.MindmapID = g.ResourceIDs[0]
	}
	return r
}
