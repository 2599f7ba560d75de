package plugin_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// Which calls a person is asked about, by mode.
func TestConfirmModes(t *testing.T) {
	t.Parallel()
	const (
		get    = `mnote_page_get {}`
		write  = `mnote_page_save {"content": "x", "dryRun": false}`
		danger = `mnote_page_save {"content": "x", "dryRun": false, "danger": true}`
		peril  = `mnote_page_save {"content": "x", "dryRun": true, "danger": true}`
		dry    = `mnote_page_save {"content": "x", "dryRun": true}`
		note   = `mnote_note_create {"content": "x", "dryRun": false}`
		beside = `mnote_note_create {"content": "x", "dryRun": false, "documentId": "other.md"}`
	)
	shared := &tools.Grant{Level: tools.LevelWrite, Shared: true}
	for name, c := range map[string]struct {
		mode  plugin.ConfirmMode
		grant *tools.Grant
		asked []string
	}{
		"owner":         {"", nil, []string{danger}},
		"never":         {plugin.ConfirmNever, shared, []string{danger}},
		"granted":       {"", &tools.Grant{Level: tools.LevelWrite}, []string{danger}},
		"shared":        {"", shared, []string{write, danger, note, beside}},
		"writes":        {plugin.ConfirmWrites, nil, []string{write, danger, note, beside}},
		"destructive":   {plugin.ConfirmDestructive, nil, []string{write, danger}},
		"outside":       {plugin.ConfirmOutside, nil, []string{danger, beside}},
		"an odd word":   {"somtimes", nil, []string{write, danger, note, beside}},
		"shared, never": {plugin.ConfirmDestructive, shared, []string{write, danger}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, setup{session: func(s *plugin.SessionConfig) { s.Confirm, s.Grant = c.mode, c.grant }})
			var asked []string
			for _, call := range []string{get, write, danger, peril, dry, note, beside} {
				tool, args, _ := strings.Cut(call, " ")
				env := r.session.Call(context.Background(), tool, json.RawMessage(args), plugin.Meta{
					Confirm: confirmer(func(context.Context, plugin.Question) plugin.Answer {
						asked = append(asked, call)
						return plugin.Yes
					}),
				})
				if !env.OK {
					t.Errorf("%s: %s", call, env.JSON())
				}
			}
			if diff := cmp.Diff(c.asked, asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Without a page in focus every write is outside it.
func TestConfirmOutsideWithoutFocus(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{session: func(s *plugin.SessionConfig) { s.Confirm, s.DocumentID = plugin.ConfirmOutside, "" }})
	if got := code(r.call("mnote_page_save", `{"content": "x", "dryRun": false, "documentId": "page.md"}`)); got != "mnote_tool_confirmation_required" {
		t.Errorf("got %q", got)
	}
}

// The question shows tool, page and what would be written, in the session's
// language, and binds the answer to exactly this call.
func TestQuestion(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{session: func(s *plugin.SessionConfig) { s.Confirm, s.Lang = plugin.ConfirmWrites, tools.ZH }})
	var questions []plugin.Question
	ask := plugin.Meta{Confirm: confirmer(func(_ context.Context, q plugin.Question) plugin.Answer {
		questions = append(questions, q)
		return plugin.No
	})}
	for _, args := range []string{
		`{"content": "x", "dryRun": false, "expectedRevision": 7}`,
		`{"expectedRevision": 7, "dryRun": false, "content": "x", "idempotencyKey": "k"}`,
		`{"content": "y", "dryRun": false, "expectedRevision": 7}`,
	} {
		r.session.Call(context.Background(), "mnote_page_save", json.RawMessage(args), ask)
	}
	q := questions[0]
	if q.SessionID != "s_1" || q.Tool.Name != "mnote.page.save" || q.DocumentID != "page.md" || q.Revision != 7 || len(q.ArgsHash) != 64 {
		t.Errorf("%+v", q)
	}
	for _, word := range []string{"保存页面", "page.md", `"content":"x"`, "吗"} {
		if !strings.Contains(q.Text, word) {
			t.Errorf("%q lacks %q", q.Text, word)
		}
	}
	if q.ArgsHash != questions[1].ArgsHash || q.ArgsHash == questions[2].ArgsHash {
		t.Error("the hash is of the content, in any order, and of nothing else")
	}
}

// Nobody can say yes to what they do not see: what would hide or steer is shown
// as what it is, and a long text says that it is only the beginning.
func TestQuestionHidesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{session: func(s *plugin.SessionConfig) { s.Confirm, s.Lang = plugin.ConfirmWrites, tools.EN }})
	var asked string
	ask := plugin.Meta{Confirm: confirmer(func(_ context.Context, q plugin.Question) plugin.Answer {
		asked = q.Text
		return plugin.No
	})}
	args := `{"content": "a\u202eb` + strings.Repeat("长", 2000) + `", "dryRun": false, "expectedRevision": 7}`
	r.session.Call(context.Background(), "mnote_page_save", json.RawMessage(args), ask)
	for _, word := range []string{`Let the AI run mnote.page.save on the page "page.md"?`, "a<U+202E>b", "长长…", "this is the beginning"} {
		if !strings.Contains(asked, word) {
			t.Errorf("%q lacks %q", asked, word)
		}
	}
	if strings.Contains(asked, "保存") {
		t.Errorf("an English question with a Chinese title: %q", asked)
	}
}

