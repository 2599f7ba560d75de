package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// notebook is a kernel that keeps pages and dedupes by key, as the contract
// asks.
type notebook struct {
	mu      sync.Mutex
	pages   []string
	answers map[tools.Key]tools.Envelope
}

func (n *notebook) create(c tools.Call) tools.Envelope {
	n.mu.Lock()
	defer n.mu.Unlock()
	if env, ok := n.answers[c.IdempotencyKey]; ok {
		env.ToolCallID, env.TraceID = c.ToolCallID, c.TraceID
		return env
	}
	if n.answers == nil {
		n.answers = map[tools.Key]tools.Envelope{}
	}
	n.pages = append(n.pages, string(c.Args))
	n.answers[c.IdempotencyKey] = answer(c)
	return n.answers[c.IdempotencyKey]
}

// A create that was committed while its answer was lost, and the retries that
// clients make: one page, whatever they send.
func TestB12CommittedThenDropped(t *testing.T) {
	t.Parallel()
	const (
		keyed   = `{"content": "minutes", "dryRun": false, "idempotencyKey": "k"}`
		other   = `{"content": "other minutes", "dryRun": false, "idempotencyKey": "k"}`
		keyless = `{"content": "minutes", "dryRun": false}`
	)
	for name, calls := range map[string][]string{
		"same key":          {keyed, keyed, keyed},
		"no key":            {keyless, keyless},
		"key, then no key":  {keyed, keyless},
		"all of them again": {keyed, keyed, keyless},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := &notebook{}
			drop := 1
			k := answering(func(c tools.Call) (tools.Envelope, error) {
				env := book.create(c)
				if drop--; drop >= 0 {
					return tools.Envelope{}, tools.Errorf(tools.CodeTimeout, tools.Text{ZH: "断了", EN: "dropped"})
				}
				return env, nil
			})
			r := newRig(t, setup{kernel: k})
			if got := code(r.deliver(r.call("mnote_note_create", calls[0]))); got != "mnote_tool_timeout" {
				t.Fatalf("got %q", got)
			}
			for _, args := range calls[1:] {
				if env := r.call("mnote_note_create", args); !env.OK {
					t.Errorf("%s", env.JSON())
				}
			}
			if len(book.pages) != 1 {
				t.Errorf("%d pages: %q", len(book.pages), book.pages)
			}
			if calls[0] == keyed {
				if got := code(r.call("mnote_note_create", other)); got != "mnote_tool_idempotency_conflict other_content" {
					t.Errorf("the key for other content: %q", got)
				}
			}
		})
	}
}

// After the retry is answered and delivered, the same content is a new note.
func TestB12EachDeliveredNoteIsItsOwn(t *testing.T) {
	t.Parallel()
	book := &notebook{}
	r := newRig(t, setup{kernel: answering(func(c tools.Call) (tools.Envelope, error) { return book.create(c), nil })})
	for range 3 {
		if env := r.deliver(r.call("mnote_note_create", `{"content": "same", "dryRun": false}`)); !env.OK || env.Audit.Replayed {
			t.Errorf("%s", env.JSON())
		}
	}
	if len(book.pages) != 3 {
		t.Errorf("%d pages", len(book.pages))
	}
}

// The host's part of a stale revision: it is forwarded as sent, the kernel's
// conflict comes through whole, and the key is free for the write that follows.
func TestB13Conflict(t *testing.T) {
	t.Parallel()
	k := answering(func(c tools.Call) (tools.Envelope, error) {
		if !bytes.Contains(c.Args, []byte(`"expectedRevision":2`)) {
			e := tools.Errorf(tools.CodeConflict, tools.Text{ZH: "版本冲突", EN: "stale"}).With("currentRevision", 2)
			return tools.Refuse(c, e), nil
		}
		return answer(c), nil
	})
	r := newRig(t, setup{kernel: k})
	env := r.call("mnote_page_save", `{"content": "x", "dryRun": false, "expectedRevision": 1, "idempotencyKey": "k"}`)
	if code(env) != "mnote_tool_conflict" || env.Error.Details["currentRevision"] != 2 || env.Error.Message != "stale" {
		t.Fatalf("%s", env.JSON())
	}
	checkRefusal(t, env)
	if env := r.call("mnote_page_save", `{"content": "x", "dryRun": false, "expectedRevision": 2, "idempotencyKey": "k"}`); !env.OK {
		t.Errorf("%s", env.JSON())
	}
}

