package localkernel

import (
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// reasonWords say the folder's reasons for a refusal in words; set here once and
// never changed.
var reasonWords = [...]struct {
	reason string
	words  tools.Text
}{
	{"empty", tools.Text{ZH: "有一段为空", EN: "a part of it is empty"}},
	{"encoding", tools.Text{ZH: "不是 UTF-8", EN: "it is not UTF-8"}},
	{"nul", tools.Text{ZH: "含有控制字符", EN: "it has control characters"}},
	{"control", tools.Text{ZH: "含有控制字符", EN: "it has control characters"}},
	{"bidi", tools.Text{ZH: "含有改变显示顺序的字符", EN: "it has characters that turn the shown order around"}},
	{"space", tools.Text{ZH: "名字以空格开头或结尾", EN: "a name starts or ends with a space"}},
	{"tilde", tools.Text{ZH: "名字以 ~ 开头", EN: "a name starts with ~"}},
	{"absolute", tools.Text{ZH: "不是相对路径", EN: "it is not relative"}},
	{"unc", tools.Text{ZH: "不是相对路径", EN: "it is not relative"}},
	{"drive", tools.Text{ZH: "不是相对路径", EN: "it is not relative"}},
	{"uri", tools.Text{ZH: "不是相对路径", EN: "it is not relative"}},
	{"backslash", tools.Text{ZH: "含有反斜杠", EN: "it has a backslash"}},
	{"percent", tools.Text{ZH: "含有百分号编码", EN: "it has percent-encoded characters"}},
	{"dot", tools.Text{ZH: "含有 . 或 .. 段", EN: "it has . or .. in it"}},
	{"parent", tools.Text{ZH: "含有 . 或 .. 段", EN: "it has . or .. in it"}},
	{"reserved", tools.Text{ZH: "名字被操作系统保留", EN: "a name is reserved by some system"}},
	{"too_long", tools.Text{ZH: "太长", EN: "it is too long"}},
	{vault.ReasonTwins, tools.Text{ZH: "名字相同，只是 Unicode 写法不同", EN: "names that differ in their Unicode form only"}},
	{"link", tools.Text{ZH: "链接通向工作区之外，或首尾相接", EN: "a link leads out of the workspace, or in a circle"}},
	{"mode", tools.Text{ZH: "文件权限不允许", EN: "by its mode"}},
	{"folder", tools.Text{ZH: "文件夹或磁盘只读", EN: "its folder or disk is"}},
	{"hard_link", tools.Text{ZH: "它还有另一个名字（硬链接）", EN: "it has a second name, a hard link"}},
	{"open_for_writing", tools.Text{ZH: "另一个程序正在写它；稍后再试", EN: "another program is writing it just now; try again in a moment"}},
}

// reasonWord says a reason in words; one that has none speaks for itself.
func reasonWord(reason string) tools.Text {
	for _, r := range reasonWords {
		if r.reason == reason {
			return r.words
		}
	}
	return alike(reason)
}
