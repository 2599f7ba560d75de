package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// A kernel that never answers is given up after 30 s for a read and 60 s for a
// write or its plan, and only the write's outcome is unknown.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool, args string
		after      time.Duration
		outcome    any
	}{
		"read":  {"mnote_page_get", `{}`, 30 * time.Second, nil},
		"write": {"mnote_page_save", `{"content": "x", "dryRun": false, "idempotencyKey": "k"}`, 60 * time.Second, "unknown"},
		"plan":  {"mnote_page_save", plan, 60 * time.Second, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, setup{kernel: &kernel{call: func(ctx context.Context, _ tools.Call) (tools.Envelope, error) {
					<-ctx.Done()
					return tools.Envelope{}, ctx.Err()
				}}})
				start := time.Now()
				env := r.call(c.tool, c.args)
				if code(env) != "mnote_tool_timeout" || time.Since(start) != c.after || env.Error.Details["outcome"] != c.outcome {
					t.Errorf("%s after %v", env.JSON(), time.Since(start))
				}
				if c.outcome != nil && env.Error.Details["idempotencyKey"] != "k" {
					t.Errorf("the key to send again is missing: %s", env.JSON())
				}
			})
		})
	}
}

// What a kernel's error says of a write: nothing was sent, and the key is free;
// or nobody knows, and the next equal write is its retry, under the same key.
func TestWriteFaults(t *testing.T) {
	t.Parallel()
	coded := func(code tools.Code) error { return tools.Errorf(code, tools.Text{ZH: "坏", EN: "bad"}) }
	for name, c := range map[string]struct {
		err     error
		want    string
		unknown bool
	}{
		"nothing was sent":    {coded(tools.CodeKernelUnavailable), "mnote_kernel_unavailable", false},
		"refused at the door": {coded(tools.CodeUnauthenticated), "mnote_tool_unauthenticated", false},
		"asked to wait":       {coded(tools.CodeRateLimited), "mnote_tool_rate_limited", false},
		"cancelled unsent":    {coded(tools.CodeCancelled), "mnote_tool_cancelled", false},
		"cancelled under way": {
			tools.Errorf(tools.CodeCancelled, tools.Text{ZH: "坏", EN: "bad"}).With("outcome", "unknown"), "mnote_tool_cancelled", true,
		},
		"no answer":              {coded(tools.CodeTimeout), "mnote_tool_timeout", true},
		"an answer of no form":   {coded(tools.CodeContractViolation), "mnote_kernel_contract_violation", true},
		"uncoded":                {errors.New("reset by peer"), "mnote_internal", true},
		"deadline, uncoded":      {context.DeadlineExceeded, "mnote_tool_timeout", true},
		"coded under a sentence": {fmt.Errorf("post: %w", coded(tools.CodeTimeout)), "mnote_tool_timeout", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := failing(c.err)
			r := newRig(t, setup{kernel: k})
			env := r.deliver(r.call("mnote_note_create", `{"content": "x", "dryRun": false}`))
			if diff := cmp.Diff(c.want, code(env)); diff != "" || (env.Error.Details["outcome"] == "unknown") != c.unknown {
				t.Fatalf("%s\n%s", diff, env.JSON())
			}
			k.call = nil
			if env := r.call("mnote_note_create", `{"content": "x", "dryRun": false}`); !env.OK {
				t.Fatalf("%s", env.JSON())
			}
			calls := k.got()
			if same := calls[0].IdempotencyKey == calls[1].IdempotencyKey; same != c.unknown {
				t.Errorf("keys %q, %q", calls[0].IdempotencyKey, calls[1].IdempotencyKey)
			}
		})
	}
}

// A panic of the kernel under a write leaves it in doubt; the process goes on.
func TestPanicUnderAWrite(t *testing.T) {
	t.Parallel()
	k := answering(func(tools.Call) (tools.Envelope, error) { panic("kernel") })
	r := newRig(t, setup{kernel: k})
	env := r.call("mnote_page_save", save)
	if code(env) != "mnote_internal" || env.Error.Details["outcome"] != "unknown" {
		t.Errorf("%s", env.JSON())
	}
	if rows := r.rows(t); len(rows) != 1 || rows[0].Code != tools.CodeInternal {
		t.Errorf("%+v", rows)
	}
}

// cancelled calls a write that is cancelled while it is at the kernel, which
// answers when release closes.
func cancelled(t *testing.T, name, args string) (r *rig, release chan struct{}, env tools.Envelope) {
	t.Helper()
	reached := make(chan struct{}, 1)
	release = make(chan struct{})
	r = newRig(t, setup{kernel: &kernel{call: func(ctx context.Context, c tools.Call) (tools.Envelope, error) {
		reached <- struct{}{}
		select {
		case <-release:
			return answer(c), nil
		case <-ctx.Done():
			return tools.Envelope{}, ctx.Err()
		}
	}}})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-reached; cancel() }()
	return r, release, r.session.Call(ctx, name, json.RawMessage(args), plugin.Meta{})
}

