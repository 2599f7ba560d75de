package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// callTool serves tools/call. An unknown tool is an envelope like every refusal:
// clients drop a fault's code and data.
func (f *Face) callTool(ctx context.Context, q *request) stdio.Reply {
	name, ok := text(q.params.Name)
	if !ok {
		return stdio.Reply{Fault: stdio.ParamsFault("name must be a string: the tool's")}
	}
	args, fault := q.arguments()
	if fault != nil {
		return stdio.Reply{Fault: fault}
	}
	ask, fault := f.asker(q)
	if fault != nil {
		return stdio.Reply{Fault: fault}
	}
	meta := q.meta()
	meta.Confirm = ask
	if meta.ToolCallID == "" {
		meta.ToolCallID = ask.callID() // a second leg is the same call
	}
	stop := f.beat(ctx, q)
	env := f.cfg.Session.Call(ctx, name, args, meta)
	stop()
	if question := ask.asked; question != nil {
		return stdio.Reply{Result: f.inputRequired(*question, env.ToolCallID)}
	}
	return f.answer(q, env)
}

// arguments gives the tool's raw arguments, nil when there are none. What is in
// them is the pipeline's to judge, and to repair.
func (q *request) arguments() (json.RawMessage, *stdio.Fault) {
	raw := q.params.Arguments
	switch {
	case raw == nil || string(raw) == "null":
		return nil, nil
	case !isObject(raw):
		return nil, stdio.ParamsFault("arguments must be an object")
	}
	return raw, nil
}

// meta hands the pipeline what _meta says of the call.
func (q *request) meta() plugin.Meta {
	w := q.params.Meta
	if w == nil {
		return plugin.Meta{}
	}
	return plugin.Meta{
		SessionID: word(w.SessionID), RunID: word(w.RunID), ToolCallID: word(w.ToolCallID),
		TraceParent: word(w.TraceParent),
	}
}

// answer writes an envelope as the client's data says.
func (f *Face) answer(q *request, env tools.Envelope) stdio.Reply {
	scratch := f.spare.get(len(env.Result) + 512)
	env, text := f.fit(scratch, env, q.params.Arguments)
	r := f.render(q.client.results, env, text)
	stamp := ""
	if q.modern {
		stamp = f.stamp
	}
	line := r.append(f.spare.get(r.size()+len(stamp)), stamp)
	f.spare.put(scratch)
	return stdio.Reply{Result: line, Written: func() {
		f.cfg.Session.Delivered(env.ToolCallID)
		f.spare.put(line)
	}}
}

// render chooses text, structuredContent and isError for an envelope, whose
// JSON is text.
func (f *Face) render(how clients.Results, env tools.Envelope, text []byte) result {
	r := result{text: text, isError: !env.OK && (how.RefusalIsError || failure(env.Error))}
	if !env.OK && len(how.Avoid) > 0 {
		r.text = []byte(how.Calm(string(r.text)))
	}
	if how.Structured || f.outputSchema() {
		r.structured = r.text
	}
	if r.isError && how.ShortErrors && env.Error != nil {
		r.text = []byte(how.Calm(short(env)))
		if !f.outputSchema() {
			r.structured = nil // it would be shown beside a text that it does not equal
		}
	}
	return r
}

// failures are the codes that say the host or the kernel could not do its work;
// every other one is an expected refusal, which the model is to read and repair.
var failures = []tools.Code{
	tools.CodeKernelUnavailable, tools.CodeContractViolation, tools.CodeTimeout, tools.CodeInternal,
}

func failure(e *tools.Error) bool { return e == nil || slices.Contains(failures, e.Code) }

// short is an error in one sentence and, behind it, what repairs the call, or
// where its log lines are.
func short(env tools.Envelope) string {
	e := env.Error
	text := string(e.Code) + ": " + e.Message
	if len(e.Details) > 0 {
		if details, err := tools.Compact(e.Details); err == nil {
			text += " " + string(details)
		}
	}
	if failure(e) {
		text += " (traceId: " + env.TraceID + ")"
	}
	return text
}
