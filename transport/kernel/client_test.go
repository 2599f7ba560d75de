package kernel_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

// seen is what a kernel is sent.
type seen struct {
	method, uri, body string
	header            http.Header
}

// recorder is a kernel that remembers its last request and answers with answer.
type recorder struct {
	last   seen
	answer string
}

func (k *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	k.last = seen{r.Method, r.RequestURI, string(body), r.Header}
	io.WriteString(w, k.answer)
}

// TestRequests: what goes out, byte for byte.
func TestRequests(t *testing.T) {
	t.Parallel()
	k := &recorder{answer: `{"ok":true,"tools":[],"enabled":true}`}
	c := kernel.New(kernel.Config{
		URL: "http://old-user:old-word@kernel.test/base/?key=1#x", Token: token, Profile: "p 1", AgentID: "mcp",
		Client: &http.Client{Transport: kernel.InProcess(k)},
	})
	call := tools.Call{ToolName: "mnote.page.get", ToolCallID: "c1", Lang: tools.EN, TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	full := saving(newFake())
	full.Args, full.Profile, full.AgentID = []byte(`{"content":"<b>&"}`), "hermes", "mcp"
	full.Grant = &tools.Grant{Level: tools.LevelWrite, ResourceIDs: []string{"map_1"}}
	full.Refs, full.Selection, full.ObjectIdentity = []tools.Ref{{Kind: "page", ID: "a.md"}}, []byte(`{"from":1}`), "resource:x"
	for name, tc := range map[string]struct {
		send               func()
		method, uri, body  string
		lang, contentType  string
		wantedTraceParents string
	}{
		"an empty call": {func() { c.Call(t.Context(), call) }, "POST", "/base/api/hermes/tools/mnote/call",
			`{"toolName":"mnote.page.get","workspaceId":"","documentId":null,"actorId":"","sessionId":"","runId":"","toolCallId":"c1","traceId":"",` +
				`"idempotencyKey":"","dryRun":false,"capabilityScope":[],"args":{},"profile":"","agentId":""}`,
			"en", "application/json", regexp.QuoteMeta(call.TraceParent)},
		"a full call": {func() { c.Call(t.Context(), full) }, "POST", "/base/api/hermes/tools/mnote/call",
			`{"toolName":"mnote.page.save","workspaceId":"ws_fakefakefakefake","documentId":"项目/计划.md","actorId":"user_1","sessionId":"session_1","runId":"run_1",` +
				`"toolCallId":"call_1","traceId":"trace_1","idempotencyKey":"idem_write","dryRun":false,"capabilityScope":["page.write"],` +
				`"args":{"content":"<b>&"},"profile":"hermes","agentId":"mcp",` +
				`"accessScope":{"permissionLevel":"write","shared":false,"allowedResourceIds":["map_1"],"expiresAt":null},` +
				`"contextRefs":[{"kind":"page","id":"a.md"}],"selection":{"from":1},"objectIdentity":"resource:x"}`,
			"en", "application/json", "00-[0-9a-f]{32}-[0-9a-f]{16}-01"},
		"manifest":     {func() { c.Manifest(t.Context(), `"e"`) }, "GET", "/base/api/hermes/tools/mnote/manifest?agentId=mcp&profile=p+1", "", "zh", "", "00-.*-01"},
		"capabilities": {func() { c.Capabilities(t.Context()) }, "GET", "/base/api/hermes/client/capabilities?agentId=mcp&profile=p+1&runtime=mnote", "", "zh", "", "00-.*-01"},
		"skills":       {func() { c.Skills(t.Context()) }, "GET", "/base/api/hermes/client/skills?agentId=mcp&runtime=mnote", "", "zh", "", "00-.*-01"},
		"tools":        {func() { c.Tools(t.Context()) }, "GET", "/base/api/hermes/client/tools?profile=p+1&scope=mnote", "", "zh", "", "00-.*-01"},
		"toggle pack": {func() { c.ToggleCapability(t.Context(), "a b", true) }, "PUT", "/base/api/hermes/client/capabilities/toggle",
			`{"enabled":true,"id":"a b","profile":"p 1","runtime":"mnote"}`, "zh", "application/json", "00-.*-01"},
		"toggle skill": {func() { c.ToggleSkill(t.Context(), "a", false) }, "PUT", "/base/api/hermes/client/skills/toggle",
			`{"agentId":"mcp","enabled":false,"id":"a","runtime":"mnote"}`, "zh", "application/json", "00-.*-01"},
		"toggle tool": {func() { c.ToggleTool(t.Context(), "mnote.a", false) }, "PUT", "/base/api/hermes/client/tools/toggle",
			`{"enabled":false,"name":"mnote.a","profile":"p 1","scope":"mnote"}`, "zh", "application/json", "00-.*-01"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.send()
			got := k.last
			want := seen{tc.method, tc.uri, tc.body, nil}
			if d := cmp.Diff([]string{want.method, want.uri, want.body}, []string{got.method, got.uri, got.body}); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			if a := got.header.Get("Authorization"); a != "Bearer "+token {
				t.Errorf("Authorization is %q", a)
			}
			if l := got.header.Get("Accept-Language"); l != tc.lang {
				t.Errorf("Accept-Language is %q", l)
			}
			if ct := got.header.Get("Content-Type"); ct != tc.contentType {
				t.Errorf("Content-Type is %q", ct)
			}
			if tp := got.header.Get("Traceparent"); !regexp.MustCompile("^" + tc.wantedTraceParents + "$").MatchString(tp) {
				t.Errorf("traceparent is %q", tp)
			}
			for _, h := range []string{"Idempotency-Key", "X-Idempotency-Key", "Accept-Encoding"} {
				if got.header.Get(h) != "" {
					t.Errorf("%s is sent: %q", h, got.header.Get(h))
				}
			}
		})
	}
}

