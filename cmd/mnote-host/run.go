package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// Exit codes, the same for every command.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitRefused     = 3
	exitUnreachable = 4
)

// program is what every command works with: streams, environment and the
// language of the person at the terminal.
type program struct {
	streams stdio.Streams
	environ []string
	lang    tools.Lang
	values  values
	log     zerolog.Logger
	// inner is what the parts log to; a person is told what they need of it.
	inner zerolog.Logger
	// attended is true where a person waits for one command, which then ends.
	attended bool
	// localToken is what the embedded kernel asks for; "" makes a random one.
	localToken string
	// served is true where an agent reads what calls answer, and not a person.
	served bool
	// running is true once a command's own work began: what fails before is
	// wrong use.
	running bool
}

// run is the whole program: arguments, environment and streams come in, an exit
// code comes out.
func run(ctx context.Context, args, environ []string, streams stdio.Streams) int {
	p := &program{streams: streams, environ: environ, lang: langOf(args, environ), log: zerolog.Nop()}
	root := p.root(args)
	root.SetArgs(args)
	code := p.exit(root.ExecuteContext(ctx))
	streams.Flush()
	return code
}

// exit says what went wrong, once, and finds the exit code for it.
func (p *program) exit(err error) int {
	if err == nil {
		return exitDone
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	if !errors.Is(err, errSaid) {
		fmt.Fprintln(p.streams.Err, "mnote-host: "+p.message(err))
	}
	coded, isCoded := errors.AsType[*tools.Error](err)
	switch {
	case !p.running || errors.Is(err, errUsage):
		return exitUsage
	case !isCoded:
		return exitFailed
	case coded.Code == tools.CodeKernelUnavailable:
		return exitUnreachable
	case refusal(coded.Code):
		return exitRefused
	}
	return exitFailed
}

var (
	// errSaid marks an error whose text the person has already read.
	errSaid = errors.New("already said")
	// errUsage marks an error in how a command was used.
	errUsage = errors.New("wrong use")
)

// refusal reports whether a guard said no, so that trying again as it is cannot
// help.
func refusal(c tools.Code) bool {
	switch c {
	case tools.CodeInternal, tools.CodeTimeout, tools.CodeContractViolation, tools.CodeCancelled:
		return false
	}
	return true
}

func (p *program) message(err error) string {
	if coded, ok := errors.AsType[*tools.Error](err); ok {
		return fmt.Sprintf("%s (%s)", coded.In(p.lang).Message, coded.Code)
	}
	return err.Error()
}

// say picks the text of the person's language.
func (p *program) say(zh, en string, args ...any) string {
	return fmt.Sprintf(text{zh, en}.in(p.lang), args...)
}

// printf writes to the person, not to the log.
func (p *program) printf(format string, args ...any) { fmt.Fprintf(p.streams.Out, format, args...) }

// printer is the stream that commands print to.
func (p *program) printer() io.Writer { return p.streams.Out }

// servesAgent marks a command whose answers an agent reads.
const servesAgent = "serves-agent"

// forAgent is the annotation of such a command.
func forAgent() map[string]string { return map[string]string{servesAgent: "yes"} }

// spoken is the language of what calls answer: the one set; else Chinese for an
// agent, as in the seeds, and for a person the terminal's.
func (p *program) spoken() tools.Lang {
	switch l := p.values.get("lang"); {
	case l != "":
		return tools.Lang(l)
	case p.served:
		return tools.ZH
	}
	return p.lang
}

// groups of commands, in the order of the help.
const (
	groupRun     = "run"
	groupSee     = "see"
	groupChange  = "change"
	groupConnect = "connect"
)

// root is the command mnote-host with its commands: the one that the first
// argument names, else all.
func (p *program) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "mnote-host",
		Short:         p.say("让 AI 安全地读写你的 MNote 笔记", "give an AI agent safe access to your MNote notes"),
		Long:          p.say(longZH, longEN),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(c *cobra.Command, _ []string) {
			p.running = true
			p.settle(c)
			if p.values.secret() {
				p.shield()
			}
			p.served = c.Annotations[servesAgent] != ""
		},
	}
	root.SetOut(p.streams.Out)
	root.SetErr(p.streams.Err)
	root.AddGroup(
		&cobra.Group{ID: groupRun, Title: p.say("运行：", "Run:")},
		&cobra.Group{ID: groupSee, Title: p.say("查看：", "See:")},
		&cobra.Group{ID: groupChange, Title: p.say("改动：", "Change:")},
		&cobra.Group{ID: groupConnect, Title: p.say("接入：", "Connect:")},
	)
	p.addSettings(root.PersistentFlags())
	root.AddCommand(p.commands(args)...)
	root.CompletionOptions.DisableDefaultCmd = len(root.Commands()) == 1
	root.SetHelpCommandGroupID(groupSee)
	root.SetCompletionCommandGroupID(groupConnect)
	return root
}

