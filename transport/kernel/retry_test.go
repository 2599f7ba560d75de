package kernel_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

// scripted is a kernel that gives its answers one after the other, the last for
// ever, and remembers when and under which key it was asked.
type scripted struct {
	answers []any // error, tools.Envelope, or func(context.Context) error
	calls   []tools.Call
	at      []time.Duration
	start   time.Time
}

func (s *scripted) next(ctx context.Context, c tools.Call) (tools.Envelope, error) {
	if s.start.IsZero() {
		s.start = time.Now()
	}
	s.calls, s.at = append(s.calls, c), append(s.at, time.Since(s.start))
	a := s.answers[min(len(s.calls), len(s.answers))-1]
	switch a := a.(type) {
	case func(context.Context) error:
		return tools.Envelope{}, a(ctx)
	case error:
		return tools.Envelope{}, a
	}
	return a.(tools.Envelope), nil
}

func (s *scripted) Call(ctx context.Context, c tools.Call) (tools.Envelope, error) {
	return s.next(ctx, c)
}

func (s *scripted) Manifest(ctx context.Context, _ string) (capabilities.Manifest, error) {
	_, err := s.next(ctx, tools.Call{})
	return capabilities.Manifest{}, err
}

var _ plugin.Kernel = (*scripted)(nil)

// The answers of a script.
var (
	refused  = tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "某事", EN: "something"}).With("reason", "refused")
	busy     = tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "某事", EN: "something"}).With("reason", "busy")
	opened   = tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "某事", EN: "something"}).With("reason", "breaker")
	noKernel = tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "某事", EN: "something"}).With("reason", "no_kernel")
	limited  = tools.Errorf(tools.CodeRateLimited, tools.Text{ZH: "某事", EN: "something"}).With("retryAfterMs", int64(9000))
	overdue  = tools.Errorf(tools.CodeRateLimited, tools.Text{ZH: "某事", EN: "something"}).With("retryAfterMs", int64(3600_000))
	breached = tools.Errorf(tools.CodeContractViolation, tools.Text{ZH: "某事", EN: "something"})
	unsigned = tools.Errorf(tools.CodeUnauthenticated, tools.Text{ZH: "某事", EN: "something"})
	silent   = tools.Errorf(tools.CodeTimeout, tools.Text{ZH: "某事", EN: "something"})
	lost     = silent.With("outcome", "unknown").With("idempotencyKey", "idem_write")
	fine     = tools.Envelope{OK: true}
)

