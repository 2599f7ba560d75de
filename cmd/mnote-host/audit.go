package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// auditOptions narrow what `audit` shows.
type auditOptions struct {
	since, session, command string
	limit                   int
	json                    bool
}

func (p *program) auditCommand() *cobra.Command {
	var o auditOptions
	c := &cobra.Command{
		Use: "audit", GroupID: groupSee, Args: cobra.NoArgs,
		Short: p.say("做过什么", "what was done"),
		Long:  p.exits(p.say("每次调用一行，包括被拒绝的；没有笔记内容。最新的在前。", "One row a call, refusals included, newest first; never the content of a note.")),
		RunE:  func(c *cobra.Command, _ []string) error { return p.audit(c.Context(), o) },
	}
	flags := c.PersistentFlags()
	flags.StringVar(&o.since, "since", "", p.say("从何时起：90m、7d、2026-06-07", "from when: 90m, 7d, 2026-06-07"))
	flags.StringVar(&o.session, "of-session", "", p.say("只看这个会话", "only this session"))
	flags.StringVar(&o.command, "command", "", p.say("只看这个 commandId", "only this commandId"))
	flags.IntVar(&o.limit, "limit", 50, p.say("最多几行，0 为不限", "at most so many rows, 0 for all"))
	c.Flags().BoolVar(&o.json, "json", false, p.say("每行一个 JSON", "one JSON object a line"))
	c.AddCommand(
		&cobra.Command{Use: "verify", Args: cobra.NoArgs, Short: p.say("检查记录没有被改过", "check that nobody changed the record"), RunE: func(c *cobra.Command, _ []string) error { return p.verifyAudit(c.Context()) }},
		&cobra.Command{Use: "export", Args: cobra.NoArgs, Short: p.say("导出为 JSON 行，最旧的在前", "write all as JSON lines, oldest first"), RunE: func(c *cobra.Command, _ []string) error { return p.exportAudit(c.Context(), o) }},
	)
	return c
}

func (o auditOptions) filter(now time.Time) (plugin.AuditFilter, error) {
	f := plugin.AuditFilter{Session: o.session, Command: o.command, Limit: o.limit, Newest: true}
	if o.since == "" {
		return f, nil
	}
	var err error
	f.Since, err = since(o.since, now)
	return f, err
}

func (p *program) audit(ctx context.Context, o auditOptions) error {
	f, err := o.filter(time.Now())
	if err != nil {
		return err
	}
	w, err := p.recorded()
	if err != nil {
		return p.nothingYet(err)
	}
	defer w.close()
	var rows auditTable
	for row, err := range w.host.Audit(ctx, f) {
		if err != nil {
			return fmt.Errorf("read the audit: %w", err)
		}
		if o.json {
			line, err := json.Marshal(row)
			if err != nil {
				return err
			}
			p.printf("%s\n", line)
			continue
		}
		rows = append(rows, p.auditLine(row))
	}
	p.printf("%s", rows.in(p.columns()))
	return nil
}

// auditLine is a row for a person. The last cell, what came of it and the
// command, is as long as it is: a person copies from it.
func (p *program) auditLine(r plugin.AuditRow) []string {
	outcome := string(r.Effect)
	switch {
	case r.Code != "" && r.Effect == tools.EffectWrite:
		outcome = p.say("已写入，回答没有送到", "written, answer not delivered")
	case r.Code != "":
		outcome = string(r.Code)
	case r.Replayed:
		outcome += p.say("（重放）", " (replayed)")
	}
	if r.Agreed != "" {
		outcome += p.say("（人在 %s 作的答）", " (a person, by %s)", visible(r.Agreed))
	}
	if r.CommandID != "" {
		outcome += "  " + visible(r.CommandID)
	}
	return []string{shortTime(r.Time, time.Now()), visible(r.Actor), visible(r.Tool), visible(r.Document), outcome}
}

// shortTime leaves out the year that a reader knows.
func shortTime(t, now time.Time) string {
	if t = t.Local(); t.Year() == now.Year() {
		return t.Format("01-02 15:04:05")
	}
	return t.Format(time.DateTime)
}

// errBroken ends `audit verify` when the chain is broken; the text was printed.
var errBroken = errors.New("the audit was changed")

func (p *program) verifyAudit(ctx context.Context) error {
	w, err := p.recorded()
	if err != nil {
		return p.nothingYet(err)
	}
	defer w.close()
	chain, err := w.host.Verify(ctx)
	if err != nil {
		return fmt.Errorf("read the audit: %w", err)
	}
	if b := chain.Broken; b != nil {
		p.printf("%s\n", p.brokenText(chain))
		return errors.Join(errSaid, errBroken)
	}
	p.printf("%s\n", p.say("%d 行，一行也没被改过", "%d rows, each as it was written", chain.Rows))
	if chain.Start == plugin.AuditLost {
		p.printf("%s\n", p.say("但更早的记录丢了：那时的文件被删除或损坏", "but the record before them is lost: its file was deleted or damaged"))
		return errors.Join(errSaid, errBroken)
	}
	return nil
}

// brokenText says where a chain is broken and what that means.
func (p *program) brokenText(chain plugin.AuditChain) string {
	if chain.Broken.Kind != plugin.AuditUnmarked {
		return p.say("第 %d 行不对：%s", "row %d is not as it was written: %s", chain.Broken.Seq, chain.Broken.Kind)
	}
	return p.say(
		"这 %d 行与写下时一样，但记着最后一行的 audit.head 不在或读不懂：最新的几行是否被删掉了，无从知道。删除它的人、断电或第一次写入时被杀都会这样；下一次写入会重新建立它",
		"%d rows are each as they were written, but audit.head, which knows the last row, is missing or cannot be read: whether the newest rows were cut off cannot be told. Somebody deleted it, or the power went or the program was killed at its first write; the next write makes it again",
		chain.Rows)
}

func (p *program) exportAudit(ctx context.Context, o auditOptions) error {
	f, err := o.filter(time.Now())
	if err != nil {
		return err
	}
	f.Newest, f.Limit = false, 0
	w, err := p.recorded()
	if err != nil {
		return p.nothingYet(err)
	}
	defer w.close()
	return w.host.Export(ctx, p.printer(), f)
}
