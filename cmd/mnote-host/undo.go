package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

func (p *program) undoCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "undo COMMAND | --session S", GroupID: groupChange, Args: cobra.MaximumNArgs(1),
		Short: p.say("撤销一次写入，或一个会话的全部写入", "undo one write, or all writes of a session"),
		Long: p.exits(p.say(
			"COMMAND 是写入的 commandId（audit 的最后一列）。带 --session 时从最新的开始，一次一个，遇到第一个被拒绝的就停下，并说明撤销了什么、没撤销什么。之后被人改过的内容不会被覆盖。撤销本身也是一次写入，可以再撤销。\n\n  mnote-host undo page_body_save_trace_… --workspace ~/notes\n  mnote-host undo --session session_… --workspace ~/notes",
			"COMMAND is the commandId of a write (the last column of audit). With --session the newest write comes first, one after the other, up to the first that is refused; then it says what was undone and what was not. What a person changed since is never overwritten. An undo is a write too, and can be undone.\n\n  mnote-host undo page_body_save_trace_… --workspace ~/notes\n  mnote-host undo --session session_… --workspace ~/notes")),
		RunE: func(c *cobra.Command, args []string) error {
			session := ""
			if f := c.Flags().Lookup("session"); f != nil && f.Changed { // the environment's is the caller's own session
				session = f.Value.String()
			}
			if (len(args) == 1) == (session != "") {
				return fmt.Errorf("%w: %s", errUsage, p.say("给出一个 COMMAND，或 --session", "give a COMMAND, or --session"))
			}
			return p.undo(c.Context(), args, session, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, p.say("每次撤销打印一个信封", "print an envelope for each undo"))
	return c
}

// undoing is a walk back through writes, newest first.
type undoing struct {
	p       *program
	w       *parts
	session *plugin.Session // of the person who undoes
	json    bool
	// undone holds the hashes of the keys of the undos that are done.
	undone map[string]bool
}

// undo takes back one command, or those of a session.
func (p *program) undo(ctx context.Context, command []string, session string, asJSON bool) error {
	w := p.assemble()
	defer w.close()
	p.refresh(ctx, w)
	cfg := w.session.Config()
	cfg.SessionID, cfg.RunID = "", "" // who undoes is not the session that wrote
	u := &undoing{p: p, w: w, session: w.host.Session(cfg), json: asJSON}
	if len(command) == 1 {
		return u.one(ctx, command[0])
	}
	return u.all(ctx, session)
}

// one takes back a single command. The audit knows its page, where it was
// written from here.
func (u *undoing) one(ctx context.Context, command string) error {
	if err := u.look(ctx); err != nil {
		return err
	}
	env, key := u.take(ctx, command)
	if env.Error == nil {
		return u.said(env, command)
	}
	if key > 0 && env.Error.Code == tools.CodeConflict {
		fmt.Fprintln(u.p.streams.Err, u.p.say("它之前已经撤销过一次", "it was undone once before"))
	}
	return u.refused(env)
}

// all takes back what a session wrote, newest first, up to the first refusal.
func (u *undoing) all(ctx context.Context, session string) error {
	writes, err := u.writesOf(ctx, session)
	if err != nil {
		return err
	}
	if err := u.look(ctx); err != nil {
		return err
	}
	done := 0
	for i, command := range writes {
		env, key := u.take(ctx, command)
		switch {
		case env.Error == nil:
			done++
			if err := u.said(env, command); err != nil {
				return err
			}
		case key > 0 && env.Error.Code == tools.CodeConflict:
			u.tell("%s  %s\n", u.p.say("早已撤销", "undone before"), visible(command))
		default:
			u.tell("%s\n", u.p.say("撤销了 %d 次写入，停在 %s；没有撤销（新的在前）：", "%d writes undone, stopped at %s; not undone, newest first:", done, visible(command)))
			for _, left := range writes[i:] {
				u.tell("  %s\n", visible(left))
			}
			return u.refused(env)
		}
	}
	u.tell("%s\n", u.p.say("撤销了 %d 次写入", "%d writes undone", done))
	return nil
}

