package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

const (
	// maxPreview bounds what is kept of a plan for the person who is to approve it.
	maxPreview = 2 << 20
	// maxShownDiff and maxShown bound what an agent is told of it, in bytes.
	maxShownDiff = 2000
	maxShown     = 1000
)

// onYes is a write that a person agreed to before: it does what the person saw.
func (s *Session) onYes(ctx context.Context, c callFresh, yes ledger.Approval) (callAgreed, error) {
	c.yes, c.agreed = yes.ID, yes.By
	switch named := c.args.PlanID(); {
	case c.schema.AddsPlan() && named == "":
		held, err := s.planNamed(ctx, c, yes.ID)
		if err != nil {
			return callAgreed{c}, err
		}
		return callAgreed{held}, nil
	case c.schema.AddsPlan():
	case yes.AtKernel && named == "":
		own := s.own(c.callRead)
		own[planIDField] = yes.ID
		c.call.Args = schema.Canonical(own)
	case !yes.AtKernel && (named == "" || named == yes.ID): // the kernel keeps no plan of it
		own := s.own(c.callRead)
		delete(own, planIDField) // an id of ours
		c.call.Args = schema.Canonical(own)
		return s.likeShown(ctx, c, yes)
	}
	return callAgreed{c}, nil
}

// onShown is a write that a person agreed to just now, from the dry run that they
// were shown. The yes is kept, so that a retry of the write passes on it too.
func (s *Session) onShown(ctx context.Context, c callFresh, dry tools.Envelope) (callAgreed, error) {
	c, err := s.again(ctx, c)
	if err != nil {
		return callAgreed{}, err
	}
	a := s.approvalOf(c, dry)
	a.By = bySpeaker(c.meta.Confirm)
	if a, err = s.host.ledger.Agree(ctx, s.write(c.trail), a); err != nil {
		return callAgreed{}, err
	}
	return s.onYes(ctx, c, a)
}

// likeShown holds a write that no plan binds to what its person saw: to the
// page's revision, where the tool can be told it, else the dry run, made once
// more, must say the same. A retry needs no proof, for its write may have
// happened.
func (s *Session) likeShown(ctx context.Context, c callFresh, yes ledger.Approval) (callAgreed, error) {
	if _, said := c.args.ExpectedRevision(); said || yes.Used {
		return callAgreed{c}, nil
	}
	if yes.Revision != 0 && c.schema.Lists(expectedField) {
		c.call.Args = withMembers(c.call.Args, map[string]any{expectedField: yes.Revision})
		return callAgreed{c}, nil
	}
	env, err := s.tryShown(ctx, c)
	if err == nil && !bytes.Equal(promiseOf(preview(c, env.Result)), promiseOf(yes.Preview)) {
		err = outOfDate()
	}
	return callAgreed{c}, err
}

// tryShown is tryOut for a person, who is shown all of the diff.
func (s *Session) tryShown(ctx context.Context, c callFresh) (tools.Envelope, error) {
	c.call.WholeDiff = true
	return s.tryOut(ctx, c)
}

// leaveOpen refuses a write that needs a yes where nobody can be asked or nobody
// chose: its dry run is kept, so that a person can look at it and approve it.
func (s *Session) leaveOpen(ctx context.Context, c callFresh, dry tools.Envelope, answer Answer) error {
	a, err := s.host.ledger.Ask(ctx, s.write(c.trail), s.approvalOf(c, dry))
	if err != nil {
		return err
	}
	return needsApproval(a, s.host.approveCommand(a.ID), dry.Result, answer)
}

// approvalOf is a dry run as a question to a person.
func (s *Session) approvalOf(c callFresh, dry tools.Envelope) ledger.Approval {
	shown := preview(c, dry.Result)
	a := ledger.Approval{
		Agent: c.call.AgentID, Revision: basisOf(callAnswered{env: dry, callClaimed: callClaimed{callAgreed{c}}}),
		Question: questionText(c, shown).In(s.Lang()), Preview: shown,
		Passing: s.passing && c.call.SessionID == s.cfg.SessionID,
	}
	given, _ := textOf(dry.Result, planIDField)
	a.ID = s.host.idOr("plan", given)
	a.AtKernel = a.ID == given && !c.schema.AddsPlan()
	return a
}

