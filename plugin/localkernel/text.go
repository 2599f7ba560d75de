package localkernel

import "github.com/mnote-dev/mnote-host/tools"

// What people read when no tool has a better word; set here once and never
// changed.
var (
	textClosed = tools.Text{
		ZH: "本地内核正在关闭；没有执行任何操作",
		EN: "the local kernel is closing; nothing was done",
	}
	textInternal = tools.Text{
		ZH: "本地内核内部错误；细节在它的日志里",
		EN: "internal error of the local kernel; its log has the details",
	}
	textNoDocument = tools.Text{
		ZH: "没有这个文档，或者不在授权范围内；用 mnote.doc.list 查看可用的文档",
		EN: "no such document, or it is outside what was granted; mnote.doc.list shows what there is",
	}
	textDeniedPath = tools.Text{
		ZH: "路径不被接受（%s）；只接受工作区根目录下的相对路径，例如 财务/季度.md",
		EN: "the path is not accepted (%s); only a path relative to the workspace's root is, such as notes/plan.md",
	}
	textIgnored = tools.Text{
		ZH: "隐藏的文件和文件夹（名字以点开头）、node_modules 以及 .mnoteignore 列出的内容不属于工作区，页面不能放在那里；请换一个路径",
		EN: "hidden files and folders (names that start with a dot), node_modules and what .mnoteignore lists are not part of the workspace, and no page can be there; choose another path",
	}
	textReadOnly = tools.Text{
		ZH: "文件是只读的（%s），不能写入；没有改动任何内容",
		EN: "the file is read-only (%s) and cannot be written; nothing was changed",
	}
	textChanged = tools.Text{
		ZH: "页面在此期间被其他程序修改，没有写入；请重新读取后再决定",
		EN: "another program changed the page meanwhile; nothing was written. Read it again, then decide again",
	}
	textExists = tools.Text{
		ZH: "这个位置已有同名文件（大小写不同也算同名）；请换一个路径",
		EN: "something has that name already (names that differ in case only count as the same); choose another path",
	}
	textGone = tools.Text{
		ZH: "工作区文件夹不见了（被删除、移动或替换）；请恢复它或重新启动 mnote-host",
		EN: "the workspace folder is gone (deleted, moved or replaced); bring it back or start mnote-host again",
	}
	textTooLarge = tools.Text{
		ZH: "文件超过 64 MiB，不能读取",
		EN: "the file is larger than 64 MiB and is not read",
	}
	textStorage = tools.Text{
		ZH: "磁盘已满或出错；没有改动任何内容。腾出空间后重试",
		EN: "the disk is full or failing; nothing was changed. Free some space and try again",
	}
	textNoState = tools.Text{
		ZH: "没有可用的状态目录，不能写入；读取仍然可用。请用 --state（或 MNOTE_HOST_STATE）指定一个可写的本地文件夹",
		EN: "there is no usable state folder, so nothing can be written; reading still works. Name a local folder that you may write with --state (or MNOTE_HOST_STATE)",
	}
)

// reasonWord says the folder's reason for a refusal in words.
func reasonWord(reason string) tools.Text {
	switch reason {
	case "empty":
		return tools.Text{ZH: "有一段为空", EN: "a part of it is empty"}
	case "encoding":
		return tools.Text{ZH: "不是 UTF-8", EN: "it is not UTF-8"}
	case "nul", "control":
		return tools.Text{ZH: "含有控制字符", EN: "it has control characters"}
	case "bidi":
		return tools.Text{ZH: "含有改变显示顺序的字符", EN: "it has characters that turn the shown order around"}
	case "space":
		return tools.Text{ZH: "名字以空格开头或结尾", EN: "a name starts or ends with a space"}
	case "tilde":
		return tools.Text{ZH: "名字以 ~ 开头", EN: "a name starts with ~"}
	case "absolute", "unc", "drive", "uri":
		return tools.Text{ZH: "不是相对路径", EN: "it is not relative"}
	case "backslash":
		return tools.Text{ZH: "含有反斜杠", EN: "it has a backslash"}
	case "percent":
		return tools.Text{ZH: "含有百分号编码", EN: "it has percent-encoded characters"}
	case "dot", "parent":
		return tools.Text{ZH: "含有 . 或 .. 段", EN: "it has . or .. in it"}
	case "reserved":
		return tools.Text{ZH: "名字被操作系统保留", EN: "a name is reserved by some system"}
	case "too_long":
		return tools.Text{ZH: "太长", EN: "it is too long"}
	case "link":
		return tools.Text{ZH: "链接通向工作区之外，或首尾相接", EN: "a link leads out of the workspace, or in a circle"}
	case "mode":
		return tools.Text{ZH: "文件权限不允许", EN: "by its mode"}
	case "folder":
		return tools.Text{ZH: "文件夹或磁盘只读", EN: "its folder or disk is"}
	case "hard_link":
		return tools.Text{ZH: "它还有另一个名字（硬链接）", EN: "it has a second name, a hard link"}
	case "open_for_writing":
		return tools.Text{ZH: "另一个程序正在写它；稍后再试", EN: "another program is writing it just now; try again in a moment"}
	}
	return alike(reason)
}
