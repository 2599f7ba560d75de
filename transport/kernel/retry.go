package kernel

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// RetryConfig tunes Retry; the zero value works.
type RetryConfig struct {
	// Tries is how often a call is sent at most; 0 is 4.
	Tries int
	// First is the first pause and Longest the longest, both before jitter;
	// 0 is 100 ms and 2 s.
	First, Longest time.Duration
	// Log gets a line for each further try.
	Log zerolog.Logger
}

// Retry is a kernel that sends again what got no answer, inside the context's
// deadline: reads always, writes only with their key. What it knows of earlier
// tries it keeps: once a write may be out, no later failure makes that unsaid.
func Retry(k plugin.Kernel, c RetryConfig) plugin.Kernel {
	if c.Tries <= 0 {
		c.Tries = 4
	}
	if c.First <= 0 {
		c.First = 100 * time.Millisecond
	}
	if c.Longest <= 0 {
		c.Longest = 2 * time.Second
	}
	return &retrying{k, c}
}

type retrying struct {
	kernel plugin.Kernel
	cfg    RetryConfig
}

// Manifest is a read: it is fetched again freely.
func (r *retrying) Manifest(ctx context.Context, etag string) (capabilities.Manifest, error) {
	ctx, cancel := bounded(ctx, false)
	defer cancel()
	t := r.tries(ctx, tools.Call{}, true)
	return again(ctx, t, func() (capabilities.Manifest, error) {
		m, err := r.kernel.Manifest(ctx, etag)
		return m, t.note(ctx, err)
	})
}

// Call sends the call, again if need be, always with the same key.
func (r *retrying) Call(ctx context.Context, call tools.Call) (tools.Envelope, error) {
	ctx, cancel := bounded(ctx, writes(call))
	defer cancel()
	env, err := r.kernel.Call(ctx, call)
	if err == nil {
		return env, nil // nearly always: no policy is made for it
	}
	t := r.tries(ctx, call, !writes(call) || call.IdempotencyKey != "")
	tried := false // the first try is what was just got
	return again(ctx, t, func() (tools.Envelope, error) {
		if tried {
			env, err = r.kernel.Call(ctx, call)
		}
		tried = true
		if err == nil && t.lost != nil && !settles(env) {
			err = env.Error
		}
		return env, t.note(ctx, err)
	})
}

// again runs op until it succeeds or the tries are over, and then tells the
// most that is known.
func again[T any](ctx context.Context, t *tries, op backoff.Operation[T]) (T, error) {
	v, err := backoff.Retry(ctx, op, backoff.WithBackOff(t), backoff.WithMaxElapsedTime(0))
	if err == nil {
		return v, nil
	}
	var none T
	return none, t.verdict(ctx)
}

// settles reports whether an envelope that answers a second try also tells what
// became of the first. A kernel looks at the key last: a refusal that comes
// before says nothing of it.
func settles(env tools.Envelope) bool {
	if env.OK || env.Error == nil {
		return true
	}
	switch env.Error.Code {
	case tools.CodeRateLimited, tools.CodeKernelUnavailable, tools.CodeUnauthenticated,
		tools.CodePermissionDenied, tools.CodeDisabled, tools.CodeTimeout, tools.CodeInternal:
		return false
	}
	return true
}

// tries is the policy for one call: whether to send again, and when. It stands
// in for the library's own limits, which would lose the last error when the
// context ends, forget the cause of a Retry-After and wait past the deadline.
type tries struct {
	pause backoff.ExponentialBackOff
	left  int
	until time.Time
	log   zerolog.Logger
	call  tools.Call

	last error        // of the latest try
	lost *tools.Error // of the first try that may have had its effect
}

func (r *retrying) tries(ctx context.Context, call tools.Call, many bool) *tries {
	t := &tries{
		pause: backoff.ExponentialBackOff{
			InitialInterval: r.cfg.First, MaxInterval: r.cfg.Longest, Multiplier: 2, RandomizationFactor: 0.5,
		},
		log: r.cfg.Log, call: call,
	}
	t.until, _ = ctx.Deadline() // bounded gave it one
	if many {
		t.left = r.cfg.Tries - 1
	}
	return t
}

// note keeps what a try taught. The first try that may have written counts: the
// later ones went out under its key.
func (t *tries) note(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	t.last = err
	if e := tools.AsError(err); t.lost == nil && unsure(e) {
		t.lost = e
	}
	return err
}

// Reset begins a call.
func (t *tries) Reset() { t.pause.Reset() }

// NextBackOff gives the pause before the next try, or backoff.Stop: no tries
// left, an error that another try would not change, or a pause past the deadline.
func (t *tries) NextBackOff() time.Duration {
	if t.left == 0 || !passing(t.last) {
		return backoff.Stop
	}
	t.left--
	wait := max(t.pause.NextBackOff(), retryAfter(t.last))
	if time.Until(t.until) <= wait {
		return backoff.Stop
	}
	t.log.Debug().Str("tool", string(t.call.ToolName)).Str("traceId", t.call.TraceID).
		Dur("wait", wait).Err(t.last).Msg("send again")
	return wait
}

// verdict is what is told in the end. A write that may be out stays so, whatever
// came after.
func (t *tries) verdict(ctx context.Context) error {
	switch {
	case ctx.Err() == context.Canceled:
		return cancelled(t.call, t.lost != nil).Because(t.last)
	case t.lost != nil && !unsure(tools.AsError(t.last)):
		return t.lost
	}
	return t.last
}

// passing reports whether an error may be gone with the next try: connection
// faults, 502, 503, 504, 429.
func passing(err error) bool {
	switch e := tools.AsError(err); e.Code {
	case tools.CodeTimeout, tools.CodeRateLimited:
		return true
	case tools.CodeKernelUnavailable:
		return e.Details["reason"] == reasonRefused || e.Details["reason"] == reasonBusy
	}
	return false
}

// retryAfter is the pause that the kernel asked for, 0 when it did not.
func retryAfter(err error) time.Duration {
	ms, _ := tools.AsError(err).Details[detailRetryAfter].(int64)
	return time.Duration(ms) * time.Millisecond
}
