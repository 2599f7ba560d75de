package kernel

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/tools"
)

// The members we know; whatever else stands beside them is kept.
//
// Nothing here goes by encoding/json's rules for names: it folds case and takes
// the last of two equal names, gjson the first, and a reader further on may be
// either. What two readers would take for two things is a breach instead.
var (
	envelopeMembers = []string{"ok", "toolName", "toolCallId", "traceId", "result", "audit", "error", "repairs"}
	auditMembers    = []string{"effect", "commandId", "workspaceId", "documentId", "changedFiles", "replayed"}
	errorMembers    = []string{"code", "message", "details"}
)

// readEnvelope reads a kernel's answer to the call, completes the short forms of
// seed 7-6 §4 and holds the whole against the contract.
func readEnvelope(call *tools.Call, body []byte) (env tools.Envelope, f *flaw) {
	m := object{names: envelopeMembers}
	if f = m.read(body); f == nil {
		f = m.envelope(call, &env)
	}
	if f != nil {
		return tools.Envelope{}, f
	}
	return env, nil
}

// envelope fills in env, each part before the one that needs it.
func (o *object) envelope(call *tools.Call, env *tools.Envelope) (f *flaw) {
	env.ToolName, env.ToolCallID, env.TraceID, env.Extra = call.ToolName, call.ToolCallID, call.TraceID, o.unknown
	if env.OK, f = o.boolean("ok", true); f != nil {
		return f
	}
	if f := o.echo(call, env); f != nil {
		return f
	}
	if f := o.failure(call, env); f != nil {
		return f
	}
	if f := o.result(env); f != nil {
		return f
	}
	if f := o.audit(call, env); f != nil {
		return f
	}
	return checkEffect(call, env)
}

// echo holds what the answer says back against the call. A failure may leave it out:
// the kernel may not have come to read the request.
func (o *object) echo(call *tools.Call, env *tools.Envelope) *flaw {
	for _, e := range [...]struct{ member, want string }{
		{"toolName", string(call.ToolName)},
		{"toolCallId", call.ToolCallID},
	} {
		got, f := o.textOr(e.member, e.want, env.OK)
		if f != nil {
			return f
		}
		if o.has(e.member) && got != e.want {
			return flawOther(e.member)
		}
	}
	// The trace is only for logs: a kernel that names its own keeps its word.
	trace, f := o.textOr("traceId", call.TraceID, false)
	if trace != "" {
		env.TraceID = trace
	}
	return f
}

// failure reads the error that a failure must carry and a success may not.
func (o *object) failure(call *tools.Call, env *tools.Envelope) (f *flaw) {
	switch {
	case env.OK && o.has("error"):
		return flawErrorBesideOK
	case env.OK:
		return nil
	case !o.has("error"):
		return flawMissing("error")
	}
	env.Error, f = readError(o.raw("error"), call.Lang)
	return f
}

// readError reads {code, message, details?} and drops every other member. The
// message and the details of a code that is none of ours are dropped as well:
// nobody can say what they hold.
func readError(raw json.RawMessage, lang tools.Lang) (*tools.Error, *flaw) {
	m := object{names: errorMembers}
	if f := m.read(raw); f != nil {
		return nil, f.within("error")
	}
	code, f := m.text("code", true)
	if f != nil {
		return nil, f.within("error")
	}
	// A message that is missing or odd is no reason to lose the code.
	if c := tools.Code(code); c.Known() {
		message, _ := m.text("message", false)
		return told(c, message, m.details(), lang), nil
	}
	if !codeForm().MatchString(code) {
		return nil, flawOther("code").within("error")
	}
	return told(tools.Code(code), "", nil, lang), nil
}

// told is an error in the kernel's words, or in ours where it has none.
func told(code tools.Code, message string, details map[string]any, lang tools.Lang) *tools.Error {
	if message == "" {
		message = textUntold.In(lang)
	}
	return &tools.Error{Code: code, Message: message, Details: details}
}

// result takes the result of a success as it stands; what a failure carries is
// dropped, so that nothing leaks with it.
func (o *object) result(env *tools.Envelope) *flaw {
	switch {
	case !env.OK:
		return nil
	case !o.has("result"):
		return flawMissing("result")
	case o.kind("result") != '{':
		return flawType("result")
	}
	env.Result = o.raw("result")
	return nil
}

