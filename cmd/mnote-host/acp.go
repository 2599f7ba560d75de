package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/transport/acp"
	"github.com/mnote-dev/mnote-host/transport/mcp"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// acpFlags are the flags of acp alone: how the agent is treated.
type acpFlags struct {
	inject, singleScope, requireTurn, preamble, noise string
	crashReplies                                      bool
	maxFrame                                          frameSize
}

func (p *program) acpCommand() *cobra.Command {
	var fl acpFlags
	c := &cobra.Command{
		Use: "acp [flags] -- AGENT [ARGS…]", GroupID: groupRun, Args: p.needsAgent,
		Short: p.say("启动一个 ACP agent，并把 MNote 的工具交给它", "start an ACP agent with MNote's tools added"),
		Long: p.exits(p.say(
			"站在 ACP 客户端和 agent 之间：所有内容原样通过，只在建立会话时加入 MNote 的 MCP 服务器。在编辑器里把 agent 的命令换成它：\n\n  mnote-host acp --workspace /绝对路径/笔记 -- reasonix acp\n  mnote-host acp --kernel http://127.0.0.1:7331 --preamble first -- hermes acp\n\n在终端里直接运行时（比如登录）就是 agent 自己。agent 的退出码就是它的退出码。",
			"Stands between an ACP client and an agent: everything passes as it is, and MNote's MCP server is added where a session is set up. Put it before the agent's command in an editor's configuration:\n\n  mnote-host acp --workspace /absolute/path/notes -- reasonix acp\n  mnote-host acp --kernel http://127.0.0.1:7331 --preamble first -- hermes acp\n\nOn a terminal (to log in, say) it becomes the agent itself. The agent's exit code is its own.")),
		RunE: func(c *cobra.Command, args []string) error { return p.serveACP(c.Context(), fl, args) },
	}
	fl.add(p, c.Flags())
	return c
}

// needsAgent refuses a command line without an agent.
func (p *program) needsAgent(_ *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "" {
		return errors.New(p.say("缺少 agent 的命令：写在 -- 后面，例如 mnote-host acp -- reasonix acp", "the agent's command is missing: put it after --, such as mnote-host acp -- reasonix acp"))
	}
	return nil
}

func (fl *acpFlags) add(p *program, flags *pflag.FlagSet) {
	flags.SetInterspersed(false) // what follows the agent's name is the agent's
	flags.StringVar(&fl.inject, "inject", "on", p.say("把 MNote 的 MCP 服务器加进会话：on 或 off", "add MNote's MCP server to sessions: on or off"))
	flags.StringVar(&fl.singleScope, "single-scope", "on", p.say("一个 agent 进程只有一个授权范围：on 或 off（off 只对已知会隔离会话的 agent 有效）", "one access scope for each agent process: on or off (off only for agents known to keep sessions apart)"))
	flags.StringVar(&fl.requireTurn, "require-turn", "auto", p.say("没有进行中的提问就拒绝调用：on、off 或 auto", "refuse calls with no prompt in flight: on, off, or auto (on for agents not known to keep sessions apart)"))
	flags.StringVar(&fl.preamble, "preamble", "off", p.say("在会话的第一个提问前加一段技能摘要：off 或 first", "put the skills' summaries before a session's first prompt: off or first"))
	flags.StringVar(&fl.noise, "stdout-noise", "stderr", p.say("agent 的 stdout 上不以 { 或 [ 开头的行去哪里：stderr 或 pass（其余的行都原样通过）", "where lines on the agent's stdout that do not start with { or [ go: stderr or pass (all others pass as they are)"))
	flags.BoolVar(&fl.crashReplies, "crash-replies", false, p.say("agent 崩溃或被 --max-frame 终止时替它回答未完成的请求", "answer the client's open requests when the agent dies, or --max-frame ends it"))
	fl.maxFrame = p.newFrameSize()
	flags.Var(&fl.maxFrame, "max-frame", p.say("一行最多多少字节，不带单位；更长的一行会结束整个对话", "longest line that passes, a number of bytes; a longer one ends the conversation"))
}

// check warns of words that are none of a flag's, and puts the safe one there.
func (fl *acpFlags) check(p *program, agent clients.Client, command string) {
	for _, f := range []struct {
		name  string
		value *string
		words []string // the safe one first
	}{
		{"inject", &fl.inject, []string{"on", "off"}},
		{"single-scope", &fl.singleScope, []string{"on", "off"}},
		{"require-turn", &fl.requireTurn, []string{"auto", "on", "off"}},
		{"preamble", &fl.preamble, []string{"off", "first"}},
		{"stdout-noise", &fl.noise, []string{"stderr", "pass"}},
	} {
		if known := strings.Join(f.words, ", "); !strings.Contains(" "+known+",", " "+*f.value+",") {
			p.log.Warn().Msg(p.say("--%s=%s 不认识，用 %s；可用：%s", "--%s=%s is not known; %s is used, of %s", f.name, *f.value, f.words[0], known))
			*f.value = f.words[0]
		}
	}
	if fl.singleScope == "off" && !agent.ACP.Isolates {
		p.log.Warn().Msg(p.say("这个 agent 可能在会话之间共用 MCP 服务器，--single-scope=off 不生效", "this agent may share its MCP servers between sessions, so --single-scope=off has no effect") + p.unknownAgent(agent, command))
		fl.singleScope = "on"
	}
}

