package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"sync"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// verify is step 10: an answer that breaks the contract is a violation and
// said loudly, and nothing of it leaks. What keeps it is completed.
func (s *Session) verify(ctx context.Context, c callAnswered) (callVerified, error) {
	env := c.env
	if !env.OK {
		s.heard(ctx, env)
		e := onTheWire(c.snapshot, wordOf(env).In(c.call.Lang))
		if c.holdsKey() && uncertain(e.Code) {
			e = s.outcomeUnknown(c.callClaimed, e)
		}
		c.env = refusalOf(c.call, env, e)
		return callVerified{c}, nil
	}
	if breach := breachOf(c.trail, env); breach != "" {
		return callVerified{}, s.violation(c, breach)
	}
	if limit := s.host.limits.ResultBytes; limit >= 0 && len(env.Result) > limit && !c.holdsKey() {
		return callVerified{}, tools.Errorf(tools.CodePayloadTooLarge, tools.Text{
			ZH: "结果共 %d 字节，超过上限 %d 字节；请缩小范围，或用 cursor、limit、maxChars 分页读取",
			EN: "the result is %d bytes and the limit is %d; ask for less, or page with cursor, limit or maxChars",
		}, len(env.Result), limit).With("limitBytes", limit)
	}
	c.env = completed(c.trail, env)
	if c.tool.Name == capabilities.ToolSkillRead {
		c.env.Result = s.usable(ctx, c.env.Result)
	}
	if c.call.DryRun && c.schema.AddsPlan() {
		c.env.Result = s.keepPlan(ctx, c)
	}
	return callVerified{c}, nil
}

// dotted finds a tool's dotted name in a text.
var dotted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bmnote(?:\.[a-z0-9_]+){2,}`) })

// onTheWire puts the wire names of tools into a kernel's message, which knows
// only the dotted ones: a model can call no other.
func onTheWire(s *capabilities.Snapshot, e *tools.Error) *tools.Error {
	named := tools.Error{Code: e.Code, Details: e.Details}
	named.Message = dotted().ReplaceAllStringFunc(e.Message, func(name string) string {
		if tool, err := s.Resolve(name); err == nil {
			return tools.WireName(tool.Name)
		}
		return name
	})
	return &named
}

// heard takes the kernel's word that a tool is off: the list is fetched anew, and
// before the call is answered, so that a client that lists next sees it.
func (s *Session) heard(ctx context.Context, env tools.Envelope) {
	if env.Error != nil && env.Error.Code == tools.CodeDisabled {
		_ = s.host.refresh(ctx)
	}
}

func (s *Session) violation(c callAnswered, breach string) error {
	s.host.cfg.Log.Error().Str("traceId", c.call.TraceID).Str("tool", string(c.call.ToolName)).
		Str("breach", breach).Msg("the kernel broke its contract")
	e := tools.Errorf(tools.CodeContractViolation, tools.Text{
		ZH: "内核的回答违反了约定（%s）", EN: "the kernel's answer breaks the contract (%s)",
	}, breach)
	if c.holdsKey() {
		return s.outcomeUnknown(c.callClaimed, e)
	}
	return e
}

// breachOf says in a few words how a success breaks the contract, or "".
func breachOf(t trail, env tools.Envelope) string {
	a := env.Audit
	switch {
	case env.ToolName != t.call.ToolName:
		return "toolName"
	case env.ToolCallID != t.call.ToolCallID:
		return "toolCallId"
	case env.Error != nil:
		return "ok with an error"
	case !isObject(env.Result):
		return "result"
	case !t.holdsKey() && a.Effect == tools.EffectWrite && t.call.DryRun:
		return "a dry run that wrote"
	case !t.holdsKey() && a.Effect == tools.EffectWrite:
		return "a read that wrote"
	case t.holdsKey() && a.Effect == tools.EffectDryRun:
		return "a write that was only planned"
	case t.holdsKey() && (a.CommandID == nil || *a.CommandID == "") && a.Effect != tools.EffectNone:
		return "a write without commandId"
	}
	return ""
}

// isObject reports whether a result is an object or left out.
func isObject(result json.RawMessage) bool {
	trimmed := bytes.TrimLeft(result, " \t\r\n")
	return len(trimmed) == 0 || trimmed[0] == '{'
}

// completed fills in what the short forms of the contract leave out.
func completed(t trail, env tools.Envelope) tools.Envelope {
	env.TraceID = t.call.TraceID
	if len(env.Result) == 0 {
		env.Result = json.RawMessage("{}")
	}
	env.Audit.Effect = effectOf(t, env.Audit.Effect)
	if env.Audit.Effect != tools.EffectWrite {
		env.Audit.CommandID, env.Audit.ChangedFiles = nil, nil
	}
	env.Audit = placed(t.call, env.Audit)
	env.Repairs = append(env.Repairs, t.repairs...)
	return env
}

// effectOf is what a success did. A kernel may leave the word out, or say that
// a write found nothing to do.
func effectOf(t trail, said tools.Effect) tools.Effect {
	switch {
	case t.call.DryRun:
		return tools.EffectDryRun
	case !t.tool.Writes():
		return tools.EffectRead
	case said == tools.EffectNone:
		return tools.EffectNone
	}
	return tools.EffectWrite
}

func placed(c tools.Call, a tools.Audit) tools.Audit {
	if a.WorkspaceID == "" {
		a.WorkspaceID = c.WorkspaceID
	}
	if a.DocumentID == nil {
		a.DocumentID = c.DocumentID
	}
	return a
}

// foreignCode is the form of a code that is said on although it is none of ours.
var foreignCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`) })

// wordOf is the error of a kernel's refusal, without message and details where
// its code is none of ours.
func wordOf(env tools.Envelope) *tools.Error {
	e := env.Error
	switch {
	case e == nil || !foreignCode().MatchString(string(e.Code)):
		return tools.Errorf(tools.CodeContractViolation, tools.Text{
			ZH: "内核拒绝了调用，却没有给出错误码", EN: "the kernel refused the call without a code",
		})
	case !e.Code.Known() || e.Message == "":
		return tools.Errorf(e.Code, tools.Text{
			ZH: "内核拒绝了调用（%s）", EN: "the kernel refused the call (%s)",
		}, e.Code)
	}
	return e
}

// refusalOf is the kernel's refusal with all but its word taken off: no result
// and no effect.
func refusalOf(c tools.Call, env tools.Envelope, e *tools.Error) tools.Envelope {
	out := tools.Refuse(c, e)
	out.Audit.Extra = env.Audit.Extra
	out.Extra = env.Extra
	return out
}
