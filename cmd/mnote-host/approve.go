package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

func (p *program) approveCommand() *cobra.Command {
	var decline bool
	c := &cobra.Command{
		Use: "approve PLAN", GroupID: groupChange, Args: cobra.ExactArgs(1),
		Short: p.say("看一个计划的改动，同意或拒绝", "look at what a plan would do, and say yes or no"),
		Long: p.exits(p.say(
			"在终端上显示改动并询问；没有终端就拒绝（退出码 3），也没有跳过询问的选项：同意的必须是人。同意之后，agent 用完全相同的参数再发一次即可写入，一次有效。\n\n  mnote-host plans\n  mnote-host approve plan_k3v…",
			"Shows the change on the terminal and asks there. Without a terminal it refuses (exit code 3), and no flag skips the question: a person agrees, not a program. Once you agree the agent sends exactly the same arguments again, and they pass once.\n\n  mnote-host plans\n  mnote-host approve plan_k3v…")),
		RunE: func(c *cobra.Command, args []string) error { return p.approve(c.Context(), args[0], decline) },
	}
	c.Flags().BoolVar(&decline, "decline", false, p.say("拒绝（也先显示改动并询问）", "say no (shows the change and asks as well)"))
	return c
}

// approve shows a plan to the person at the terminal and records what they say.
func (p *program) approve(ctx context.Context, id string, decline bool) error {
	terminal, err := p.terminal()
	if err != nil {
		return err
	}
	defer terminal.Close()
	w, err := p.recorded()
	if err != nil {
		return err
	}
	defer w.close()
	plan, err := w.host.Plan(ctx, id)
	if err != nil {
		return p.noPlan(err)
	}
	_ = p.know(ctx, w) // which workspace the kernel's is
	plan, known := asItStands(ctx, w.host, plan)
	text := p.planText(plan)
	if !known {
		text += p.say("页面在这之后有没有变，这里不知道：请带上 agent 的宿主所用的 --workspace 或 --kernel\n", "whether the page changed since cannot be told here: add the --workspace or --kernel that the agent's host was started with\n")
	}
	if _, err := io.WriteString(terminal, text); err != nil {
		return fmt.Errorf("show the plan: %w", err)
	}
	if plan.Used || plan.Ended || !time.Now().Before(plan.Expires) {
		return p.nothingToDecide(plan)
	}
	yes, err := p.askPlan(terminal, decline)
	if err != nil {
		return err
	}
	plan, err = w.host.Answer(ctx, id, plugin.PlanAnswer{Yes: yes, By: "terminal", Shown: plan.Digest()})
	if err != nil {
		return err
	}
	p.printf("%s\n", p.decided(plan))
	return nil
}

// nothingToDecide says why a plan is over.
func (p *program) nothingToDecide(plan plugin.Plan) error {
	why := p.planState(plan)
	return tools.Errorf(tools.CodeConflict, tools.Text{
		ZH: "这个计划不能再决定：" + why, EN: "there is nothing to decide of this plan: " + why,
	}).With("reason", "over")
}

// noPlan adds to an unknown plan the one reason that a person can mend here.
func (p *program) noPlan(err error) error {
	if coded, ok := errors.AsType[*tools.Error](err); ok && coded.Details["reason"] == "unknown" {
		fmt.Fprintln(p.streams.Err, p.say(
			"这个状态文件夹（%s）里没有它；agent 的宿主若用了别的，请加 --state",
			"it is not in this state folder (%s); if the agent's host uses another, name that with --state", p.values.get("state")))
	}
	return err
}

// terminal is the one that the person sits at. Standard input must be a
// terminal too: what is piped in is no person's answer.
func (p *program) terminal() (io.ReadWriteCloser, error) {
	in, ok := p.streams.In.(*os.File)
	if ok && isTerminal(in) {
		if terminal, err := openTerminal(); err == nil {
			return terminal, nil
		}
	}
	return nil, tools.Errorf(tools.CodeConfirmationRequired, tools.Text{
		ZH: "只有坐在终端前的人才能批准，而这里没有终端；请在终端里直接运行 mnote-host approve，或用控制台",
		EN: "only a person at a terminal can approve, and there is none here; run mnote-host approve in a terminal, or use the console",
	})
}

