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
		ZH: "隐藏的文件和文件夹（名字以点开头）、node_modules 以及 .mnoteignore 列出的内容不属于工作区，新页面不能放在那里，也不能用那样的名字（不分大小写）；请换一个路径",
		EN: "hidden files and folders (names that start with a dot), node_modules and what .mnoteignore lists are not part of the workspace; no new page can be there or have such a name, in upper or lower case. Choose another path",
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
	textTwins = tools.Text{
		ZH: "有两个文件（或文件夹）的名字相同，只是 Unicode 写法不同（NFC 与 NFD），分不清是哪一个，所以都不读不写；请把其中一个改名",
		EN: "two files (or folders) have this name in two Unicode forms (NFC and NFD), and nobody can tell which one is meant, so neither is read or written; rename one of them",
	}
	textIgnoreFile = tools.Text{
		ZH: ".mnoteignore 不能读取，所以所有页面都按被忽略处理；请把它存成 UTF-8 文本（不超过 1 MiB），或者删除它",
		EN: ".mnoteignore cannot be read, so every page is taken to be listed in it; save it as UTF-8 text of at most 1 MiB, or remove it",
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
