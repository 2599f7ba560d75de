package ledger

import "github.com/mnote-dev/mnote-host/tools"

func errNoState() error {
	return tools.Errorf(tools.CodeKernelUnavailable, tools.Text{
		ZH: "没有可用的状态目录，不能写入；读取仍然可用。请运行 mnote-host doctor",
		EN: "there is no usable state folder, so nothing can be written; reading still works. Run mnote-host doctor",
	}).With("reason", "no_state")
}