// A cancelled read ends at the kernel too; a cancelled write does not.
func TestCancel(t *testing.T) {
	t.Parallel()
	r, _, env := cancelled(t, "mnote_page_get", `{}`)
	checkRefusal(t, env)
	if code(env) != "mnote_tool_cancelled" {
		t.Errorf("%s", env.JSON())
	}
	if rows := r.rows(t); len(rows) > 1 {
		t.Errorf("%+v", rows)
	}
	before := newRig(t, setup{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	env = before.session.Call(ctx, "mnote_page_save", json.RawMessage(save), plugin.Meta{})
	if code(env) != "mnote_tool_cancelled" || len(before.kernel.got()) != 0 || env.Error.Details["outcome"] != nil {
		t.Errorf("cancelled before it began: %s", env.JSON())
	}
}

// The late answer of a cancelled write is stored for its retry, which gets it
// without a second effect; the audit has one row for the write, and it tells
// that it happened.
func TestCancelledWrite(t *testing.T) {
	t.Parallel()
	const args = `{"content": "x", "dryRun": false}`
	r, release, env := cancelled(t, "mnote_note_create", args)
	if code(env) != "mnote_tool_cancelled" || env.Error.Details["outcome"] != "unknown" {
		t.Errorf("%s", env.JSON())
	}
	if said := string(env.JSON()); strings.Contains(said, "before anything was sent") || strings.Contains(said, "没有发出任何请求") {
		t.Errorf("it was sent: %s", said)
	}
	retried := make(chan tools.Envelope)
	go func() { retried <- r.call("mnote_note_create", args) }()
	close(release)
	again := <-retried
	if !again.OK || !again.Audit.Replayed || len(r.kernel.got()) != 1 {
		t.Errorf("%s, %d calls", again.JSON(), len(r.kernel.got()))
	}
	rows := r.rows(t)
	if len(rows) != 2 || rows[0].Code != tools.CodeCancelled || rows[0].Effect != tools.EffectWrite || rows[0].CommandID == "" || !rows[1].Replayed {
		t.Errorf("%+v", rows)
	}
	r.deliver(again)
	if env := r.call("mnote_note_create", args); !env.OK || env.Audit.Replayed {
		t.Errorf("what is delivered is over, this is a new note: %s", env.JSON())
	}
}

// A host that closes gives a write that is still out its time, then up: it is
// in doubt, and the next process's equal write is its retry.
func TestCloseSettlesWhatIsOut(t *testing.T) {
	t.Parallel()
	const args = `{"content": "x", "dryRun": false}`
	r, _, _ := cancelled(t, "mnote_note_create", args)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.host.Close(ctx); err != nil {
		t.Fatal(err)
	}
	next := newRig(t, setup{dir: r.dir})
	if env := next.call("mnote_note_create", args); !env.OK {
		t.Fatalf("%s", env.JSON())
	}
	first, second := r.kernel.got()[0], next.kernel.got()[0]
	if first.IdempotencyKey != second.IdempotencyKey {
		t.Errorf("keys %q, %q", first.IdempotencyKey, second.IdempotencyKey)
	}
}

// An answer that was dropped, for its call was cancelled in the last moment, is
// the retry's.
func TestDroppedAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	const args = `{"content": "x", "dryRun": false}`
	first := r.call("mnote_note_create", args) // and never delivered
	again := r.call("mnote_note_create", args)
	if !again.Audit.Replayed || *again.Audit.CommandID != *first.Audit.CommandID {
		t.Errorf("%s", again.JSON())
	}
	// An answer that is only slow to go out is none of that: it is waited for.
	r.deliver(again)
	second := r.call("mnote_note_create", args)
	next := make(chan tools.Envelope)
	go func() { next <- r.call("mnote_note_create", args) }()
	r.deliver(second)
	if env := <-next; env.Audit.Replayed || len(r.kernel.got()) != 3 {
		t.Errorf("%s, %d calls", env.JSON(), len(r.kernel.got()))
	}
}

// A key in flight is waited for: the second call gets the first one's answer,
// and where the first gets none, goes out itself with the same key.
func TestWaitForAKeyInFlight(t *testing.T) {
	t.Parallel()
	const args = `{"content": "x", "dryRun": false, "idempotencyKey": "k"}`
	for name, c := range map[string]struct {
		answers  time.Duration // after which the kernel answers its first call
		first    string
		replayed bool
		calls    int
		took     time.Duration
	}{
		"answered":  {20 * time.Second, "", true, 1, 20 * time.Second},
		"timed out": {time.Hour, "mnote_tool_timeout", false, 2, 60 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				k := &kernel{call: func(ctx context.Context, call tools.Call) (tools.Envelope, error) {
					if time.Since(began) == 0 { // the first call
						select {
						case <-time.After(c.answers):
						case <-ctx.Done():
							return tools.Envelope{}, ctx.Err()
						}
					}
					return answer(call), nil
				}}
				r := newRig(t, setup{kernel: k})
				first := make(chan tools.Envelope, 1)
				go func() { first <- r.call("mnote_note_create", args) }()
				time.Sleep(10 * time.Second)
				second := r.call("mnote_note_create", args)
				took := time.Since(began)
				if got := code(<-first); got != c.first {
					t.Errorf("first: %q", got)
				}
				if !second.OK || second.Audit.Replayed != c.replayed || len(k.got()) != c.calls {
					t.Errorf("%s, %d calls", second.JSON(), len(k.got()))
				}
				if took < c.took || took > c.took+time.Second {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}