// textOf gives an object's member that is a text and not empty.
func textOf(object json.RawMessage, name string) (string, bool) {
	var s string
	raw, _ := membersOf(object)[name].(json.RawMessage)
	return s, json.Unmarshal(raw, &s) == nil && s != ""
}

// preview is what a person is shown of a write before saying yes: the dry run's
// result and, where its diff does not say it all, the arguments. Equal previews
// are equal promises.
func preview(c callFresh, result json.RawMessage) json.RawMessage {
	shown := membersOf(result)
	delete(shown, planIDField)
	delete(shown, expiresAtField)
	if whole, ok := shown[wholeDiffField]; ok {
		shown[diffField] = whole
		delete(shown, wholeDiffField)
		delete(shown, cutField)
	}
	if _, ok := textOf(result, diffField); !ok || isTrue(shown[cutField]) {
		shown["args"] = json.RawMessage(c.call.Args)
	}
	return within(shown, maxPreview)
}

func isTrue(v any) bool {
	raw, _ := v.(json.RawMessage)
	return string(raw) == "true"
}

// within gives the members as an object of at most limit bytes: the biggest go
// first, and leftOut names them.
func within(members map[string]any, limit int) json.RawMessage {
	var leftOut []string
	for {
		object := encode(members)
		if len(object) <= limit || len(members) == 0 {
			return object
		}
		biggest := ""
		for name, v := range members {
			if raw, ok := v.(json.RawMessage); ok && (biggest == "" || len(raw) > len(members[biggest].(json.RawMessage))) {
				biggest = name
			}
		}
		if biggest == "" {
			return object
		}
		delete(members, biggest)
		leftOut = append(leftOut, biggest)
		members["leftOut"] = leftOut
	}
}

// approveCommand is what a person types to look at a plan and decide it.
func (h *Host) approveCommand(id string) string {
	return strings.TrimSpace("mnote-host approve " + id + " " + h.cfg.ApproveWith)
}

// needsApproval tells an agent that a person must approve the plan, and what the
// plan would do.
func needsApproval(a ledger.Approval, command string, result json.RawMessage, answer Answer) error {
	why := tools.Text{ZH: "，而这个客户端无法询问", EN: " and this client cannot ask"}
	if answer == Unanswered {
		why = tools.Text{ZH: "；客户端已经询问，但没有人表示同意", EN: "; one was asked and nobody said yes"}
	}
	return tools.Errorf(tools.CodeConfirmationRequired, tools.Text{
		ZH: "这次写入要先由人同意" + why.ZH + "；没有写入任何内容。请告诉用户：在终端运行 %[1]s（会先显示改动），或在控制台批准。批准之前不要重发；批准之后，在同一个会话里用完全相同的参数再发一次（24 小时内有效，一次；agent 重新启动后要重新批准）",
		EN: "a person must agree to this write" + why.EN + "; nothing was written. Tell the person to run: %[1]s in a terminal (it shows the change first), or to approve it in the console. Do not send it again before that; once it is approved, send exactly the same arguments one more time in this same session (good for 24 hours, once; a new start of the agent needs a new yes)",
	}, command).
		With(planIDField, a.ID).
		With(expiresAtField, a.Expires.UTC().Format(time.RFC3339)).
		With("approve", command).
		With("plan", shownPlan(result))
}

// shownPlan is what an agent is told of a plan: the diff, cut where it is long.
func shownPlan(result json.RawMessage) map[string]any {
	plan := map[string]any{}
	for name, v := range membersOf(result) {
		raw, _ := v.(json.RawMessage)
		switch name {
		case "diff", "diffStat", "warnings", "baseRevision", "resultRevision", "documentId":
			if len(raw) <= maxShown {
				plan[name] = raw
			}
		}
	}
	if text, ok := textOf(result, diffField); ok {
		cut := cutLines(text, maxShownDiff)
		plan["unifiedDiff"] = cut
		if len(cut) < len(text) || isTrue(membersOf(result)[cutField]) {
			plan["unifiedDiffTruncated"] = true
		}
	}
	return plan
}

// cutLines gives as many whole lines as fit, and of a first line that does not
// fit its beginning.
func cutLines(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if end := strings.LastIndexByte(text[:limit], '\n'); end >= 0 {
		return text[:end+1]
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