// writesOf lists the commands of a session's writes in this workspace, newest
// first, and tells of those it cannot reach or judge.
func (u *undoing) writesOf(ctx context.Context, session string) (commands []string, err error) {
	seen, doubtful, elsewhere := map[string]bool{}, map[string]bool{}, 0
	here := cmp.Or(u.session.Config().WorkspaceID, u.w.registry.Snapshot().WorkspaceID())
	for row, err := range u.w.host.Audit(ctx, plugin.AuditFilter{Session: session, Newest: true}) {
		switch {
		case err != nil:
			return nil, fmt.Errorf("read the audit: %w", err)
		case row.Tool == string(capabilities.ToolCommandUndo):
		case row.Workspace != here || row.Kernel != u.p.kernelID():
			if row.Effect == tools.EffectWrite && !row.Replayed {
				elsewhere++
			}
		case row.Effect == tools.EffectWrite && row.CommandID != "" && !seen[row.CommandID]:
			seen[row.CommandID], seen[row.KeyHash] = true, true
			commands = append(commands, row.CommandID)
		case row.Kind == tools.KindWrite && lost(row.Code) && !seen[row.KeyHash]:
			doubtful[row.KeyHash] = true
		}
	}
	if len(doubtful) > 0 {
		u.tell("%s\n", u.p.say("有 %d 次写入结果不明（没有 commandId），请在 audit 里查看", "the outcome of %d writes is not known, so they have no commandId: see audit", len(doubtful)))
	}
	if elsewhere > 0 {
		u.tell("%s\n", u.p.say("有 %d 次写入在别的工作区，用那个 --workspace 或 --kernel 再运行一次", "%d writes are in another workspace: run this again with its --workspace or --kernel", elsewhere))
	}
	if len(commands) == 0 {
		return nil, errors.New(u.p.say("这个会话在这里没有写入：%s", "that session wrote nothing here: %s", visible(session)))
	}
	return commands, nil
}

// lost reports whether a call with this code may have written all the same.
func lost(code tools.Code) bool {
	return code == tools.CodeTimeout || code == tools.CodeContractViolation || code == tools.CodeCancelled
}

// look finds the undos that were done before.
func (u *undoing) look(ctx context.Context) error {
	u.undone = map[string]bool{}
	for row, err := range u.w.host.Audit(ctx, plugin.AuditFilter{Tool: string(capabilities.ToolCommandUndo)}) {
		if err != nil {
			return fmt.Errorf("read the audit: %w", err)
		}
		if row.Effect == tools.EffectWrite && !row.Replayed {
			u.undone[row.KeyHash] = true
		}
	}
	return nil
}

// take takes one command back. Its key says how many times the command was
// undone before: a retry of an undo whose answer was lost is that undo, and one
// after the write was made again is a new one.
func (u *undoing) take(ctx context.Context, command string) (env tools.Envelope, before int) {
	for u.undone[plugin.KeyHash(undoKey(command, before))] {
		before++
	}
	args, _ := json.Marshal(map[string]any{ // text and a bool always can
		"commandId": command, "dryRun": false, "idempotencyKey": undoKey(command, before),
	})
	env = u.session.Call(ctx, string(capabilities.ToolCommandUndo), args, plugin.Meta{Confirm: &terminal{p: u.p}})
	u.session.Delivered(env.ToolCallID)
	return env, before
}

func undoKey(command string, before int) tools.Key {
	sum := sha256.Sum256([]byte(command))
	return tools.Key(fmt.Sprintf("undo_%s_%d", hex.EncodeToString(sum[:16]), before))
}

func (u *undoing) said(env tools.Envelope, command string) error {
	if u.json {
		u.p.printf("%s\n", env.JSON())
		return nil
	}
	var result struct{ DocumentID string }
	_ = json.Unmarshal(env.Result, &result) // another kernel may say less
	if result.DocumentID == "" && env.Audit.DocumentID != nil {
		result.DocumentID = *env.Audit.DocumentID
	}
	by := ""
	if env.Audit.CommandID != nil {
		by = *env.Audit.CommandID
	}
	u.p.printf("%s  %s  %s → %s\n", u.p.say("已撤销", "undone"), visible(result.DocumentID), visible(command), visible(by))
	return nil
}

// tell says something beside the envelopes.
func (u *undoing) tell(format string, args ...any) {
	if u.json {
		fmt.Fprintf(u.p.streams.Err, format, args...)
		return
	}
	u.p.printf(format, args...)
}

// refused tells why a command was not taken back, with both sides of what was
// changed where the kernel gives them.
func (u *undoing) refused(env tools.Envelope) error {
	if u.json {
		u.p.printf("%s\n", env.JSON())
		return errors.Join(errSaid, env.Error)
	}
	var details struct {
		ThreeWay struct{ Undo, Since struct{ UnifiedDiff string } }
	}
	raw, _ := json.Marshal(env.Error.Details) // came from JSON
	if json.Unmarshal(raw, &details) != nil || details.ThreeWay.Since.UnifiedDiff == "" {
		return u.p.refused(env, false)
	}
	for _, side := range []struct{ title, diff string }{
		{u.p.say("写入之后被改成这样：", "changed since the write:"), details.ThreeWay.Since.UnifiedDiff},
		{u.p.say("撤销会改成这样：", "undoing would do this:"), details.ThreeWay.Undo.UnifiedDiff},
	} {
		fmt.Fprintf(u.p.streams.Err, "%s\n%s\n\n", side.title, visible(strings.TrimRight(side.diff, "\n")))
	}
	return env.Error
}
