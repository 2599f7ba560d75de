package plugin

import (
	"context"
	"errors"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// unrecorded ends a call without its records: they are written when the
// kernel's answer comes, or by the second leg of the call.
type unrecorded struct{ error }

func (u unrecorded) Unwrap() error { return u.error }

// forward is step 9: the kernel runs the tool, within the deadline. A read ends
// with its caller. A write outlives it: once it may have been sent, its answer
// is waited for and stored, for the retry.
func (s *Session) forward(ctx context.Context, c callClaimed) (callAnswered, error) {
	if ctx.Err() != nil {
		return callAnswered{}, gaveUp(ctx)
	}
	if !c.holdsKey() {
		ctx, cancel := context.WithTimeout(ctx, s.left(c))
		defer cancel()
		return s.send(ctx, c)
	}
	return s.sendWrite(ctx, c)
}

// patience is the time that a call of this kind has.
func (s *Session) patience(t trail) time.Duration {
	if t.tool.Writes() {
		return s.host.limits.Write
	}
	return s.host.limits.Read
}

func (s *Session) left(c callClaimed) time.Duration { return c.deadline.Sub(s.host.now()) }

// sendWrite forwards a write beside its caller. Exactly one of the two takes
// the answer on to verify and record: the caller, or nobody else being there,
// the goroutine.
func (s *Session) sendWrite(ctx context.Context, c callClaimed) (callAnswered, error) {
	answers, gone := make(chan stage[callAnswered]), make(chan struct{})
	var settled func(answered bool) // set before gone closes
	s.host.goBehind(func(own context.Context) {
		answer := s.sendAlone(own, c)
		select {
		case answers <- answer:
		case <-gone:
			env := tools.Envelope{}
			defer func() { settled(env.OK) }()
			env = s.record(own, then(own, late(answer), s.verify))
		}
	})
	select {
	case answer := <-answers:
		return answer.at, answer.end
	case <-ctx.Done():
		select {
		case answer := <-answers: // it came in the same moment
			return answer.at, answer.end
		default:
		}
		settled = s.host.pending.leave(c.trail)
		close(gone)
		return callAnswered{}, unrecorded{s.outcomeUnknown(c, leftUnderWay(ctx))}
	}
}

// leftUnderWay is the answer of a write whose caller has gone after it was
// handed to the kernel: it may happen all the same.
func leftUnderWay(ctx context.Context) *tools.Error {
	text, code := tools.Text{
		ZH: "调用已被取消，但写入已经交给内核，可能已经生效；请用同一个 idempotencyKey 再发一次，或重新读取页面",
		EN: "the call was cancelled when the write was with the kernel already, so it may have taken effect; send it again with the same idempotencyKey, or read the page",
	}, tools.CodeCancelled
	if context.Cause(ctx) == context.DeadlineExceeded {
		text, code = tools.Text{
			ZH: "调用方的时限已到，但写入已经交给内核，可能已经生效；请用同一个 idempotencyKey 再发一次，或重新读取页面",
			EN: "the caller's time was over when the write was with the kernel already, so it may have taken effect; send it again with the same idempotencyKey, or read the page",
		}, tools.CodeTimeout
	}
	return tools.Errorf(code, text)
}

// sendAlone sends a write under the host's own context.
func (s *Session) sendAlone(own context.Context, c callClaimed) stage[callAnswered] {
	own, cancel := context.WithTimeout(own, s.left(c))
	defer cancel()
	return then(own, stage[callClaimed]{at: c}, s.send)
}

// late marks a call whose caller has gone.
func late(a stage[callAnswered]) stage[callAnswered] {
	a.at.late = true
	if a.last != nil {
		last := *a.last
		last.late = true
		a.last = &last
	}
	return a
}

// send asks the kernel, and turns whatever goes wrong into what is known.
func (s *Session) send(ctx context.Context, c callClaimed) (a callAnswered, err error) {
	defer func() {
		if s.host.panicked(c.call.TraceID, recover()) {
			err = s.fault(ctx, c, errors.New("panic in the kernel"))
		}
	}()
	if s.free(c.tool) {
		ctx = context.WithValue(ctx, personKey{}, true)
	}
	env, err := s.host.cfg.Kernel.Call(ctx, c.call)
	if err != nil {
		return callAnswered{}, s.fault(ctx, c, err)
	}
	return callAnswered{c, env}, nil
}

// fault gives a kernel's error the code that says what is known. Of a write
// nothing is, unless the code says that nothing was sent or that it was refused.
func (s *Session) fault(ctx context.Context, c callClaimed, err error) error {
	coded, ok := errors.AsType[*tools.Error](err)
	switch {
	case !c.holdsKey() && errors.Is(ctx.Err(), context.Canceled):
		return cancelled().Because(err)
	case !ok && (ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)):
		coded = tools.Errorf(tools.CodeTimeout, tools.Text{
			ZH: "内核在 %s 内没有回答", EN: "the kernel did not answer within %s",
		}, s.patience(c.trail)).Because(err)
	case !ok:
		coded = tools.AsError(err)
	}
	if c.holdsKey() && leftOpen(coded) {
		return s.outcomeUnknown(c, coded)
	}
	return coded
}

// leftOpen is uncertain of an error that comes without a kernel's word. One that
// was cancelled says itself whether anything had been sent.
func leftOpen(e *tools.Error) bool {
	if e.Code == tools.CodeCancelled {
		return e.Details[outcomeDetail] == outcomeUnknown
	}
	return uncertain(e.Code)
}

func cancelled() *tools.Error {
	return tools.Errorf(tools.CodeCancelled, tools.Text{ZH: "调用已被取消", EN: "the call was cancelled"})
}

// uncertain reports whether an error with this code leaves open whether a write
// happened.
func uncertain(code tools.Code) bool {
	switch code {
	case tools.CodeTimeout, tools.CodeContractViolation, tools.CodeInternal, tools.CodeCancelled:
		return true
	}
	return false
}

const (
	outcomeDetail  = "outcome"
	outcomeUnknown = "unknown"
)

// outcomeUnknown says of an error that the write may have happened and that the
// same key may be sent again.
func (s *Session) outcomeUnknown(c callClaimed, e *tools.Error) *tools.Error {
	return e.With(outcomeDetail, outcomeUnknown).With("idempotencyKey", string(c.call.IdempotencyKey))
}
