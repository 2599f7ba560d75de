package capabilities

import "github.com/mnote-dev/mnote-host/tools"

// The few tools that the host itself calls.
const (
	ToolSkillRead  tools.Name = "mnote.skill.read"
	ToolContextGet tools.Name = "mnote.context.get"
	ToolPageGet    tools.Name = "mnote.page.get"
	ToolDocList    tools.Name = "mnote.doc.list"
)

// PackOther is the id of the pack of tools that no capability names.
const PackOther = "other"
