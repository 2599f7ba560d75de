package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// noKernel says how to set one, or why the one that was meant is none.
func (p *program) noKernel() error {
	if why := p.values.misplaced(); why != (text{}) {
		return noPlace(tools.Text{ZH: "没有可用的内核：%[1]s", EN: "there is no kernel: %[2]s"}, why.zh, why.en)
	}
	return noPlace(tools.Text{
		ZH: "没有设置内核：用 --workspace <笔记文件夹>（或 MNOTE_WORKSPACE）使用内嵌内核，或用 --kernel <地址>（或 MNOTE_KERNEL_URL）连接 mnote-web",
		EN: "no kernel is set: use --workspace DIR (or MNOTE_WORKSPACE) for the embedded kernel on a folder of notes, or --kernel URL (or MNOTE_KERNEL_URL) for an mnote-web",
	})
}

// misplaced is why what was given for where the notes are cannot be used.
func (v values) misplaced() text {
	for _, name := range []string{"workspace", "kernel"} {
		if why, ok := v.spoiled[name]; ok {
			return why
		}
	}
	return text{}
}

func noPlace(t tools.Text, args ...any) *tools.Error {
	return tools.Errorf(tools.CodeKernelUnavailable, t, args...).With("reason", "no_kernel")
}

// noFolder says what is wrong with the folder of notes, and where it was named.
func (p *program) noFolder(folder string, err error) error {
	if coded, ok := errors.AsType[*tools.Error](err); ok {
		return coded
	}
	named := settingNamed("workspace").named(p.values.byName["workspace"].source)
	t := tools.Text{ZH: "笔记文件夹 %[1]s（来自 %[2]s）打不开：%[3]v", EN: "the folder of notes %[1]s (from %[2]s) cannot be opened: %[3]v"}
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(folder, "$"):
		t = tools.Text{
			ZH: "没有文件夹 %[1]s（来自 %[2]s）：里面的变量没有被展开，请写出完整路径",
			EN: "there is no folder %[1]s (from %[2]s): the variable in it came unexpanded; write the whole path",
		}
	case errors.Is(err, fs.ErrNotExist):
		t = tools.Text{
			ZH: "没有文件夹 %[1]s（来自 %[2]s）：请检查路径，或先建好它",
			EN: "there is no folder %[1]s (from %[2]s): check the path, or make the folder first",
		}
	case isFile(folder):
		t = tools.Text{
			ZH: "%[1]s（来自 %[2]s）不是文件夹：请写笔记所在的文件夹，页面用 documentId 指明",
			EN: "%[1]s (from %[2]s) is no folder: name the folder of notes, and the page by its documentId",
		}
	}
	return noPlace(t, folder, named, err).Because(err)
}

func isFile(path string) bool {
	entry, err := os.Stat(path)
	return err == nil && !entry.IsDir()
}

// apart refuses a state folder among the notes: its databases would be taken
// along by whatever copies and syncs them, and writes would look like notes that
// change. The default one is hidden in the person's home, which may be a folder of
// notes.
func (p *program) apart(folder string) error {
	state := p.values.byName["state"]
	if state.source == "default" || !lies(state.text, folder) {
		return nil
	}
	return tools.Errorf(tools.CodeKernelUnavailable, tools.Text{
		ZH: "状态文件夹 %[1]s（来自 %[3]s）在笔记文件夹 %[2]s 里面：它的数据库会被当成笔记一起同步。请用 --state 指定笔记之外的文件夹",
		EN: "the state folder %[1]s (from %[3]s) lies in the folder of notes %[2]s: its databases would be synced along with the notes. Give --state a folder outside of them",
	}, state.text, folder, settingNamed("state").named(state.source)).With("reason", "no_state")
}

// keepNothing leaves the program without a state folder: nothing is recorded.
func (p *program) keepNothing() {
	p.values.byName["state"] = value{source: p.values.byName["state"].source}
}

// lies reports whether a path is a folder or inside it, links resolved as far as
// the path exists.
func lies(path, folder string) bool {
	rel, err := filepath.Rel(realPath(folder), realPath(path))
	return err == nil && filepath.IsLocal(rel)
}

func realPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(realPath(up), filepath.Base(path))
}