// While a person thought, the tool was switched off, or the grant ran out: the
// yes comes too late.
func TestGateAndAuthoriseAgainAfterAPerson(t *testing.T) {
	t.Parallel()
	off := strings.Replace(manifest, `"name": "mnote.page.save"`, `"enabled": false, "name": "mnote.page.save"`, 1)
	soon := time.Now().Add(time.Hour)
	for want, late := range map[string]struct {
		change func(k *kernel, r *rig, clock *time.Time)
	}{
		"mnote_tool_disabled tool": {func(k *kernel, r *rig, _ *time.Time) {
			k.manifest = func(context.Context, string) (capabilities.Manifest, error) { return read(t, off), nil }
			// the kernel's own word on another call brings the news
			k.call = func(_ context.Context, c tools.Call) (tools.Envelope, error) {
				return tools.Refuse(c, tools.Errorf(tools.CodeDisabled, tools.Text{ZH: "关", EN: "off"})), nil
			}
			r.call("mnote_off_get", ``)
		}},
		"mnote_tool_permission_denied expired": {func(_ *kernel, _ *rig, clock *time.Time) { *clock = soon }},
	} {
		clock := soon.Add(-time.Minute)
		k := &kernel{}
		r := newRig(t, setup{kernel: k, host: func(c *plugin.Config) { c.Now = func() time.Time { return clock } },
			session: func(s *plugin.SessionConfig) {
				s.Confirm, s.Grant = plugin.ConfirmWrites, &tools.Grant{Level: tools.LevelWrite, ExpiresAt: &soon}
			}})
		env := r.session.Call(context.Background(), "mnote_page_save", json.RawMessage(save), plugin.Meta{
			Confirm: confirmer(func(context.Context, plugin.Question) plugin.Answer {
				late.change(k, r, &clock)
				return plugin.Yes
			}),
		})
		if diff := cmp.Diff(want, code(env)); diff != "" {
			t.Error(diff)
		}
		if w := written(k); w != nil {
			t.Errorf("%s: the kernel was told to write %v", want, w)
		}
	}
}

// No answer in 120 s is cannot-ask, whatever the face makes of it.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]plugin.Answer{"cannot ask": plugin.CannotAsk, "taken for a no": plugin.No} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, setup{session: func(s *plugin.SessionConfig) { s.Confirm = plugin.ConfirmWrites }})
				start := time.Now()
				env := r.session.Call(t.Context(), "mnote_page_save", json.RawMessage(save), plugin.Meta{
					Confirm: confirmer(func(ctx context.Context, _ plugin.Question) plugin.Answer {
						<-ctx.Done()
						return said
					}),
				})
				if code(env) != "mnote_tool_confirmation_required" || time.Since(start) != 120*time.Second {
					t.Errorf("%s after %v", env.JSON(), time.Since(start))
				}
				if !strings.Contains(env.Error.Message, "nobody said yes") {
					t.Errorf("who asked for two minutes could ask: %s", env.Error.Message)
				}
			})
		})
	}
}