// Whatever a kernel says beside a refusal, it comes out as one: not ok, its
// code, no result, no effect. And a missing page is never another one.
func TestB16RefusalsAreRefusals(t *testing.T) {
	t.Parallel()
	command := "cmd_1"
	var says tools.Code
	r := newRig(t, setup{kernel: answering(func(call tools.Call) (tools.Envelope, error) {
		env := answer(call)
		env.OK = false
		env.Error = &tools.Error{Code: says, Message: "said by the kernel", Details: map[string]any{"a": 1}}
		env.Audit.Effect, env.Audit.CommandID = tools.EffectWrite, &command
		env.Audit.ChangedFiles = []tools.ChangedFile{{Path: "canary.md"}}
		return env, nil
	})})
	for _, says = range []tools.Code{
		tools.CodePermissionDenied, tools.CodeConflict, tools.CodePageProtected, tools.CodeKernelUnavailable, tools.CodeDocumentNotFound,
		tools.CodeUnauthenticated, tools.CodeNotWired, tools.CodeInvalidBlock, "mnote_tool_of_tomorrow",
	} {
		for name, args := range map[string]string{"mnote_page_save": save, "mnote_page_get": `{}`} {
			env := r.call(name, args)
			checkRefusal(t, env)
			if env.Error.Code != says || env.Audit.ChangedFiles != nil {
				t.Errorf("%s", env.JSON())
			}
			if known := says.Known(); known != (env.Error.Message == "said by the kernel") || known != (env.Error.Details != nil) {
				t.Errorf("message and details go with a known code only: %s", env.JSON())
			}
		}
	}
}

// Several hosts on one state folder: every write is answered, a key that they
// share runs once, and each call has its row in one unbroken chain.
func TestS05SeveralHosts(t *testing.T) {
	t.Parallel()
	const hosts, each = 3, 20
	dir, book := t.TempDir(), &notebook{}
	k := answering(func(c tools.Call) (tools.Envelope, error) { return book.create(c), nil })
	var rigs []*rig
	for i := range hosts {
		rigs = append(rigs, newRig(t, setup{kernel: k, dir: dir, host: func(c *plugin.Config) {
			ids := counter()
			c.NewID = func(prefix string) string { return fmt.Sprintf("%s_h%d", ids(prefix), i) }
		}, session: func(c *plugin.SessionConfig) { c.SessionID = fmt.Sprintf("s_%d", i) }}))
	}
	var wg sync.WaitGroup
	for h, r := range rigs {
		for i := range each {
			wg.Go(func() {
				args := fmt.Sprintf(`{"content": "%d of %d", "dryRun": false}`, i, h)
				if i%4 == 0 { // the same write from every host, with one key
					args = fmt.Sprintf(`{"content": "%d of all", "dryRun": false, "idempotencyKey": "k%d"}`, i, i)
				}
				if env := r.session.Call(context.Background(), "mnote_note_create", json.RawMessage(args), plugin.Meta{}); !env.OK {
					t.Errorf("%s", env.JSON())
				}
			})
		}
	}
	wg.Wait()
	if want := each/4 + hosts*(each-each/4); len(book.pages) != want {
		t.Errorf("%d pages, want %d", len(book.pages), want)
	}
	chain, err := rigs[0].host.Verify(context.Background())
	if err != nil || chain.Broken != nil || chain.Rows != hosts*each {
		t.Errorf("chain %+v, %v", chain, err)
	}
}

// A call that stands on the pipeline's every part, run by many at once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			name, args := "mnote_page_get", `{}`
			switch i % 4 {
			case 1:
				name, args = "mnote_note_create", fmt.Sprintf(`{"content": "%d", "dryRun": false}`, i)
			case 2:
				name, args = "mnote_page_save", plan
			case 3:
				name = "mnote_off_get"
			}
			env := r.deliver(r.session.Call(context.Background(), name, json.RawMessage(args), plugin.Meta{}))
			if env.OK == (i%4 == 3) {
				t.Errorf("%s", env.JSON())
			}
			r.session.KnownDocuments()
		})
	}
	wg.Wait()
	r.close(t)
	next := newRig(t, setup{dir: r.dir})
	seen := map[string]bool{}
	for _, row := range next.rows(t) {
		seen[row.ToolCallID] = true
	}
	if diff := cmp.Diff(64, len(seen)); diff != "" {
		t.Errorf("rows of calls: %s", diff)
	}
}
