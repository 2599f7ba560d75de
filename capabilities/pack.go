package capabilities

// Pack is one capability (seed 7-47 §2): what people switch on and off.
type Pack struct {
	ID          string
	Title       string
	Subtitle    string
	Description string
	// SkillID names the pack's SKILL.md; empty means it has none.
	SkillID string
	// Aliases are old ids, accepted wherever an id is.
	Aliases []string
	// AgentIDs limits the pack to these agents; empty means all.
	AgentIDs []string
	// Category is mnote, office, resource, chat or other.
	Category string
	// UIKind is capability, chat or compat.
	UIKind string
	// Public packs are listed for people.
	Public     bool
	ReadOnly   bool
	Enabled    bool
	Toggleable bool
	// Lost says that the pack is off because what its switch was is not known
	// any more.
	Lost bool
	// Unread says that the pack is taken to be off because its switch cannot be
	// read.
	Unread bool
	// Planned marks a pack none of whose tools is built yet: it is shown as
	// such, is never on, cannot be switched on, and hands out no skill text.
	Planned      bool
	RequiresRefs []string // kinds of refs: page, folder, file, mindmap, office
	// NativeAgentTools marks a pack that is guidance for the agent's own tools.
	NativeAgentTools bool
	// ToolNames lists the pack's tools by dotted name, in manifest order.
	ToolNames []string
}

// other is the pack of the tools that no capability names. It has no switch.
func other(toolNames []string) Pack {
	return Pack{
		ID: PackOther, Title: "其他", Description: "Tools of the kernel that belong to no capability.",
		Category: "other", UIKind: "capability", Public: true, Enabled: true, ToolNames: toolNames,
	}
}