// askPlan asks for a yes or a no.
func (p *program) askPlan(terminal io.ReadWriter, decline bool) (yes bool, err error) {
	question := p.say("同意这次写入吗？[y] 同意  [n] 拒绝  [回车] 以后再说：", "Agree to this write? [y]es, [n]o, or Enter to decide later: ")
	if decline {
		question = p.say("拒绝这次写入吗？[y] 拒绝  [回车] 以后再说：", "Decline this write? [y]es, or Enter to decide later: ")
	}
	fmt.Fprint(terminal, question)
	line, err := bufio.NewReader(terminal).ReadString('\n')
	if err != nil && line == "" {
		return false, p.undecided()
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes", "是", "同意":
		return !decline, nil
	case "n", "no", "否", "拒绝":
		if !decline {
			return false, nil
		}
	}
	return false, p.undecided()
}

func (p *program) undecided() error {
	return errors.New(p.say("没有决定；计划仍在等待", "nothing was decided; the plan still waits"))
}

func (p *program) decided(plan plugin.Plan) string {
	if plan.Decision == plugin.PlanDeclined {
		return p.say("已拒绝 %s：agent 再发同样的写入会被告知。", "Declined %s: an agent that sends the same write is told so.", plan.ID)
	}
	return p.say("已同意 %s：agent 在 %s 之前，在同一个会话（%s）里用相同参数再发一次即可写入；agent 重新启动后要重新批准。", "Agreed to %s: the write passes once the agent sends it again in the same session, until %s (session %s); a new start of the agent needs a new yes.", plan.ID, moment(plan.Expires), visible(plan.Session))
}

// planText shows a plan: who wants what where, and the change.
func (p *program) planText(plan plugin.Plan) string {
	var b strings.Builder
	row := func(zh, en, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", p.say(zh, en), visible(value))
		}
	}
	row("计划", "plan", plan.ID+" · "+p.planState(plan))
	row("工具", "tool", string(plan.Tool))
	row("页面", "page", p.pageOf(plan))
	row("agent", "agent", plan.Agent)
	row("会话", "session", plan.Session)
	row("以谁的名义", "acts for", plan.Actor)
	row("工作区", "workspace", plan.Workspace)
	b.WriteString("\n" + p.changeText(plan.Preview) + "\n")
	return b.String()
}

func (p *program) pageOf(plan plugin.Plan) string {
	if plan.Document == "" || plan.Revision == 0 {
		return plan.Document
	}
	return p.say("%s（修订 %d）", "%s (revision %d)", plan.Document, plan.Revision)
}

// changeText shows what the write would do. Where the diff is cut or there is
// none, the arguments say what is written; what is not shown is counted.
func (p *program) changeText(preview json.RawMessage) string {
	change, ok := plugin.ChangeOf(preview)
	if !ok {
		return p.say("（改动已不再保存）\n", "(the change is no longer kept)\n")
	}
	var b strings.Builder
	if change.Document != "" {
		fmt.Fprintf(&b, "%s: %s\n", p.say("改动的页面", "page changed"), visible(change.Document))
	}
	if change.Diff != "" {
		b.WriteString(strings.TrimRight(plugin.VisibleDiff(change.Diff), "\n") + "\n")
	} else if len(change.Ops) > 0 {
		b.WriteString(visible(pretty(change.Ops)) + "\n")
	}
	if change.Warnings != nil {
		fmt.Fprintf(&b, "%s: %s\n", p.say("警告", "warnings"), visible(string(change.Warnings)))
	}
	if len(change.Args) > 0 {
		fmt.Fprintf(&b, "%s:\n%s\n", p.say("参数（要写入的内容）", "arguments (what is written)"), visible(pretty(change.Args)))
	}
	if len(change.LeftOut) > 0 {
		fmt.Fprintf(&b, "%s: %s\n", p.say("太长，没有列出", "too long to be shown"), visible(strings.Join(change.LeftOut, ", ")))
	}
	if change.Cut {
		hidden := change.HiddenText(change.Diff)
		b.WriteString(p.say(
			"……这个改动没有全部显示，不能整个判断：%[1]s。拿不准就不要同意\n",
			"… this change is not shown whole and cannot be judged whole: %[2]s. When in doubt do not agree\n", hidden.ZH, hidden.EN))
	}
	return b.String()
}
