package kernel

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/sony/gobreaker/v2"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

var textBreaker = tools.Text{
	ZH: "内核接连没有应答，暂停向它发送；什么也没有发送，请稍后再试",
	EN: "the kernel failed to answer several times in a row and is left alone for a while; nothing was sent, come back later",
}

// probing is when to come back while another call tries the kernel.
const probing = time.Second

// BreakerConfig tunes Breaker; the zero value works.
type BreakerConfig struct {
	// Failures in a row open the breaker; 0 is 5.
	Failures uint32
	// Cooldown is how long it stays open before one call may try; 0 is 5 s.
	Cooldown time.Duration
	// Log gets a line when it opens and when it closes.
	Log zerolog.Logger
}

// Breaker is a kernel that stops asking a dead one: after some failures in a
// row it answers mnote_kernel_unavailable (reason breaker) at once. Refusals
// and contract breaches come from a kernel that lives; cancelled calls tell
// nothing.
func Breaker(k plugin.Kernel, c BreakerConfig) plugin.Kernel {
	if c.Failures == 0 {
		c.Failures = 5
	}
	if c.Cooldown <= 0 {
		c.Cooldown = 5 * time.Second
	}
	b := &breaking{kernel: k, cfg: c}
	b.circuit = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:       c.Cooldown,
		ReadyToTrip:   func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= c.Failures },
		OnStateChange: b.changed,
		IsSuccessful:  func(err error) bool { return !dead(err) },
		IsExcluded:    func(err error) bool { return errors.Is(err, &tools.Error{Code: tools.CodeCancelled}) },
	})
	return b
}

type breaking struct {
	kernel  plugin.Kernel
	cfg     BreakerConfig
	circuit *gobreaker.CircuitBreaker[struct{}]
	until   atomic.Int64 // unix milliseconds at which an open circuit lets one call try
	// last is the failure that counted last: what opened the circuit.
	last atomic.Pointer[tools.Error]
}

// Manifest asks for the manifest unless the circuit is open.
func (b *breaking) Manifest(ctx context.Context, etag string) (m capabilities.Manifest, err error) {
	err = b.through(func() (err error) { m, err = b.kernel.Manifest(ctx, etag); return err })
	return m, err
}

// Call runs the call unless the circuit is open.
func (b *breaking) Call(ctx context.Context, call tools.Call) (env tools.Envelope, err error) {
	err = b.through(func() (err error) { env, err = b.kernel.Call(ctx, call); return err })
	return env, err
}

func (b *breaking) through(ask func() error) error {
	_, err := b.circuit.Execute(func() (struct{}, error) {
		err := ask()
		if dead(err) {
			b.last.Store(tools.AsError(err))
		}
		return struct{}{}, err
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState):
		wait := max(b.until.Load()-time.Now().UnixMilli(), 1)
		return b.left().With(detailRetryAfter, wait)
	case errors.Is(err, gobreaker.ErrTooManyRequests):
		return b.left().With(detailRetryAfter, probing.Milliseconds())
	}
	return err
}

// left says that the kernel is left alone, and what it failed with: that is what
// a person can mend.
func (b *breaking) left() *tools.Error {
	last := b.last.Load()
	if last == nil {
		return unavailable(reasonBreaker, textBreaker)
	}
	if last.Details[detailOutcome] != nil { // its words are of another write, and would be read as this one's
		return unavailable(reasonBreaker, textBreaker).With("last", last.Code)
	}
	e := unavailable(reasonBreaker, tools.Text{ZH: textBreaker.ZH + "（上一次：%[1]s）", EN: textBreaker.EN + " (last: %[2]s)"}, last.In(tools.ZH).Message, last.In(tools.EN).Message)
	if reason, ok := last.Details["reason"]; ok {
		return e.With("last", reason)
	}
	return e.With("last", last.Code)
}

// changed runs under the circuit's lock, so it may not ask the circuit anything.
func (b *breaking) changed(_ string, from, to gobreaker.State) {
	if to == gobreaker.StateOpen {
		b.until.Store(time.Now().Add(b.cfg.Cooldown).UnixMilli())
	}
	b.cfg.Log.Warn().Stringer("from", from).Stringer("to", to).Msg("kernel circuit")
}

// dead reports whether the error speaks of a kernel that does not answer, or of
// one that asks to be left alone (busy). A 404 or a breach comes at once and hangs
// nobody, so it opens nothing.
func dead(err error) bool {
	if err == nil || errors.Is(err, capabilities.ErrNotModified) {
		return false
	}
	switch e := tools.AsError(err); e.Code {
	case tools.CodeTimeout:
		return true
	case tools.CodeKernelUnavailable:
		return e.Details["reason"] == reasonRefused || e.Details["reason"] == reasonBusy
	}
	return false
}