// TestTraceParent: only a whole one travels; another is replaced.
func TestTraceParent(t *testing.T) {
	t.Parallel()
	k := &recorder{answer: "{}"}
	c := kernel.New(kernel.Config{
		Client:         &http.Client{Transport: kernel.InProcess(k)},
		NewTraceParent: func() string { return "made" },
	})
	for given, want := range map[string]string{
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
		"":   "made",
		"00": "made",
		"00-00000000000000000000000000000000-b7ad6b7169203331-01":       "made",
		"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01":       "made",
		"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01":       "made",
		"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01":       "made",
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nX:": "made",
	} {
		call := reading(newFake())
		call.TraceParent = given
		c.Call(t.Context(), call)
		if got := k.last.header.Get("Traceparent"); got != want {
			t.Errorf("%q travels as %q", given, got)
		}
	}
}

// TestTokenStaysInside: a kernel that echoes its request everywhere carries the
// token into no result, error, log or print.
func TestTokenStaysInside(t *testing.T) {
	t.Parallel()
	quoted, _ := json.Marshal(token)
	slashed := strings.ReplaceAll(string(quoted), "/", `\/`)
	ok := func(c tools.Call) string {
		return `{"ok":true,"toolName":"` + string(c.ToolName) + `","toolCallId":"call_1","result":{"a":` + string(quoted) + `,"b":` + slashed + `},"audit":{"effect":"read","by":` + string(quoted) + `}}`
	}
	no := `{"ok":false,"error":{"code":"mnote_tool_conflict","message":` + string(quoted) + `,"details":{"who":` + slashed + `}}}`
	call := reading(newFake())
	for name, h := range map[string]http.HandlerFunc{
		"result": reply(200, ok(call)), "refusal": reply(200, no), "409": reply(409, no), "html": reply(500, token), "panic": func(http.ResponseWriter, *http.Request) { panic(token) },
		"redirect": reply(302, "", "Location", "http://elsewhere/?t="+token), "retry": reply(429, "", "Retry-After", token),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			logger := zerolog.New(&log)
			c := kernel.New(kernel.Config{Client: &http.Client{Transport: kernel.InProcess(h)}, Token: " " + token + "\n", Log: logger})
			env, err := kernel.Log(c, logger).Call(t.Context(), call)
			_, merr := c.Manifest(t.Context(), "")
			doc, derr := c.List(t.Context(), "tools")
			all := fmt.Sprintf("%s %v %+v %v %+v %s %v %v %+v %#v %s", env.JSON(), err, err, merr, merr, doc, derr, c, c, c, log.String())
			for _, e := range []error{err, merr, derr} {
				if e != nil {
					all += string(tools.Refuse(call, e).JSON())
				}
			}
			if strings.Contains(all, token) || strings.Contains(all, slashed[1:len(slashed)-1]) {
				t.Errorf("the token leaks:\n%s", all)
			}
		})
	}
}

// leaky is a round-tripper whose error holds everything.
type leaky struct{}

func (leaky) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("dial %s with %s", r.URL, r.Header.Get("Authorization"))
}

