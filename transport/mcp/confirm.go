package mcp

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// questionKey is the name of our one question in inputRequests.
const questionKey = "confirm"

// elicitationSince is the first legacy version with elicitation.
const elicitationSince = mcp.ProtocolVersion20250618

// emptyForm is a form without fields: only the action of the answer counts.
var emptyForm = json.RawMessage(`{"type":"object","properties":{}}`)

// elicitation is the params of elicitation/create, in both eras.
type elicitation struct {
	Mode    string          `json:"mode,omitempty"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema"`
}

// action is what a person did with a question.
type action struct {
	Action string `json:"action"`
}

// answer reads an action. Closing a question without a choice is no choice: the
// plan then waits for a person elsewhere.
func (a action) answer() plugin.Answer {
	switch a.Action {
	case "accept":
		return plugin.Yes
	case "decline":
		return plugin.No
	case "cancel":
		return plugin.Unanswered
	}
	return plugin.CannotAsk
}

// asking puts one call's question to a person, in the form of the call's era.
type asking struct {
	face *Face
	q    *request
	// slip is the authentic state that came with the call, and action the
	// person's; nil in a call's first leg.
	slip   *slip
	action action
	// spoilt says that a state came which is not ours: no question is put again
	// on its behalf.
	spoilt bool
	// asked is the question that ends this call.
	asked *plugin.Question
}

// asker reads what of an earlier question came with the call.
func (f *Face) asker(q *request) (*asking, *stdio.Fault) {
	a := &asking{face: f, q: q}
	if !q.modern || q.params.RequestState == nil {
		return a, nil
	}
	if !q.client.asks {
		// An answer needs the ability that the request does not declare (M10).
		return nil, &stdio.Fault{
			Code: codeMissingAbility, Message: "Missing required client capability: elicitation",
			Data: json.RawMessage(`{"requiredCapabilities":{"elicitation":{"form":{}}}}`),
		}
	}
	state, _ := text(q.params.RequestState)
	s, ok := f.seal.open(state)
	if !ok {
		a.spoilt = true
		return a, nil
	}
	a.slip = &s
	var answers map[string]json.RawMessage
	if json.Unmarshal(q.params.InputResponses, &answers) == nil {
		_ = json.Unmarshal(answers[questionKey], &a.action) // what is no action is no yes
	}
	return a, nil
}

// callID is the call that the question belonged to, so that both legs are one.
func (a *asking) callID() string {
	if a.slip == nil {
		return ""
	}
	return a.slip.callID
}

// Confirm asks, or gives the answer that came with the call.
func (a *asking) Confirm(ctx context.Context, q plugin.Question) plugin.Answer {
	switch {
	case !a.q.client.asks || a.spoilt:
		return plugin.CannotAsk
	case !a.q.modern:
		return a.elicit(ctx, q)
	case a.slip == nil:
		a.asked = &q
		return plugin.Asked
	}
	switch a.face.seal.spend(*a.slip, q) {
	case spent:
		return a.action.answer()
	case late:
		a.asked = &q // it was this question, only too long ago or before the page changed: put it again
		return plugin.Asked
	}
	return plugin.CannotAsk
}

// elicit asks by a request of ours. When the call is cancelled, or the time that
// the pipeline gives a person is over, the question is withdrawn: the peer sends
// the client its cancellation.
func (a *asking) elicit(ctx context.Context, q plugin.Question) plugin.Answer {
	if a.q.client.version < elicitationSince || !a.face.ready.Load() {
		return plugin.CannotAsk
	}
	params := elicitation{Message: q.Text, Schema: emptyForm}
	if a.q.client.version >= mcp.ProtocolVersion20251125 {
		params.Mode = mcp.ElicitationModeForm
	}
	var act action
	if err := a.face.peer.Call(ctx, string(mcp.MethodElicitationCreate), params, &act); err != nil {
		a.face.cfg.Log.Info().Err(err).Str("request", a.q.describe()).Msg("the client could not ask a person")
		return plugin.CannotAsk
	}
	return act.answer()
}

// inputRequired ends a modern call with a question; the client calls again with
// the person's answer.
func (f *Face) inputRequired(q plugin.Question, callID string) json.RawMessage {
	params, _ := tools.Compact(elicitation{Mode: mcp.ElicitationModeForm, Message: q.Text, Schema: emptyForm})
	state, _ := tools.Compact(f.seal.issue(q, callID))
	return json.RawMessage(`{"resultType":"` + string(mcp.ResultTypeInputRequired) + `",` + f.identity +
		`,"inputRequests":{"` + questionKey + `":{"method":"` + string(mcp.MethodElicitationCreate) + `","params":` + string(params) +
		`}},"requestState":` + string(state) + `}`)
}
