package main

import (
	"context"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/localkernel"
	"github.com/mnote-dev/mnote-host/tools"
)

// agreeing is a kernel beside whose address a folder was named. A kernel of ours
// that serves another folder would read and write notes that nobody meant, so
// nothing is sent to it.
type agreeing struct {
	plugin.Kernel
	folder, id string
}

// ours reports whether an id is one that our own kernels make from their folder:
// ws_ and 16 of a-z2-7.
func ours(id string) bool {
	rest, ok := strings.CutPrefix(id, "ws_")
	return ok && len(rest) == 16 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// agreed holds a kernel to a folder, where that is one of this machine.
func (p *program) agreed(k plugin.Kernel, folder string) plugin.Kernel {
	local, err := localkernel.Open(folder, p.localOptions(""))
	if err != nil {
		return k // a root on another machine
	}
	defer local.Close()
	return &agreeing{k, folder, local.WorkspaceID()}
}

// Call implements plugin.Kernel.
func (a *agreeing) Call(ctx context.Context, call tools.Call) (tools.Envelope, error) {
	if err := a.held(call.WorkspaceID); err != nil {
		return tools.Envelope{}, err
	}
	return a.Kernel.Call(ctx, call)
}

func (a *agreeing) held(workspace string) error {
	if workspace == a.id || !ours(workspace) {
		return nil
	}
	return tools.Errorf(tools.CodePermissionDenied, tools.Text{
		ZH: "--kernel 的内核管的不是 --workspace 的文件夹 %[1]s（它的工作区是 %[2]s，这个文件夹是 %[3]s）；什么也没有发送。只留其中一个",
		EN: "the kernel of --kernel does not serve the folder of --workspace, %[1]s (its workspace is %[2]s, the folder's %[3]s); nothing was sent. Give one of the two",
	}, a.folder, workspace, a.id).With("reason", "workspace")
}