// commands lists every command of the program; a new one is one line here. A
// start that names its command makes no other: thirteen with their flags and texts
// would be made for nobody.
func (p *program) commands(args []string) []*cobra.Command {
	all := []struct {
		name string
		make func() *cobra.Command
	}{
		{"mcp", p.mcpCommand}, {"acp", p.acpCommand}, {"kernel", p.kernelCommand}, {"try", p.tryCommand}, {"call", p.callCommand},
		{"tools", p.toolsCommand}, {"skills", p.skillsCommand}, {"audit", p.auditCommand}, {"version", p.versionCommand},
		{"plans", p.plansCommand}, {"approve", p.approveCommand}, {"undo", p.undoCommand},
		{"capabilities", p.capabilitiesCommand}, {"console", p.consoleCommand},
	}
	for _, c := range all {
		if len(args) > 0 && args[0] == c.name {
			return []*cobra.Command{c.make()}
		}
	}
	commands := make([]*cobra.Command, 0, len(all))
	for _, c := range all {
		commands = append(commands, c.make())
	}
	return commands
}

// addSettings gives every setting its flag; secrets have none, since a command
// line is read by every process of the machine.
func (p *program) addSettings(flags *pflag.FlagSet) {
	for _, s := range settings {
		if !s.secret {
			flags.String(s.name, "", fmt.Sprintf("%s (%s)", s.usage.in(p.lang), s.env))
		}
	}
}

// exits is the end of every command's help.
func (p *program) exits(long string) string {
	return strings.TrimSpace(long) + "\n\n" + p.say(
		"退出码：0 完成，1 失败，2 用法错误，3 被守卫拒绝，4 连不上内核。",
		"Exit codes: 0 done, 1 failed, 2 wrong use, 3 refused by a guard, 4 kernel unreachable.")
}

// since reads a point in time: a duration back from now (90m, 36h, 7d), a date
// or an RFC 3339 time.
func since(s string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if d, err := time.ParseDuration(days + "h"); err == nil {
			return now.Add(-24 * d), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%w: %q is no time: use 90m, 7d, 2026-06-07 or 2026-06-07T10:00:00Z", errUsage, s)
}

const (
	longEN = `mnote-host gives an AI agent MNote's tools over stdio. It checks every call
before it is sent, writes nothing twice, and records what was done.

Start here:
  mnote-host try                            see it work on a copy of sample notes
  mnote-host try --workspace ~/notes        the same on a copy of yours
  mnote-host mcp --workspace ~/notes        what an agent's configuration starts`
	longZH = `mnote-host 通过 stdio 把 MNote 的工具交给 AI agent：每次调用先检查再发送，
不会写两遍，做过什么都有记录。

从这里开始：
  mnote-host try                            在示例笔记的副本上看它工作
  mnote-host try --workspace ~/notes        在你自己笔记的副本上
  mnote-host mcp --workspace ~/notes        agent 配置里要启动的命令`
)
