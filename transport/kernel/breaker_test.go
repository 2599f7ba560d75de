package kernel_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

// ask calls n times and gives the codes.
func ask(t *testing.T, k plugin.Kernel, n int) (codes []tools.Code) {
	for range n {
		_, err := k.Call(t.Context(), reading(newFake()))
		code := tools.Code("")
		if err != nil {
			code = tools.AsError(err).Code
		}
		codes = append(codes, code)
	}
	return codes
}

func TestBreakerOpens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []any{refused, silent, busy, refused, fine}}
		k := kernel.Breaker(s, kernel.BreakerConfig{Failures: 4, Cooldown: 10 * time.Second})
		ask(t, k, 4)
		time.Sleep(3 * time.Second) // on the bubble's clock
		_, err := k.Call(t.Context(), reading(newFake()))
		e := coded(t, err, tools.CodeKernelUnavailable)
		if d := cmp.Diff(details{"reason": "breaker", "last": "refused", "retryAfterMs": int64(7000)}, e.Details); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
		_, err = k.Manifest(t.Context(), "") // the manifest comes from the same kernel
		coded(t, err, tools.CodeKernelUnavailable)
		if len(s.calls) != 4 {
			t.Errorf("an open breaker asked the kernel: %d calls", len(s.calls))
		}
		time.Sleep(7*time.Second + time.Millisecond)
		if d := cmp.Diff([]tools.Code{"", "", ""}, ask(t, k, 3)); d != "" {
			t.Errorf("after the cooldown: -want +got\n%s", d)
		}
	})
}

// What became of the write that opened it is not told of another call: an agent
// would send that one again as if it were out.
func TestBreakerTellsNoOutcome(t *testing.T) {
	t.Parallel()
	k := kernel.Breaker(&scripted{answers: []any{lost, lost}}, kernel.BreakerConfig{Failures: 2})
	ask(t, k, 2)
	_, err := k.Call(t.Context(), reading(newFake()))
	e := coded(t, err, tools.CodeKernelUnavailable)
	if said := e.In(tools.EN).Message; e.Details["outcome"] != nil || e.Details["last"] != lost.Code || strings.Contains(said, lost.In(tools.EN).Message) {
		t.Errorf("%q %v", said, e.Details)
	}
}

// TestBreakerStaysShut: what a living kernel says, and what a caller breaks off,
// opens nothing.
func TestBreakerStaysShut(t *testing.T) {
	t.Parallel()
	gone := tools.Errorf(tools.CodeCancelled, tools.Text{ZH: "某事", EN: "something"})
	for name, answer := range map[string]any{
		"refusals": refusedBy(tools.CodeConflict), "unavailable by envelope": refusedBy(tools.CodeKernelUnavailable),
		"breaches": breached, "unsigned": unsigned, "limited": limited, "no kernel": noKernel, "cancelled": gone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scripted{answers: []any{answer}}
			ask(t, kernel.Breaker(s, kernel.BreakerConfig{Failures: 2}), 20)
			if len(s.calls) != 20 {
				t.Errorf("the breaker opened after %d calls", len(s.calls))
			}
		})
	}
	t.Run("not modified", func(t *testing.T) {
		t.Parallel()
		s := &scripted{answers: []any{capabilities.ErrNotModified}}
		k := kernel.Breaker(s, kernel.BreakerConfig{Failures: 1})
		for range 5 {
			if _, err := k.Manifest(t.Context(), "x"); err != capabilities.ErrNotModified {
				t.Fatal(err)
			}
		}
	})
}

// TestBreakerHalfOpen: after the cooldown one call tries; the others are told to
// come back, and a try that its caller breaks off decides nothing and blocks
// nobody.
func TestBreakerHalfOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context) error {
			<-ctx.Done()
			return tools.Errorf(tools.CodeCancelled, tools.Text{ZH: "某事", EN: "something"})
		}
		s := &scripted{answers: []any{refused, hang, refused, fine}}
		k := kernel.Breaker(s, kernel.BreakerConfig{Failures: 1, Cooldown: time.Second})
		ask(t, k, 1)
		time.Sleep(time.Second + time.Millisecond)

		ctx, cancel := context.WithCancel(t.Context())
		probe := make(chan error)
		go func() { _, err := k.Call(ctx, reading(newFake())); probe <- err }()
		synctest.Wait() // the probe hangs
		_, err := k.Call(t.Context(), reading(newFake()))
		if d := cmp.Diff(details{"reason": "breaker", "last": "refused", "retryAfterMs": int64(1000)}, coded(t, err, tools.CodeKernelUnavailable).Details); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
		cancel()
		coded(t, <-probe, tools.CodeCancelled)

		_, err = k.Call(t.Context(), reading(newFake())) // the next probe: refused, open again
		if r := coded(t, err, tools.CodeKernelUnavailable).Details["reason"]; r != "refused" {
			t.Errorf("the cancelled probe still blocks: %v", r)
		}
		time.Sleep(time.Second + time.Millisecond)
		if d := cmp.Diff([]tools.Code{"", ""}, ask(t, k, 2)); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
	})
}