// Whether nobody could be asked or nobody chose, the plan waits for a person; the
// text says which of the two it was.
func TestUnansweredIsNotCannotAsk(t *testing.T) {
	t.Parallel()
	for lang, texts := range map[tools.Lang]map[plugin.Answer]string{
		tools.EN: {plugin.CannotAsk: "this client cannot ask", plugin.Unanswered: "nobody said yes"},
		tools.ZH: {plugin.CannotAsk: "这个客户端无法询问", plugin.Unanswered: "没有人表示同意"},
	} {
		for said, want := range texts {
			r := newRig(t, setup{session: func(s *plugin.SessionConfig) { s.Confirm, s.Lang = plugin.ConfirmWrites, lang }})
			env := r.session.Call(t.Context(), "mnote_page_save", json.RawMessage(save), plugin.Meta{Confirm: always(said)})
			plan, _ := env.Error.Details["planId"].(string)
			if code(env) != "mnote_tool_confirmation_required" || plan == "" {
				t.Fatalf("%s", env.JSON())
			}
			for _, text := range texts {
				if has := strings.Contains(env.Error.Message, text); has != (text == want) {
					t.Errorf("%v: %q in %q", said, text, env.Error.Message)
				}
			}
			if !strings.Contains(env.Error.Message, "mnote-host approve "+plan) {
				t.Errorf("%q does not say how to approve", env.Error.Message)
			}
		}
	}
}

// The first leg of a question that ends its call leaves no row; the second
// leg's is the one row of both.
func TestOneRowForBothLegs(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{session: func(s *plugin.SessionConfig) { s.Confirm = plugin.ConfirmWrites }})
	leg := func(a plugin.Answer) tools.Envelope {
		return r.session.Call(context.Background(), "mnote_page_save", json.RawMessage(save), plugin.Meta{ToolCallID: "c", Confirm: always(a)})
	}
	if env := leg(plugin.Asked); env.OK || len(r.rows(t)) != 0 {
		t.Errorf("%s, %d rows", env.JSON(), len(r.rows(t)))
	}
	if env := leg(plugin.Yes); !env.OK {
		t.Errorf("%s", env.JSON())
	}
	if rows := r.rows(t); len(rows) != 1 || rows[0].Effect != tools.EffectWrite {
		t.Errorf("%+v", rows)
	}
}

// A caller that leaves while a person is asked is cancelled, and nothing is
// sent even if the person says yes.
func TestCancelWhileAsking(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{session: func(s *plugin.SessionConfig) { s.Confirm = plugin.ConfirmWrites }})
	ctx, cancel := context.WithCancel(context.Background())
	env := r.session.Call(ctx, "mnote_page_save", json.RawMessage(save), plugin.Meta{
		Confirm: confirmer(func(context.Context, plugin.Question) plugin.Answer { cancel(); return plugin.Yes }),
	})
	if code(env) != "mnote_tool_cancelled" || written(r.kernel) != nil {
		t.Errorf("%s, wrote %v", env.JSON(), written(r.kernel))
	}
}

// A switch takes effect on the next call, although the client never lists again
// (case B28): the gate asks the kernel before it refuses, and hears its refusal.
func TestB28Switches(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := manifest
	k := &kernel{}
	k.manifest = func(context.Context, string) (capabilities.Manifest, error) {
		mu.Lock()
		defer mu.Unlock()
		return read(t, now), nil
	}
	r := newRig(t, setup{kernel: k})
	if got := code(r.call("mnote_off_get", ``)); got != "mnote_tool_disabled capability" {
		t.Fatalf("got %q", got)
	}
	mu.Lock()
	now = strings.Replace(manifest, `"title": "关", "enabled": false`, `"title": "开", "enabled": true`, 1)
	now = strings.Replace(now, `"name": "mnote.soon.get", "kind": "read", "status": "planned"`, `"name": "mnote.new.get", "kind": "read"`, 1)
	mu.Unlock()
	for _, name := range []string{"mnote_off_get", "mnote_new_get"} {
		if env := r.call(name, ``); !env.OK {
			t.Errorf("switched on, and yet: %s", env.JSON())
		}
	}
	before := k.fetches.Load()
	r.call("mnote_page_get", `{}`)
	if k.fetches.Load() != before {
		t.Error("a call that passes asks for no manifest")
	}
	// Switched off behind our back: the kernel refuses, and the list is fetched.
	k.call = func(_ context.Context, c tools.Call) (tools.Envelope, error) {
		return tools.Refuse(c, tools.Errorf(tools.CodeDisabled, tools.Text{ZH: "关", EN: "off"}).With("reason", "tool")), nil
	}
	if got := code(r.call("mnote_page_get", `{}`)); got != "mnote_tool_disabled tool" {
		t.Errorf("got %q", got)
	}
	r.close(t) // waits for what runs beside the calls
	if k.fetches.Load() == before {
		t.Error("the kernel's word brought no refresh")
	}
}
