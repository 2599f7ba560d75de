package plugin

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// recordPatience is how long the records of a call may take after its caller
// has gone.
const recordPatience = 15 * time.Second

// record is step 11, and the only way out: whatever came of the call, its
// answer is stored, one audit row is written and one line logged. The caller's
// context no longer counts.
func (s *Session) record(ctx context.Context, v stage[callVerified]) tools.Envelope {
	t, env := outcome(v)
	if _, later := errors.AsType[unrecorded](v.end); later {
		return env
	}
	if t.holdsKey() { // the row of any other call waits for nothing
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordPatience)
		defer cancel()
		ctx = bounded
	}
	row, began := s.row(t, env), s.host.now()
	if err := s.settle(ctx, t, env, row); err != nil {
		s.host.cfg.Log.Error().Err(err).Str("traceId", t.call.TraceID).Msg("the ledger could not keep a call's end")
	}
	t.kept += s.host.now().Sub(began)
	s.log(t, env, row)
	if !t.late {
		s.handOut(t, env)
	}
	return env
}

// outcome is what is known of a call at its end, and its answer.
func outcome(v stage[callVerified]) (trail, tools.Envelope) {
	if v.end == nil {
		return v.at.trail, v.at.env
	}
	t := *v.last
	if by, ok := errors.AsType[spoken](v.end); ok {
		t.agreed = by.by
	}
	r, ok := errors.AsType[replayed](v.end)
	if !ok {
		env := tools.Refuse(t.call, v.end)
		env.Repairs = t.repairs
		return t, env
	}
	t.call.IdempotencyKey = r.key
	env := r.env
	env.ToolCallID, env.TraceID = t.call.ToolCallID, t.call.TraceID
	env.Audit.Replayed = true
	env.Repairs = t.repairs
	return t, env
}

// settle ends the call's claim, and writes its row with it. Where a claim was
// taken, what the envelope says of the outcome decides.
func (s *Session) settle(ctx context.Context, t trail, env tools.Envelope, row ledger.Row) error {
	switch {
	case t.claim == nil:
		s.host.ledger.Record(ctx, row)
		return nil
	case env.OK:
		return t.claim.Finish(ctx, env, row)
	case env.Error.Details[outcomeDetail] == outcomeUnknown:
		return t.claim.Doubt(ctx, env.Error.Code, row)
	}
	return t.claim.Release(ctx, row)
}

// handOut notes the answer of a write as on its way to the client, and what the
// session now knows.
func (s *Session) handOut(t trail, env tools.Envelope) {
	if !env.OK {
		return
	}
	s.known.add(env.Audit.DocumentID)
	if t.holdsKey() {
		s.host.pending.hand(t)
	}
}

// row is the call in the audit. It holds no content: arguments are there by
// their hash only.
func (s *Session) row(t trail, env tools.Envelope) ledger.Row {
	c := t.call
	r := ledger.Row{
		Time:    t.began,
		Session: c.SessionID, Run: c.RunID, ToolCallID: c.ToolCallID, TraceID: c.TraceID,
		Actor: c.ActorID, Profile: c.Profile, Agent: c.AgentID,
		Kernel: s.host.cfg.KernelID, Workspace: c.WorkspaceID, Document: c.Document(),
		Tool: string(c.ToolName), Kind: t.tool.Kind, Scopes: c.Scopes, DryRun: c.DryRun,
		Effect: env.Audit.Effect, Changed: env.Audit.ChangedFiles, Replayed: env.Audit.Replayed,
		ArgsHash: t.hash, KeyHash: ledger.HashKey(c.IdempotencyKey),
		Duration: s.host.now().Sub(t.began), Agreed: t.agreed,
	}
	if r.Document == "" && env.Audit.DocumentID != nil { // an undo names no page, and changes one
		r.Document = *env.Audit.DocumentID
	}
	if env.Audit.CommandID != nil {
		r.CommandID = *env.Audit.CommandID
	}
	if env.Error != nil {
		r.Code = env.Error.Code
	}
	if t.late {
		r.Code = tools.CodeCancelled
	}
	return r
}

// log writes the call's one line: ids, code and time, and for a fault its
// cause. Messages, arguments and results stay out of it.
func (s *Session) log(t trail, env tools.Envelope, r ledger.Row) {
	line := s.host.cfg.Log.WithLevel(levelOf(env))
	line.Str("traceId", r.TraceID).Str("tool", r.Tool).Str("session", r.Session).Str("run", r.Run).
		Str("call", r.ToolCallID).Str("effect", string(r.Effect)).Dur("took", r.Duration)
	if t.holdsKey() {
		line.Dur("kept", t.kept)
	}
	if r.CommandID != "" {
		line.Str("command", r.CommandID)
	}
	if r.Code != "" {
		line.Str("code", string(r.Code))
	}
	if r.DryRun {
		line.Bool("dryRun", true)
	}
	if r.Replayed {
		line.Bool("replayed", true)
	}
	if env.Error != nil {
		if cause := errors.Unwrap(env.Error); cause != nil {
			line.AnErr("cause", cause)
		}
	}
	line.Msg("call")
}

func levelOf(env tools.Envelope) zerolog.Level {
	if env.Error == nil {
		return zerolog.InfoLevel
	}
	switch env.Error.Code {
	case tools.CodeInternal, tools.CodeContractViolation:
		return zerolog.ErrorLevel
	case tools.CodeKernelUnavailable, tools.CodeTimeout:
		return zerolog.WarnLevel
	}
	return zerolog.InfoLevel
}

// fence turns a panic anywhere in the pipeline into an answer, so that one call
// never takes the process with it.
func (s *Session) fence(c callArrived, what any, env tools.Envelope) tools.Envelope {
	if !s.host.panicked(c.call.TraceID, what) {
		return env
	}
	env = tools.Refuse(c.call, tools.AsError(errPanic))
	defer func() { s.host.panicked(c.call.TraceID, recover()) }()
	s.host.ledger.Record(context.Background(), s.row(c.trail, env))
	return env
}

var errPanic = errors.New("panic in a call")