// audit starts from what the call says, since seed 7-6's short forms leave the
// ids out, and a failure may leave out the whole.
func (o *object) audit(call *tools.Call, env *tools.Envelope) *flaw {
	env.Audit = tools.Audit{Effect: tools.EffectNone, WorkspaceID: call.WorkspaceID, DocumentID: call.DocumentID}
	if !o.has("audit") {
		if env.OK {
			return flawMissing("audit")
		}
		return nil
	}
	a := object{names: auditMembers}
	f := a.read(o.raw("audit"))
	if f == nil {
		f = a.fillAudit(env)
	}
	if !env.OK { // nothing happened, so nothing is named
		env.Audit.CommandID, env.Audit.ChangedFiles = nil, nil
	}
	return f.within("audit")
}

// fillAudit lets the kernel's audit stand over what the call already says: a tool
// that creates a page answers with another document than it was asked about.
func (o *object) fillAudit(env *tools.Envelope) *flaw {
	effect, f := o.textOr("effect", string(tools.EffectRead), env.OK)
	if f != nil {
		return f
	}
	if env.OK {
		env.Audit.Effect = tools.Effect(effect)
		if !slices.Contains(effects, env.Audit.Effect) {
			return flawOther("effect")
		}
	}
	env.Audit.Extra = o.unknown
	return firstFlaw(
		o.ids(&env.Audit),
		o.flag("replayed", &env.Audit.Replayed),
		o.changedFiles(&env.Audit.ChangedFiles),
	)
}

var effects = []tools.Effect{tools.EffectNone, tools.EffectRead, tools.EffectWrite, tools.EffectDryRun}

// ids reads what the audit names; an absent or null id leaves the call's own.
func (o *object) ids(a *tools.Audit) *flaw {
	workspace, f1 := o.textOr("workspaceId", a.WorkspaceID, false)
	f2 := o.id("documentId", &a.DocumentID)
	f3 := o.id("commandId", &a.CommandID)
	if workspace != "" {
		a.WorkspaceID = workspace
	}
	return firstFlaw(f1, f2, f3)
}

// id reads an id into to, unless it says the same or nothing.
func (o *object) id(member string, to **string) *flaw {
	known := ""
	if *to != nil {
		known = **to
	}
	id, f := o.textOr(member, known, false)
	if id != "" && id != known {
		*to = new(id)
	}
	return f
}

// flag reads an optional boolean into to.
func (o *object) flag(member string, to *bool) *flaw {
	v, f := o.boolean(member, false)
	*to = v
	return f
}

// changedFiles reads the list of what a write touched; an empty one is none.
func (o *object) changedFiles(to *[]tools.ChangedFile) *flaw {
	if !o.has("changedFiles") {
		return nil
	}
	var files []tools.ChangedFile
	if err := json.Unmarshal(o.raw("changedFiles"), &files); err != nil {
		return flawType("changedFiles")
	}
	if len(files) > 0 {
		*to = files
	}
	return nil
}

// checkEffect holds the effect against what was asked. A failure has none, so
// there is nothing to hold. A write that reports no effect passes (it found
// everything as it should be); one that reports a plan does not, for its caller
// would count it as done. A command id is what undo and the audit go by, so it
// and the effect must agree both ways.
func checkEffect(call *tools.Call, env *tools.Envelope) *flaw {
	a := &env.Audit
	switch {
	case !env.OK:
		return nil
	case call.DryRun && a.Effect == tools.EffectWrite:
		return flawDryRunWrote
	case !call.DryRun && a.Effect == tools.EffectDryRun:
		return flawOnlyPlanned
	case a.Effect == tools.EffectWrite && a.CommandID == nil:
		return flawMissing("commandId").within("audit")
	case a.Effect != tools.EffectWrite && a.CommandID != nil:
		return flawCommandUnasked
	}
	return nil
}

// details reads an error's details; anything but an object is dropped. Whole
// numbers keep their digits.
func (o *object) details() map[string]any {
	if o.kind("details") != '{' {
		return nil
	}
	d, _ := exact(gjson.ParseBytes(o.raw("details"))).(map[string]any)
	return d
}
