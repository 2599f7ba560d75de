package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mnote-dev/mnote-host/tools"
)

// probe is one check at work: its subject, the manifest it works by, and what
// it has written so far.
type probe struct {
	ctx     context.Context
	subject Subject
	script  script
	doc     document
	written []string // command ids, in order
	depth   int      // how many switches this check has turned off
}

func begin(ctx context.Context, s Subject) (*probe, error) {
	words, err := readScript()
	if err != nil {
		return nil, err
	}
	m, err := s.Kernel.Manifest(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("fetch the manifest: %w", err)
	}
	p := &probe{ctx: ctx, subject: s, script: words}
	if p.doc, err = parseDocument(m.Raw); err != nil {
		return nil, err
	}
	return p, nil
}

// call makes a call of the tool on the subject's document, as a host would: with
// every field, fresh ids and the tool's own scope words.
func (p *probe) call(name tools.Name, args map[string]any) tools.Call {
	raw, err := json.Marshal(args)
	if err != nil || args == nil {
		raw = []byte("{}")
	}
	id := p.subject.newID()
	return tools.Call{
		ToolName: name, WorkspaceID: p.subject.WorkspaceID, DocumentID: &p.subject.DocumentID,
		ActorID: p.subject.ActorID, SessionID: "conform", RunID: "run_" + id, ToolCallID: "call_" + id, TraceID: "trace_" + id,
		IdempotencyKey: tools.Key("idem_" + id), Scopes: p.doc.tool(name).CapabilityScope, Args: raw,
		Profile: p.subject.Profile, AgentID: p.subject.AgentID, Lang: p.subject.Lang,
	}
}

// again is the same call once more, as a retry sends it: its own ids, its key.
func (p *probe) again(c tools.Call) tools.Call {
	id := p.subject.newID()
	c.ToolCallID, c.TraceID = "call_"+id, "trace_"+id
	return c
}

// ask runs a call and holds the envelope against what is true of every one.
func (p *probe) ask(c tools.Call) (tools.Envelope, error) {
	env, err := p.subject.Kernel.Call(p.ctx, c)
	if err != nil {
		return env, fmt.Errorf("call %s: %w", c.ToolName, err)
	}
	if err := errors.Join(echoes(c, env), whole(env)); err != nil {
		return env, fmt.Errorf("call %s: %w", c.ToolName, err)
	}
	if env.OK && env.Audit.Effect == tools.EffectWrite && !env.Audit.Replayed {
		p.written = append(p.written, *env.Audit.CommandID)
	}
	return env, nil
}

// succeed runs a call that must succeed with the effect.
func (p *probe) succeed(c tools.Call, effect tools.Effect) (tools.Envelope, error) {
	env, err := p.ask(c)
	switch {
	case err != nil:
		return env, err
	case !env.OK:
		return env, fmt.Errorf("%s was refused: %w", c.ToolName, env.Error)
	case env.Audit.Effect != effect:
		return env, fmt.Errorf("%s: audit.effect is %q, want %q", c.ToolName, env.Audit.Effect, effect)
	}
	return env, nil
}

// refuse runs a call that must be refused with one of the codes.
func (p *probe) refuse(c tools.Call, codes ...tools.Code) (*tools.Error, error) {
	env, err := p.ask(c)
	if err != nil {
		return nil, err
	}
	if env.OK {
		return nil, fmt.Errorf("%s succeeded, want it refused with %v", c.ToolName, codes)
	}
	for _, code := range codes {
		if env.Error.Code == code {
			return env.Error, nil
		}
	}
	return nil, fmt.Errorf("%s was refused with %s, want %v", c.ToolName, env.Error.Code, codes)
}

// echoes holds the envelope's names against the call's.
func echoes(c tools.Call, env tools.Envelope) error {
	var wrong []error
	for _, e := range []struct{ what, got, want string }{
		{"toolName", string(env.ToolName), string(c.ToolName)},
		{"toolCallId", env.ToolCallID, c.ToolCallID},
		{"traceId", env.TraceID, c.TraceID},
	} {
		if e.got != e.want {
			wrong = append(wrong, fmt.Errorf("%s is %q, want %q", e.what, e.got, e.want))
		}
	}
	return errors.Join(wrong...)
}

// whole holds the envelope against itself (seed 7-6 §3).
func whole(env tools.Envelope) error {
	a := env.Audit
	switch {
	case env.OK && env.Error != nil:
		return errors.New("ok is true beside an error")
	case env.OK && !isObject(env.Result):
		return errors.New("ok is true without a result object")
	case env.OK && (a.Effect == tools.EffectWrite) != (a.CommandID != nil && *a.CommandID != ""):
		return fmt.Errorf("audit.effect is %q and audit.commandId says otherwise", a.Effect)
	case !env.OK && env.Error == nil:
		return errors.New("ok is false without an error")
	case !env.OK && (a.Effect != tools.EffectNone || a.CommandID != nil || env.Result != nil):
		return errors.New("a failure carries an effect, a command id or a result")
	case !env.OK && !env.Error.Code.Known():
		return fmt.Errorf("the code %q is none of the contract's", env.Error.Code)
	case !env.OK && env.Error.Message == "":
		return errors.New("a failure says nothing to people")
	}
	return nil
}

func isObject(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}
