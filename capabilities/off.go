package capabilities

import "github.com/mnote-dev/mnote-host/tools"

// The reasons why a tool is off: by itself, by its packs, or by its packs because
// what people had switched was lost, or cannot be read, and nobody can tell what
// was off.
const (
	ReasonTool       = "tool"
	ReasonCapability = "capability"
	ReasonLost       = "switches_lost"
	ReasonUnread     = "switches_unread"
)

// Off is the refusal of a tool that is switched off for the reason; one text for
// it, whoever refuses.
func Off(tool, reason string) *tools.Error {
	text := tools.Text{
		ZH: "工具 %s 已被关闭；只有用户可以在「能力」里重新打开它",
		EN: "the tool %s is switched off; only the person can switch it on again, under capabilities",
	}
	switch reason {
	case ReasonUnread:
		return Unread()
	case ReasonCapability:
		text = tools.Text{
			ZH: "工具 %s 所属的能力已被关闭；只有用户可以重新打开这个能力",
			EN: "the capability that the tool %s belongs to is switched off; only the person can switch it on again",
		}
	case ReasonLost:
		text = tools.Text{
			ZH: "工具 %s 已关闭：能力开关的记录丢失了（switches.db 被删除或损坏），不知道用户关掉过什么；要由用户重新决定：在「能力」里打开，或运行 mnote-host capabilities reset 全部恢复",
			EN: "the tool %s is off: the record of the switches was lost (switches.db was deleted or damaged), so what the person had switched off is not known. The person must say again what is on: under capabilities, or all of it with mnote-host capabilities reset",
		}
	}
	return tools.Errorf(tools.CodeDisabled, text, tool).With("reason", reason)
}

// Unread is the refusal of every call while the switches cannot be read.
func Unread() *tools.Error {
	return tools.Errorf(tools.CodeKernelUnavailable, tools.Text{
		ZH: "能力的开关（状态目录里的 switches.db）读不了，不知道用户关掉了什么，所以所有调用都被拒绝；请检查这个文件和目录的权限、磁盘",
		EN: "the switches (switches.db in the state folder) cannot be read: what the person switched off is not known, so every call is refused. See to the modes of the file and its folder, and to the disk",
	}).With("reason", "no_state")
}