func refusedBy(code tools.Code) tools.Envelope {
	return tools.Envelope{Error: &tools.Error{Code: code, Message: "m"}}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	write, read := saving(newFake()), reading(newFake())
	keyless, dry := write, write
	keyless.IdempotencyKey = ""
	dry.DryRun, dry.IdempotencyKey = true, ""
	for name, tc := range map[string]struct {
		call    tools.Call
		answers []any
		asked   int
		code    tools.Code // of the error or refusal; "" is success
		outcome any
	}{
		"first time":                            {read, []any{fine}, 1, "", nil},
		"a read, refused twice":                 {read, []any{refused, refused, fine}, 3, "", nil},
		"a read, lost":                          {read, []any{silent, fine}, 2, "", nil},
		"a read, busy":                          {read, []any{busy, fine}, 2, "", nil},
		"a read, limited":                       {read, []any{limited, fine}, 2, "", nil},
		"a read, limited past the deadline":     {read, []any{overdue, fine}, 1, tools.CodeRateLimited, nil},
		"a read, for ever":                      {read, []any{refused}, 4, tools.CodeKernelUnavailable, nil},
		"a breach stays one":                    {read, []any{breached, fine}, 1, tools.CodeContractViolation, nil},
		"an open breaker is not pressed":        {read, []any{opened, fine}, 1, tools.CodeKernelUnavailable, nil},
		"no kernel there":                       {read, []any{noKernel, fine}, 1, tools.CodeKernelUnavailable, nil},
		"not signed in":                         {read, []any{unsigned, fine}, 1, tools.CodeUnauthenticated, nil},
		"a refusal is an answer":                {read, []any{refusedBy(tools.CodeRateLimited), fine}, 1, tools.CodeRateLimited, nil},
		"a write with its key":                  {write, []any{lost, fine}, 2, "", nil},
		"a write without a key":                 {keyless, []any{lost, fine}, 1, tools.CodeTimeout, "unknown"},
		"a write without a key, refused":        {keyless, []any{refused, fine}, 1, tools.CodeKernelUnavailable, nil},
		"a dry run without a key":               {dry, []any{silent, fine}, 2, "", nil},
		"a write never sent":                    {write, []any{refused}, 4, tools.CodeKernelUnavailable, nil},
		"lost, then refused: still unknown":     {write, []any{lost, refused}, 4, tools.CodeTimeout, "unknown"},
		"lost, then unsigned: still unknown":    {write, []any{lost, unsigned}, 2, tools.CodeTimeout, "unknown"},
		"lost, then denied: still unknown":      {write, []any{lost, refusedBy(tools.CodePermissionDenied)}, 2, tools.CodeTimeout, "unknown"},
		"lost, then limited, then done":         {write, []any{lost, refusedBy(tools.CodeRateLimited), fine}, 3, "", nil},
		"lost, then a conflict: it is settled":  {write, []any{lost, refusedBy(tools.CodeConflict)}, 2, tools.CodeConflict, nil},
		"refused, then denied: nothing is lost": {write, []any{refused, refusedBy(tools.CodePermissionDenied)}, 2, tools.CodePermissionDenied, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{answers: tc.answers}
				env, err := kernel.Retry(s, kernel.RetryConfig{}).Call(t.Context(), tc.call)
				if err != nil {
					env = tools.Refuse(tc.call, err)
				}
				var got tools.Code
				var outcome any
				if env.Error != nil {
					got, outcome = env.Error.Code, env.Error.Details["outcome"]
				}
				if got != tc.code || outcome != tc.outcome || len(s.calls) != tc.asked {
					t.Errorf("got %q, outcome %v, after %d tries; want %q, %v, %d", got, outcome, len(s.calls), tc.code, tc.outcome, tc.asked)
				}
				for _, c := range s.calls {
					if d := cmp.Diff(tc.call, c); d != "" {
						t.Errorf("another call was sent: %s", d)
					}
				}
			})
		})
	}
}

// TestRetryPauses: pauses grow with jitter, a Retry-After is kept, and all of it
// lies inside the deadline.
func TestRetryPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []any{refused, refused, limited, fine}}
		if _, err := kernel.Retry(s, kernel.RetryConfig{}).Call(t.Context(), reading(newFake())); err != nil {
			t.Fatal(err)
		}
		for i, bounds := range [][2]time.Duration{{0, 0}, {50, 150}, {100, 300}, {9000, 9000}} {
			pause := s.at[i]
			if i > 0 {
				pause -= s.at[i-1]
			}
			if pause < bounds[0]*time.Millisecond || pause > bounds[1]*time.Millisecond {
				t.Errorf("pause %d is %v, want within %v ms", i, pause, bounds)
			}
		}
	})
}

// TestRetryDeadline: a dead kernel costs no more than the deadline, the caller's
// or our own.
func TestRetryDeadline(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context) error { <-ctx.Done(); return lost }
	for name, tc := range map[string]struct {
		call     tools.Call
		deadline time.Duration
		want     time.Duration
	}{
		"ours for a read":  {reading(newFake()), 0, 30 * time.Second},
		"ours for a write": {saving(newFake()), 0, 60 * time.Second},
		"the caller's":     {saving(newFake()), 3 * time.Second, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tc.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tc.deadline)
					defer cancel()
				}
				start := time.Now()
				_, err := kernel.Retry(&scripted{answers: []any{hang}}, kernel.RetryConfig{}).Call(ctx, tc.call)
				coded(t, err, tools.CodeTimeout)
				if took := time.Since(start); took != tc.want {
					t.Errorf("took %v, want %v", took, tc.want)
				}
			})
		})
	}
}

// TestRetryCancelled: a caller who goes away during a pause is told what is
// known: nothing sent, or perhaps written.
func TestRetryCancelled(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer error
		want   details
	}{
		"nothing sent":    {refused, nil},
		"perhaps written": {lost, lostWrite(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error)
				go func() {
					_, err := kernel.Retry(&scripted{answers: []any{tc.answer}}, kernel.RetryConfig{First: time.Second}).Call(ctx, saving(newFake()))
					done <- err
				}()
				synctest.Wait() // it pauses now
				cancel()
				if d := cmp.Diff(tc.want, coded(t, <-done, tools.CodeCancelled).Details); d != "" {
					t.Errorf("-want +got\n%s", d)
				}
			})
		})
	}
}