func TestErrorsAreClean(t *testing.T) {
	t.Parallel()
	c := kernel.New(kernel.Config{URL: "http://user:pass@kernel.test", Token: token, Client: &http.Client{Transport: leaky{}}})
	_, err := c.Call(t.Context(), saving(newFake()))
	text := coded(t, err, tools.CodeKernelUnavailable).Error()
	for _, secret := range []string{token, "pass", "user"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q leaks: %s", secret, text)
		}
	}
}

// TestLog: one line a request, with its trace, and nothing of what was said.
func TestLog(t *testing.T) {
	t.Parallel()
	f := newFake()
	var b bytes.Buffer
	k := kernel.Log(inProcess(t, f), zerolog.New(&b))
	bad := saving(f)
	bad.Args = []byte(`{"mode":"replace","content":[{"text":"secret"}],"expectedRevision":9}`)
	m, err := k.Manifest(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	k.Manifest(t.Context(), m.ETag)
	k.Call(t.Context(), reading(f))
	k.Call(t.Context(), bad)
	kernel.Log(&scripted{answers: []any{lost}}, zerolog.New(&b)).Call(t.Context(), saving(f))
	var got []string
	for line := range strings.Lines(b.String()) {
		var l struct{ Level, Message, Tool, TraceID, Effect, Code string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join([]string{l.Level, l.Message, l.Tool, l.TraceID, l.Effect, l.Code}, " "))
	}
	want := []string{
		"debug manifest    ",
		"debug manifest not modified    ",
		"debug kernel call mnote.page.get trace_1 read ",
		"debug kernel call mnote.page.save trace_1 none mnote_tool_conflict",
		"warn kernel call mnote.page.save trace_1  mnote_tool_timeout",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if strings.Contains(b.String(), "secret") {
		t.Errorf("content in the log: %s", b.String())
	}
}

// TestOneReading: an answer that two readers could take for two things is none;
// of a write, nobody knows what it did.
func TestOneReading(t *testing.T) {
	t.Parallel()
	head := `"toolName":"mnote.page.save","toolCallId":"call_1","result":{},"audit":{"effect":"write","commandId":"c"}`
	for name, answer := range map[string]string{
		"another case says yes": `{"ok":false,"OK":true,` + head + `}`,
		"another case says no":  `{"ok":true,"Ok":false,` + head + `}`,
		"twice":                 `{"ok":false,"ok":true,` + head + `}`,
		"an escape":             `{"ok":false,"\u006fk":true,` + head + `}`,
		"a letter that folds":   `{"ok":false,"o\u212a":true,` + head + `}`,
		"within the audit":      `{"ok":true,` + strings.Replace(head, `"commandId"`, `"COMMANDID":"d","commandId"`, 1) + `}`,
		"within the error":      `{"ok":false,"error":{"code":"mnote_tool_conflict","Code":"mnote_tool_timeout"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := kernel.New(kernel.Config{URL: "http://kernel.test", Client: &http.Client{Transport: kernel.InProcess(&recorder{answer: answer})}})
			env, err := c.Call(t.Context(), saving(newFake()))
			if err == nil {
				t.Fatalf("taken for %s", env.JSON())
			}
			if e := coded(t, err, tools.CodeContractViolation); e.Details["outcome"] != "unknown" {
				t.Errorf("%v", e.Details)
			}
		})
	}
}

// TestTogether sends many calls at once through one client.
func TestTogether(t *testing.T) {
	t.Parallel()
	for carrier, open := range carriers {
		t.Run(carrier, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			c := open(t, f)
			var all sync.WaitGroup
			for i := range 64 {
				all.Go(func() {
					call := saving(f)
					call.ToolCallID, call.IdempotencyKey = fmt.Sprint("call_", i), tools.Key(fmt.Sprint("idem_", i%32))
					if env, err := c.Call(t.Context(), call); err != nil || !env.OK || env.ToolCallID != call.ToolCallID {
						t.Errorf("%v %s", err, env.JSON())
					}
				})
			}
			all.Wait()
			if n := f.Effects(); n != 32 {
				t.Errorf("%d effects of 32 keys", n)
			}
		})
	}
}

func BenchmarkCall(b *testing.B) {
	for carrier, open := range carriers {
		b.Run(carrier, func(b *testing.B) {
			f := newFake()
			c, call := open(b, f), reading(f)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Call(b.Context(), call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadEnvelope(b *testing.B) {
	body := `{"ok":true,"toolName":"mnote.page.get","toolCallId":"call_1","result":{"text":"` + strings.Repeat("x", 1<<20) + `"},"audit":{"effect":"read"}}`
	c, call := kernel.New(kernel.Config{Client: &http.Client{Transport: kernel.InProcess(reply(200, body))}}), reading(newFake())
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := c.Call(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}
