package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/plugin"
)

// plansOptions narrow what `plans` shows.
type plansOptions struct {
	session string
	all     bool
	json    bool
}

func (p *program) plansCommand() *cobra.Command {
	var o plansOptions
	c := &cobra.Command{
		Use: "plans", GroupID: groupSee, Args: cobra.NoArgs,
		Short: p.say("哪些写入在等人同意", "which writes wait for a person's yes"),
		Long: p.exits(p.say(
			"一行一个计划：agent 想做、要人先同意、而它的客户端无法询问的写入。最旧的在前；24 小时后过期。\n\n  mnote-host plans\n  mnote-host approve PLAN",
			"One row a plan: a write that an agent wants, that a person must agree to, and that its client could not ask about. Oldest first; a plan expires after 24 hours.\n\n  mnote-host plans\n  mnote-host approve PLAN")),
		RunE: func(c *cobra.Command, _ []string) error { return p.plans(c.Context(), o) },
	}
	flags := c.Flags()
	flags.StringVar(&o.session, "of-session", "", p.say("只看这个会话", "only this session"))
	flags.BoolVar(&o.all, "all", false, p.say("也列出已答复和已过期的（保留 30 天）", "also those answered or expired, kept for 30 days"))
	flags.BoolVar(&o.json, "json", false, p.say("每行一个 JSON", "one JSON object a line"))
	return c
}

func (p *program) plans(ctx context.Context, o plansOptions) error {
	plans, err := p.recordedPlans(ctx, plugin.PlanFilter{Session: o.session, Over: o.all})
	if err != nil {
		return err
	}
	if o.json {
		return p.plansJSON(plans)
	}
	if len(plans) == 0 {
		p.printf("%s\n", p.say("没有等待同意的写入", "no write waits for a yes"))
		return nil
	}
	table := tabwriter.NewWriter(p.printer(), 0, 0, 2, ' ', 0)
	for _, plan := range plans {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", visible(plan.ID), moment(plan.Asked),
			plan.Tool, visible(plan.Document), visible(plan.Agent), p.planState(plan))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	p.printf("\n%s\n", p.say(
		"查看并批准：mnote-host approve <第一列>。批准只对提出它的那个 agent 会话有效；agent 重新启动后要重新批准",
		"look at one and approve it: mnote-host approve <first column>. A yes serves the agent's session that asked, alone; a new start of the agent needs a new yes"))
	return nil
}

func (p *program) recordedPlans(ctx context.Context, f plugin.PlanFilter) ([]plugin.Plan, error) {
	w, err := p.recorded()
	if errors.Is(err, errNothingYet) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer w.close()
	plans, err := w.host.Plans(ctx, f)
	for i := range plans {
		plans[i], _ = asItStands(ctx, w.host, plans[i])
		if plans[i].Document == "" {
			plans[i].Document = pageMade(ctx, w.host, plans[i].ID)
		}
	}
	if !f.Over {
		plans = slices.DeleteFunc(plans, func(p plugin.Plan) bool { return p.Void })
	}
	return plans, err
}

// asItStands marks a plan whose page was edited since it was made: nobody needs
// to decide it any more. It also gives whether that is known here, or of no
// interest.
func asItStands(ctx context.Context, h *plugin.Host, plan plugin.Plan) (_ plugin.Plan, known bool) {
	if plan.Used || plan.Ended || !time.Now().Before(plan.Expires) {
		return plan, true
	}
	outdated, known := h.Judge(ctx, plan)
	if outdated {
		plan.Used, plan.Void = true, true
	}
	return plan, known
}

// pageMade is the page that a plan would make, where its call named none.
func pageMade(ctx context.Context, h *plugin.Host, id string) string {
	plan, err := h.Plan(ctx, id)
	if err != nil {
		return ""
	}
	change, _ := plugin.ChangeOf(plan.Preview)
	var args struct{ Path string }
	_ = json.Unmarshal(change.Args, &args) // most plans keep none
	return cmp.Or(change.Document, args.Path)
}

// moment is a time for people, with the zone that it is told in.
func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 UTC-07:00") }

func (p *program) plansJSON(plans []plugin.Plan) error {
	for _, plan := range plans {
		line, err := json.Marshal(plan)
		if err != nil {
			return err
		}
		p.printf("%s\n", line)
	}
	return nil
}

// planState is where a plan stands, in a few words.
func (p *program) planState(plan plugin.Plan) string {
	switch over := !time.Now().Before(plan.Expires); {
	case plan.Void:
		return p.say("过时：页面在它之后变了，agent 要重新提出", "out of date: the page changed since; the agent must ask again")
	case plan.Used:
		return p.say("已用", "used")
	case over:
		return p.say("已过期", "expired")
	case plan.Ended:
		return p.say("agent 的会话已经结束", "the agent's session has ended")
	case plan.Decision == plugin.PlanDeclined:
		return p.say("已拒绝", "declined")
	case plan.Decision == plugin.PlanApproved:
		return p.say("已批准，等 agent 在同一个会话里再发一次", "approved, until the agent sends it again in the same session")
	}
	return p.say("等到 %s", "waits until %s", moment(plan.Expires))
}