// TestRetryManifest: the manifest is a read, and 304 is an answer.
func TestRetryManifest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []any{refused, silent, capabilities.ErrNotModified}}
		_, err := kernel.Retry(s, kernel.RetryConfig{}).Manifest(t.Context(), `"x"`)
		if err != capabilities.ErrNotModified || len(s.calls) != 3 {
			t.Errorf("got %v after %d tries", err, len(s.calls))
		}
	})
}

// dropsFirst passes calls to h, but the answer to the first is lost on the way.
func dropsFirst(h http.Handler, posts *atomic.Int32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || posts.Add(1) > 1 {
			h.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(httptest.NewRecorder(), r) // committed
		panic(http.ErrAbortHandler)            // and dropped
	}
}

// TestB12 commits a write and drops the connection before the answer. The retry
// with the same key finds it done: one effect. The key with other content is a
// conflict, and nothing is written.
func TestB12(t *testing.T) {
	t.Parallel()
	for which, make := range kernels {
		for carrier, open := range carriers {
			t.Run(which+" "+carrier, func(t *testing.T) {
				t.Parallel()
				h, workspace := make(t)
				var posts atomic.Int32
				k := kernel.Retry(open(t, dropsFirst(h, &posts)), kernel.RetryConfig{First: time.Millisecond})
				call, read := saving(newFake()), reading(newFake())
				call.WorkspaceID, read.WorkspaceID = workspace, workspace
				env, err := k.Call(t.Context(), call)
				if err != nil || !env.OK || !env.Audit.Replayed || posts.Load() != 2 {
					t.Fatalf("%v, %d posts, %s", err, posts.Load(), env.JSON())
				}
				call.Args = bytes.ReplaceAll(call.Args, []byte("new"), []byte("other"))
				refusal, err := k.Call(t.Context(), call)
				if err != nil || refusal.OK || refusal.Error.Code != tools.CodeIdempotencyConflict {
					t.Errorf("%v %s", err, refusal.JSON())
				}
				page, err := k.Call(t.Context(), read)
				if err != nil || bytes.Count(page.Result, []byte(`"new"`)) != 1 || bytes.Contains(page.Result, []byte("other")) {
					t.Errorf("%v %s", err, page.JSON())
				}
			})
		}
	}
}

// TestB16: a refusal reaches the caller as one, whatever carries it.
func TestB16(t *testing.T) {
	t.Parallel()
	f := newFake()
	for carrier, open := range carriers {
		t.Run(carrier, func(t *testing.T) {
			t.Parallel()
			k := kernel.Retry(open(t, f), kernel.RetryConfig{})
			nope := "disk/nope.md"
			absent, conflict, scope, level := reading(f), saving(f), saving(f), saving(f)
			absent.DocumentID = &nope
			conflict.Args = []byte(`{"mode":"replace","content":[],"expectedRevision":77}`)
			scope.Grant = &tools.Grant{Level: tools.LevelWrite, Scopes: []tools.Scope{"page.read"}}
			level.Grant = &tools.Grant{Level: tools.LevelRead}
			for code, call := range map[tools.Code]tools.Call{
				tools.CodeDocumentNotFound: absent, tools.CodeConflict: conflict, tools.CodePermissionDenied: scope,
			} {
				env, err := k.Call(t.Context(), call)
				if err != nil || env.OK || env.Error == nil || env.Error.Code != code || env.Audit.Effect != tools.EffectNone || env.Result != nil {
					t.Errorf("want %s: %v %s", code, err, env.JSON())
				}
			}
			env, err := k.Call(t.Context(), level)
			if err != nil || env.OK || env.Error.Code != tools.CodePermissionDenied {
				t.Errorf("%v %s", err, env.JSON())
			}
		})
	}
	if f.Effects() != 0 {
		t.Errorf("%d refused writes happened", f.Effects())
	}
}

func TestRetryLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		k := kernel.Retry(&scripted{answers: []any{refused, fine}}, kernel.RetryConfig{Log: zerolog.New(&b)})
		if _, err := k.Call(t.Context(), reading(newFake())); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(b.String(), "\n"); lines != 1 || !strings.Contains(b.String(), `"traceId":"trace_1"`) {
			t.Errorf("log: %s", b.String())
		}
	})
}
