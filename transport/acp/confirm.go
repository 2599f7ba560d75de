package acp

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// The options of a question. There is no "always": every write is asked for by
// itself.
const (
	optionYes = "mnote-allow"
	optionNo  = "mnote-reject"
)

var (
	textYes = tools.Text{ZH: "允许这一次", EN: "Allow once"}
	textNo  = tools.Text{ZH: "拒绝", EN: "Reject"}
)

// asking puts the pipeline's questions to the person at the client. The agent
// sees neither question nor answer.
type asking struct {
	session *session
	within  context.Context // ends when the grant that the call came under changes
}

type option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type toolCall struct {
	ID       string          `json:"toolCallId"`
	Title    string          `json:"title"`
	Kind     string          `json:"kind"`
	Status   string          `json:"status"`
	RawInput json.RawMessage `json:"rawInput,omitempty"`
}

// permission is the params of session/request_permission: toolCall in v1, title
// and subject in v2.
type permission struct {
	SessionID string    `json:"sessionId"`
	ToolCall  *toolCall `json:"toolCall,omitempty"`
	Title     string    `json:"title,omitempty"`
	Subject   *subject  `json:"subject,omitempty"`
	Options   []option  `json:"options"`
}

type subject struct {
	Type     string   `json:"type"`
	ToolCall toolCall `json:"toolCall"`
}

// outcome is the answer to a question.
type outcome struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}

// Confirm asks, and withdraws the question when the turn is cancelled, the scope
// changes, or the person's time is over. Only the option that says yes is one.
func (a *asking) Confirm(ctx context.Context, q plugin.Question) plugin.Answer {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(a.within, func() { cancel(context.Cause(a.within)) })()
	f := a.session.face
	params, ok := a.params(q)
	if !ok {
		return plugin.CannotAsk // the client does not know this session yet
	}
	var got outcome
	if err := f.calls.Call(ctx, methodPermission, params, &got); err != nil {
		if a.within.Err() != nil {
			return plugin.No // what the person would say yes to is no longer on offer
		}
		if ctx.Err() != nil {
			return plugin.Unanswered
		}
		f.cfg.Log.Info().Str("session", a.session.handle).Err(err).Msg("the client could not ask a person")
		return plugin.CannotAsk
	}
	switch {
	case got.Outcome.Outcome != "selected":
		return plugin.Unanswered
	case got.Outcome.OptionID == optionYes:
		return plugin.Yes
	}
	return plugin.No
}

// By implements plugin.Speaker.
func (a *asking) By() string { return "permission" }

func (a *asking) params(q plugin.Question) (permission, bool) {
	var id string
	var version int
	a.session.face.update(func(s *state) {
		id, version = a.session.id, s.version
		s.questions++
		q.SessionID = strconv.Itoa(s.questions)
	})
	call := toolCall{ID: "mnote-host-" + q.SessionID, Title: q.Text, Kind: "edit", Status: "pending", RawInput: q.Args}
	lang := a.session.now.Load().open.Lang()
	p := permission{SessionID: id, Options: []option{{optionYes, textYes.In(lang), "allow_once"}, {optionNo, textNo.In(lang), "reject_once"}}}
	if version == 2 {
		p.Title, p.Subject = q.Text, &subject{"tool_call", call}
	} else {
		p.ToolCall = &call
	}
	return p, id != ""
}
