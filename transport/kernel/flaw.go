package kernel

import (
	"regexp"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
)

// codeForm is what an error code looks like, ours or not.
var codeForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`) })

// textUntold stands in for a message that a kernel left out or that is not
// shown.
var textUntold = tools.Text{ZH: "内核拒绝了这次调用", EN: "the kernel refused the call"}

// flaw is one way in which an answer breaks the contract. It names the member
// and never repeats what the kernel sent.
type flaw struct {
	path string
	text tools.Text
}

// The flaws of a whole document.
var (
	flawUTF8     = &flaw{text: tools.Text{ZH: "不是有效的 UTF-8", EN: "it is not valid UTF-8"}}
	flawDeep     = &flaw{text: tools.Text{ZH: "嵌套过深", EN: "it nests too deep"}}
	flawJSON     = &flaw{text: tools.Text{ZH: "不是完整的 JSON", EN: "it is not whole JSON"}}
	flawNoObject = &flaw{text: tools.Text{ZH: "不是 JSON 对象", EN: "it is not a JSON object"}}
	flawTwice    = &flaw{text: tools.Text{ZH: "同一个字段出现了两次", EN: "it holds a member twice"}}
	flawSpelling = &flaw{text: tools.Text{ZH: "字段名的大小写不对", EN: "it spells a member in another case"}}
)

// The flaws of an envelope that contradicts the call or itself.
var (
	flawErrorBesideOK  = &flaw{text: tools.Text{ZH: "ok=true 却带有 error", EN: "it says ok=true and carries an error"}}
	flawDryRunWrote    = &flaw{text: tools.Text{ZH: "dryRun 调用却真的写入了（audit.effect=write）", EN: "a dry run wrote (audit.effect is write)"}}
	flawOnlyPlanned    = &flaw{text: tools.Text{ZH: "要求执行，却只返回了计划（audit.effect=dry_run）", EN: "it only planned what was asked to be done (audit.effect is dry_run)"}}
	flawCommandUnasked = &flaw{text: tools.Text{ZH: "没有写入却带有 audit.commandId", EN: "it carries audit.commandId and says that nothing was written"}}
)

func flawMissing(member string) *flaw {
	return &flaw{path: member, text: tools.Text{ZH: "缺失或为空", EN: "is missing or empty"}}
}

func flawType(member string) *flaw {
	return &flaw{path: member, text: tools.Text{ZH: "类型不对", EN: "has the wrong type"}}
}

func flawOther(member string) *flaw {
	return &flaw{path: member, text: tools.Text{ZH: "不是约定的值", EN: "is not the agreed value"}}
}

// within puts the flaw below a member; of no flaw it makes none.
func (f *flaw) within(member string) *flaw {
	switch {
	case f == nil:
		return nil
	case f.path == "":
		return &flaw{path: member, text: f.text}
	}
	return &flaw{path: member + "." + f.path, text: f.text}
}

// breach makes the flaw an error for whoever called.
func (f *flaw) breach() *tools.Error {
	zh, en := f.text.ZH, f.text.EN
	if f.path != "" {
		zh, en = f.path+" "+zh, f.path+" "+en
	}
	return breach(tools.Text{
		ZH: "内核的回答不符合合同：" + zh,
		EN: "the kernel's answer breaks the contract: " + en,
	})
}

func firstFlaw(flaws ...*flaw) *flaw {
	for _, f := range flaws {
		if f != nil {
			return f
		}
	}
	return nil
}
