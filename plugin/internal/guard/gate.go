package guard

import (
	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// Gate refuses a tool that is switched off; details.reason says whether by
// itself or by its packs.
func Gate(s *capabilities.Snapshot, t tools.Tool) error {
	on, reason := s.Switched(t)
	if on {
		return nil
	}
	text := tools.Text{
		ZH: "工具 %s 已被关闭；要用它，请在「能力」里打开这个工具",
		EN: "the tool %s is switched off; a person can switch the tool on again under capabilities",
	}
	if reason == capabilities.ReasonCapability {
		text = tools.Text{
			ZH: "工具 %s 所属的能力已被关闭；要用它，请打开这个能力",
			EN: "the capability that the tool %s belongs to is switched off; a person can switch it on again",
		}
	}
	return tools.Errorf(tools.CodeDisabled, text, t.Name).With("reason", reason)
}