// unknownAgent says why we know nothing of an agent, where that is so.
func (p *program) unknownAgent(agent clients.Client, command string) string {
	if agent.Name != clients.Generic().Name {
		return ""
	}
	return p.say("：不认识命令 %[1]q；如果它是 Reasonix，加 --client reasonix", ": the command %[1]q is not known; if it runs Reasonix, name it with --client reasonix", filepath.Base(command))
}

// exitCode is the exit code of an agent, which is this program's too.
type exitCode int

// Error says with what the agent ended.
func (c exitCode) Error() string { return fmt.Sprintf("the agent ended with %d", int(c)) }

// serveACP runs the agent until it or its client leaves.
func (p *program) serveACP(ctx context.Context, fl acpFlags, argv []string) error {
	if in, ok := p.streams.In.(*os.File); ok && acp.IsTerminal(in) {
		out, _ := p.streams.Out.(*os.File)
		return exitOf(acp.Become(argv, p.othersEnv(), out))
	}
	p.shield()
	agent := p.agentClient(argv)
	fl.check(p, agent, argv[0])
	p.tellNewState()
	w := p.assemble()
	defer w.close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	face := acp.New(p.acpConfig(w, fl, agent, argv, self))
	ctx, stop := stdio.Life{Grace: 30 * time.Second, Exit: func(code int) {
		face.Kill()
		os.Exit(code)
	}}.Begin(ctx)
	defer stop()
	watching, enough := context.WithCancel(ctx)
	defer enough()
	go w.registry.Run(watching)
	code, err := face.Run(ctx)
	if err != nil {
		return err
	}
	return exitCode(code)
}

func (p *program) acpConfig(w *parts, fl acpFlags, agent clients.Client, argv []string, self string) acp.Config {
	return acp.Config{
		Agent: argv, Env: p.othersEnv(), In: p.streams.In, Out: p.streams.Out, Noise: p.streams.Err,
		Self: self, SocketDirs: p.socketDirs(),
		Base: w.session.Config(), Snapshot: w.registry.Snapshot, Client: agent,
		Open: func(c plugin.SessionConfig) acp.Session { return w.host.Session(c) },
		Serve: func(ctx context.Context, s acp.Session, in io.Reader, out io.Writer) error {
			cfg := p.face(w)
			cfg.Session, cfg.NameSkills, cfg.Shut = s, true, w.session.Config().RequireKernel // a prompt may bring a grant
			if agent.Name != clients.Generic().Name {                                         // else clientInfo may say more
				cfg.Client = agent
			}
			return mcp.New(cfg).Run(ctx, in, out)
		},
		NoServer: fl.inject == "off", ManyScopes: fl.singleScope == "off",
		AnyTime:  fl.requireTurn == "off" || fl.requireTurn == "auto" && agent.ACP.Isolates,
		Preamble: fl.preamble == "first", PassNoise: fl.noise == "pass",
		CrashReplies: fl.crashReplies, MaxFrame: fl.maxFrame.bytes, Log: p.log,
	}
}

// othersEnv is the environment of a program that is not ours, an agent or a
// browser: without anything of MNote's, above all without the kernel's token.
func (p *program) othersEnv() []string {
	env := make([]string, 0, len(p.environ))
	for _, line := range p.environ {
		if !strings.HasPrefix(strings.ToUpper(line), "MNOTE_") {
			env = append(env, line)
		}
	}
	return env
}

// socketDirs are the folders for the relays' socket, best first.
func (p *program) socketDirs() []string {
	env := environment(p.environ)
	if runtime.GOOS == "windows" {
		if local := env["LOCALAPPDATA"]; local != "" {
			return []string{filepath.Join(local, "mnote-host")}
		}
		return nil
	}
	var dirs []string
	if run := env["XDG_RUNTIME_DIR"]; filepath.IsAbs(run) {
		dirs = append(dirs, filepath.Join(run, "mnote-host"))
	}
	return append(dirs, filepath.Join(os.TempDir(), "mnote-host-"+strconv.Itoa(os.Getuid())))
}

// attach is `mcp --attach`: the relay that an ACP agent starts.
func (p *program) attach(ctx context.Context) error {
	p.shield() // the ticket
	env := environment(p.environ)
	for _, name := range []string{acp.VarSocket, acp.VarTicket} {
		_ = os.Unsetenv(name)
	}
	ctx, stop := stdio.Life{}.Begin(ctx)
	defer stop()
	return acp.Attach(ctx, env[acp.VarSocket], env[acp.VarTicket], p.streams.In, p.streams.Out)
}
