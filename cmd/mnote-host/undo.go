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
			"COMMAND 是写入的 commandId（audit 的最后一列）。带 --session 时从最新的开始，一次一个；某一页的一次写入被拒绝后，这一页更早的写入不再撤销，其他页继续，最后说明撤销了什么、没撤销什么。之后被人改过的内容不会被覆盖。撤销本身也是一次写入，可以再撤销。\n\n  mnote-host undo page_body_save_trace_… --workspace ~/notes\n  mnote-host undo --session session_… --workspace ~/notes",
			"COMMAND is the commandId of a write (the last column of audit). With --session the newest write comes first, one after the other. Where one is refused, the earlier writes to that page stay too and the other pages go on; at the end it says what was undone and what was not. What a person changed since is never overwritten. An undo is a write too, and can be undone.\n\n  mnote-host undo page_body_save_trace_… --workspace ~/notes\n  mnote-host undo --session session_… --workspace ~/notes")),
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
	if err := p.standing(); err != nil {
		return err
	}
	w := p.assemble()
	defer w.close()
	_ = p.know(ctx, w) // the undo asks the same kernel
	cfg := w.session.Config()
	cfg.SessionID, cfg.RunID = "", "" // who undoes is not the session that wrote
	cfg.Person = cfg.Grant == nil     // what was narrowed for an agent is an agent's
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

// made is a write that a session made.
type made struct{ command, document string }

// all takes back what a session wrote, newest first. Behind a write that is
// refused the earlier ones to its page stay; other pages are none of its business.
func (u *undoing) all(ctx context.Context, session string) error {
	writes, err := u.writesOf(ctx, session)
	if err != nil {
		return err
	}
	if err := u.look(ctx); err != nil {
		return err
	}
	var left []made
	var refusals []tools.Envelope
	done, stuck := 0, map[string]bool{}
	for n, w := range writes {
		if stuck[w.document] {
			left = append(left, w)
			continue
		}
		env, key := u.take(ctx, w.command)
		switch {
		case env.Error == nil:
			done++
			if err := u.said(env, w.command); err != nil {
				return err
			}
			continue
		case env.Error.Code == tools.CodeConflict && (key > 0 || env.Error.Details["reason"] == "already_undone"):
			u.tell("%s  %s\n", u.p.say("早已撤销", "undone before"), visible(w.command))
			continue
		}
		left, refusals = append(left, w), append(refusals, env)
		if w.document == "" || !ofItsPage(env.Error.Code) {
			left = append(left, writes[n+1:]...)
			break
		}
		stuck[w.document] = true
	}
	return u.end(done, left, refusals)
}

// ofItsPage reports whether a refusal says something of the one page only.
func ofItsPage(code tools.Code) bool {
	switch code {
	case tools.CodeConflict, tools.CodePageProtected, tools.CodeDocumentNotFound, tools.CodeInvalidArgs, tools.CodeInvalidBlock:
		return true
	}
	return false
}

// end says what a session's undo left, and why.
func (u *undoing) end(done int, left []made, refusals []tools.Envelope) error {
	if len(left) == 0 {
		u.tell("%s\n", u.p.say("撤销了 %d 次写入", "%d writes undone", done))
		return nil
	}
	u.tell("%s\n", u.p.say("撤销了 %d 次写入；没有撤销 %d 次（新的在前）：", "%d writes undone, %d not, newest first:", done, len(left)))
	for _, w := range left {
		u.tell("  %s\n", strings.TrimRight(visible(w.command)+"  "+visible(w.document), " "))
	}
	var first error
	for n, env := range refusals {
		err := u.refused(env)
		if n == 0 {
			first = err
		} else if !u.json {
			fmt.Fprintf(u.p.streams.Err, "%s\n", visible(env.Error.Error()))
		}
	}
	return first
}

// writesOf lists the commands of a session's writes in this workspace, newest
// first, and tells of those it cannot reach or judge.
func (u *undoing) writesOf(ctx context.Context, session string) (writes []made, err error) {
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
			writes = append(writes, made{row.CommandID, documentOf(row)})
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
	if len(writes) == 0 {
		return nil, errors.New(u.p.say("这个会话在这里没有写入：%s", "that session wrote nothing here: %s", visible(session)))
	}
	return writes, nil
}

// documentOf is the page that a write was to; a new page's call names none.
func documentOf(row plugin.AuditRow) string {
	if row.Document == "" && len(row.Changed) > 0 {
		return row.Changed[0].Path
	}
	return row.Document
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
	env = undoWrite(ctx, u.session, map[string]any{"commandId": command, "dryRun": false, "idempotencyKey": undoKey(command, before)}, &terminal{p: u.p})
	return env, before
}

// undoWrite has the kernel take a write back. Where that would also take a
// page's protection away the kernel wants to be told so: whoever asks here is
// the person, and has named the very write that set it.
func undoWrite(ctx context.Context, s *plugin.Session, args map[string]any, ask plugin.Confirmer) tools.Envelope {
	call := func(ask plugin.Confirmer) tools.Envelope {
		raw, _ := json.Marshal(args) // texts and bools always can
		env := s.Call(ctx, string(capabilities.ToolCommandUndo), raw, plugin.Meta{Confirm: ask})
		s.Delivered(env.ToolCallID)
		return env
	}
	env := call(ask)
	if env.Error == nil || env.Error.Code != tools.CodePageProtected || env.Error.Details["unlock"] != true {
		return env
	}
	args["unlock"] = true
	return call(clicked{})
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
