package kernel

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mnote-dev/mnote-host/tools"
)

func ptr[T any](v T) *T { return &v }

// asked is the call that an example of seed 7-6 answers.
func asked(name tools.Name, id string, dryRun bool) tools.Call {
	return tools.Call{
		ToolName: name, ToolCallID: id, TraceID: "trace_1", WorkspaceID: "ws_1", DocumentID: ptr("doc_1"),
		DryRun: dryRun, IdempotencyKey: "idem_123", Lang: tools.EN,
	}
}

func ofCall(c tools.Call, ok bool, effect tools.Effect, command *string) tools.Envelope {
	return tools.Envelope{
		OK: ok, ToolName: c.ToolName, ToolCallID: c.ToolCallID, TraceID: "trace_1",
		Audit: tools.Audit{Effect: effect, CommandID: command, WorkspaceID: "ws_1", DocumentID: ptr("doc_1")},
	}
}

func withResult(e tools.Envelope, result string) tools.Envelope {
	e.Result = json.RawMessage(result)
	return e
}

func withError(e tools.Envelope, code tools.Code, message string) tools.Envelope {
	e.Error = &tools.Error{Code: code, Message: message}
	return e
}

// sameEnvelope compares members, and results as JSON.
var sameEnvelope = cmp.Options{
	cmpopts.IgnoreUnexported(tools.Error{}),
	cmp.Transformer("json", func(m json.RawMessage) any {
		var v any
		if len(m) == 0 || json.Unmarshal(m, &v) != nil {
			return string(m)
		}
		return v
	}),
}

// TestSeed reads every answer that seed 7-6 shows, the short forms included, and
// completes it.
func TestSeed(t *testing.T) {
	t.Parallel()
	get, get1 := asked("mnote.page.get", "call_123", false), asked("mnote.page.get", "call_get_1", false)
	save, save1 := asked("mnote.page.save", "call_123", false), asked("mnote.page.save", "call_save_1", false)
	plan, summary := asked("mnote.page.save", "call_save_1", true), asked("mnote.artifact.create_summary", "call_summary_1", false)
	getResult := `{"documentId":"doc_1","workspaceId":"ws_1","title":"项目计划","bodySummary":"第一段...",
		"pageOptions":{"wideLayout":true},"blocks":[{"id":"heading_1","type":"heading","text":"章节一"}]}`
	for name, tc := range map[string]struct {
		call tools.Call
		body string
		want tools.Envelope
	}{
		"3 success": {get, `{"ok":true,"toolName":"mnote.page.get","toolCallId":"call_123","traceId":"trace_1","result":{},
			"audit":{"effect":"read","commandId":null,"workspaceId":"ws_1","documentId":"doc_1"},"error":null}`,
			withResult(ofCall(get, true, tools.EffectRead, nil), `{}`)},
		"3 failure": {save, `{"ok":false,"toolName":"mnote.page.save","toolCallId":"call_123","traceId":"trace_1","result":null,
			"audit":{"effect":"none","workspaceId":"ws_1","documentId":"doc_1"},
			"error":{"code":"mnote_tool_permission_denied","message":"当前用户没有页面写权限"}}`,
			withError(ofCall(save, false, tools.EffectNone, nil), tools.CodePermissionDenied, "当前用户没有页面写权限")},
		"page.get success": {get1, `{"ok":true,"toolName":"mnote.page.get","toolCallId":"call_get_1","traceId":"trace_1",
			"result":` + getResult + `,"audit":{"effect":"read","commandId":null}}`,
			withResult(ofCall(get1, true, tools.EffectRead, nil), getResult)},
		"page.get failure": {get1, `{"ok":false,"toolName":"mnote.page.get","toolCallId":"call_get_1","traceId":"trace_1",
			"error":{"code":"mnote_tool_permission_denied","message":"无页面读取权限"}}`,
			withError(ofCall(get1, false, tools.EffectNone, nil), tools.CodePermissionDenied, "无页面读取权限")},
		"page.save success": {save1, `{"ok":true,"toolName":"mnote.page.save","toolCallId":"call_save_1","traceId":"trace_1",
			"result":{"commandName":"page.body.save","revision":8},"audit":{"effect":"write","commandId":"page_body_save_trace_1"}}`,
			withResult(ofCall(save1, true, tools.EffectWrite, ptr("page_body_save_trace_1")), `{"commandName":"page.body.save","revision":8}`)},
		"page.save dry run": {plan, `{"ok":true,"toolName":"mnote.page.save","toolCallId":"call_save_1","traceId":"trace_1",
			"result":{"dryRun":true,"diff":[{"op":"append","blocks":1}]},"audit":{"effect":"dry_run","commandId":null}}`,
			withResult(ofCall(plan, true, tools.EffectDryRun, nil), `{"dryRun":true,"diff":[{"op":"append","blocks":1}]}`)},
		"page.save no permission": {save1, `{"ok":false,"toolName":"mnote.page.save","toolCallId":"call_save_1","traceId":"trace_1",
			"error":{"code":"mnote_tool_permission_denied","message":"无页面写权限"}}`,
			withError(ofCall(save1, false, tools.EffectNone, nil), tools.CodePermissionDenied, "无页面写权限")},
		"page.save conflict": {save1, `{"ok":false,"toolName":"mnote.page.save","toolCallId":"call_save_1","traceId":"trace_1",
			"error":{"code":"mnote_tool_conflict","message":"页面版本冲突，需要刷新后重试"}}`,
			withError(ofCall(save1, false, tools.EffectNone, nil), tools.CodeConflict, "页面版本冲突，需要刷新后重试")},
		"create_summary key conflict": {summary, `{"ok":false,"toolName":"mnote.artifact.create_summary","toolCallId":"call_summary_1","traceId":"trace_1",
			"error":{"code":"mnote_tool_idempotency_conflict","message":"同一幂等键已用于不同 summary 内容"}}`,
			withError(ofCall(summary, false, tools.EffectNone, nil), tools.CodeIdempotencyConflict, "同一幂等键已用于不同 summary 内容")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, f := readEnvelope(&tc.call, []byte(tc.body))
			if f != nil {
				t.Fatalf("refused: %v", f.breach())
			}
			if d := cmp.Diff(tc.want, got, sameEnvelope); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// TestSeedRequest: the call of seed 7-6 §2 goes out with each of its members,
// and none of them changed.
func TestSeedRequest(t *testing.T) {
	t.Parallel()
	const seed = `{"toolName":"mnote.page.get","workspaceId":"ws_1","documentId":"doc_1","actorId":"user_1",
		"sessionId":"mnote_doc_1_trace_1","runId":"run_123","toolCallId":"call_123","traceId":"trace_1",
		"idempotencyKey":"idem_123","dryRun":false,"capabilityScope":["page.read"],"args":{}}`
	body, err := (tools.Call{
		ToolName: "mnote.page.get", WorkspaceID: "ws_1", DocumentID: ptr("doc_1"), ActorID: "user_1",
		SessionID: "mnote_doc_1_trace_1", RunID: "run_123", ToolCallID: "call_123", TraceID: "trace_1",
		IdempotencyKey: "idem_123", Scopes: []tools.Scope{"page.read"},
	}).JSON()
	var want, got map[string]any
	if err := errors.Join(err, json.Unmarshal([]byte(seed), &want), json.Unmarshal(body, &got)); err != nil {
		t.Fatal(err)
	}
	for _, ours := range []string{"profile", "agentId"} { // kernel-api adds these
		if got[ours] != "" {
			t.Errorf("%s is %v", ours, got[ours])
		}
		delete(got, ours)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// answerTo builds a whole success to read, with members replaced or, where the
// value is "", taken out.
func answerTo(c tools.Call, change map[string]string) string {
	m := map[string]string{
		"ok": "true", "toolName": `"` + string(c.ToolName) + `"`, "toolCallId": `"` + c.ToolCallID + `"`,
		"traceId": `"trace_1"`, "result": `{"a":1}`, "error": "null",
		"audit": `{"effect":"read","commandId":null,"workspaceId":"ws_1","documentId":"doc_1"}`,
	}
	for k, v := range change {
		m[k] = v
	}
	var b strings.Builder
	for k, v := range m {
		if v != "" {
			b.WriteString(`,"` + k + `":` + v)
		}
	}
	return "{" + b.String()[1:] + "}"
}

type changes = map[string]string

func TestBreaches(t *testing.T) {
	t.Parallel()
	read, plan := asked("mnote.page.get", "call_1", false), asked("mnote.page.save", "call_1", true)
	for name, tc := range map[string]struct {
		call tools.Call
		body string
		want string // in the English text
	}{
		"empty":                     {read, "", "not whole JSON"},
		"html":                      {read, "<html><body>502</body></html>", "not whole JSON"},
		"array":                     {read, "[]", "not a JSON object"},
		"two documents":             {read, answerTo(read, nil) + "{}", "not whole JSON"},
		"cut":                       {read, answerTo(read, nil)[:40], "not whole JSON"},
		"invalid UTF-8":             {read, answerTo(read, changes{"result": "{\"a\":\"\xff\"}"}), "not valid UTF-8"},
		"nested without end":        {read, strings.Repeat("[", 1<<20), "too deep"},
		"ok missing":                {read, answerTo(read, changes{"ok": ""}), "ok is missing"},
		"ok a string":               {read, answerTo(read, changes{"ok": `"true"`}), "ok has the wrong type"},
		"ok null":                   {read, answerTo(read, changes{"ok": `null`}), "ok is missing"},
		"ok twice":                  {read, `{"ok":true,` + answerTo(read, nil)[1:], "a member twice"},
		"unknown twice":             {read, `{"x":1,"x":2,` + answerTo(read, nil)[1:], "a member twice"},
		"ok in another case":        {read, `{"OK":false,` + answerTo(read, nil)[1:], "another case"},
		"effect twice":              {read, answerTo(read, changes{"audit": `{"effect":"read","effect":"write"}`}), "audit it holds a member twice"},
		"other tool":                {read, answerTo(read, changes{"toolName": `"mnote.page.save"`}), "toolName is not"},
		"other call":                {read, answerTo(read, changes{"toolCallId": `"call_2"`}), "toolCallId is not"},
		"no tool":                   {read, answerTo(read, changes{"toolName": ""}), "toolName is missing"},
		"no call id":                {read, answerTo(read, changes{"toolCallId": ""}), "toolCallId is missing"},
		"trace a number":            {read, answerTo(read, changes{"traceId": "7"}), "traceId has the wrong type"},
		"no result":                 {read, answerTo(read, changes{"result": ""}), "result is missing"},
		"result null":               {read, answerTo(read, changes{"result": "null"}), "result is missing"},
		"result a list":             {read, answerTo(read, changes{"result": "[]"}), "result has the wrong type"},
		"no audit":                  {read, answerTo(read, changes{"audit": ""}), "audit is missing"},
		"audit a string":            {read, answerTo(read, changes{"audit": `"read"`}), "audit it is not a JSON object"},
		"no effect":                 {read, answerTo(read, changes{"audit": `{}`}), "audit.effect is missing"},
		"unknown effect":            {read, answerTo(read, changes{"audit": `{"effect":"peek"}`}), "audit.effect is not"},
		"write without command":     {read, answerTo(read, changes{"audit": `{"effect":"write","commandId":null}`}), "audit.commandId is missing"},
		"write with empty command":  {read, answerTo(read, changes{"audit": `{"effect":"write","commandId":""}`}), "audit.commandId is missing"},
		"read with command":         {read, answerTo(read, changes{"audit": `{"effect":"read","commandId":"c"}`}), "nothing was written"},
		"command a number":          {read, answerTo(read, changes{"audit": `{"effect":"read","commandId":3}`}), "audit.commandId has the wrong type"},
		"replayed a string":         {read, answerTo(read, changes{"audit": `{"effect":"read","replayed":"yes"}`}), "audit.replayed has the wrong type"},
		"changed files a string":    {read, answerTo(read, changes{"audit": `{"effect":"read","changedFiles":"a.md"}`}), "audit.changedFiles has the wrong type"},
		"planned, not done":         {read, answerTo(read, changes{"audit": `{"effect":"dry_run"}`}), "only planned"},
		"dry run wrote":             {plan, answerTo(plan, changes{"audit": `{"effect":"write","commandId":"c"}`}), "a dry run wrote"},
		"error beside ok":           {read, answerTo(read, changes{"error": `{"code":"mnote_tool_conflict","message":""}`}), "carries an error"},
		"failure without error":     {read, answerTo(read, changes{"ok": "false"}), "error is missing"},
		"failure with error string": {read, answerTo(read, changes{"ok": "false", "error": `"no"`}), "error it is not a JSON object"},
		"error without code":        {read, answerTo(read, changes{"ok": "false", "error": `{"message":"m"}`}), "error.code is missing"},
		"error with a wild code":    {read, answerTo(read, changes{"ok": "false", "error": `{"code":"See /etc/passwd"}`}), "error.code is not"},
		"failure of another call":   {read, answerTo(read, changes{"ok": "false", "toolCallId": `"call_2"`, "error": `{"code":"mnote_tool_conflict"}`}), "toolCallId is not"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, f := readEnvelope(&tc.call, []byte(tc.body))
			if f == nil {
				t.Fatalf("accepted: %s", got.JSON())
			}
			e := f.breach()
			if e.Code != tools.CodeContractViolation || !strings.Contains(e.In(tools.EN).Message, tc.want) {
				t.Errorf("got %v, want %q in it", e, tc.want)
			}
			if zh := e.In(tools.ZH).Message; !strings.Contains(zh, "内核的回答不符合合同") {
				t.Errorf("Chinese text: %q", zh)
			}
		})
	}
}

// TestTolerated reads what is no breach: unknown members pass on outside error
// and are dropped inside it, and nothing of a failure leaks.
func TestTolerated(t *testing.T) {
	t.Parallel()
	read := asked("mnote.page.get", "call_1", false)
	write := asked("mnote.page.save", "call_1", false)
	failure := func(error string) string {
		return answerTo(read, changes{"ok": "false", "result": `{"title":"secret"}`, "error": error,
			"audit": `{"effect":"write","commandId":"c","changedFiles":[{"path":"a.md","kind":"page"}],"x":1}`})
	}
	for name, tc := range map[string]struct {
		call tools.Call
		body string
		want string
	}{
		"unknown members stay": {read, answerTo(read, changes{"usage": `{"n":9007199254740993}`, "audit": `{"effect":"read","cost":1e400}`}),
			`{"ok":true,"toolName":"mnote.page.get","toolCallId":"call_1","traceId":"trace_1","result":{"a":1},
			 "audit":{"effect":"read","commandId":null,"workspaceId":"ws_1","documentId":"doc_1","cost":1e400},"error":null,"usage":{"n":9007199254740993}}`},
		"the kernel's ids stand": {write, answerTo(write, changes{"traceId": `"t2"`,
			"audit": `{"effect":"write","commandId":"c","workspaceId":"ws_9","documentId":"doc_9","replayed":true,"changedFiles":[{"resource":"map_1","mutation":"update"}]}`}),
			`{"ok":true,"toolName":"mnote.page.save","toolCallId":"call_1","traceId":"t2","result":{"a":1},
			 "audit":{"effect":"write","commandId":"c","workspaceId":"ws_9","documentId":"doc_9","changedFiles":[{"resource":"map_1","mutation":"update"}],"replayed":true},"error":null}`},
		"a failure leaks nothing": {read, failure(`{"code":"mnote_tool_conflict","message":"m","details":{"currentRevision":9007199254740993,"at":[1.5,null]},"title":"secret"}`),
			`{"ok":false,"toolName":"mnote.page.get","toolCallId":"call_1","traceId":"trace_1","result":null,
			 "audit":{"effect":"none","commandId":null,"workspaceId":"ws_1","documentId":"doc_1","x":1},
			 "error":{"code":"mnote_tool_conflict","message":"m","details":{"at":[1.5,null],"currentRevision":9007199254740993}}}`},
		"an unknown code keeps its name alone": {read, failure(`{"code":"mnote_tool_new","message":"the secret","details":{"title":"secret"}}`),
			`{"ok":false,"toolName":"mnote.page.get","toolCallId":"call_1","traceId":"trace_1","result":null,
			 "audit":{"effect":"none","commandId":null,"workspaceId":"ws_1","documentId":"doc_1","x":1},
			 "error":{"code":"mnote_tool_new","message":"the kernel refused the call"}}`},
		"a code without a message gets ours": {read, failure(`{"code":"mnote_tool_conflict","details":"none"}`),
			`{"ok":false,"toolName":"mnote.page.get","toolCallId":"call_1","traceId":"trace_1","result":null,
			 "audit":{"effect":"none","commandId":null,"workspaceId":"ws_1","documentId":"doc_1","x":1},
			 "error":{"code":"mnote_tool_conflict","message":"the kernel refused the call"}}`},
		"a failure may forget whom it answers": {read, `{"ok":false,"error":{"code":"mnote_tool_unauthenticated","message":"m"}}`,
			`{"ok":false,"toolName":"mnote.page.get","toolCallId":"call_1","traceId":"trace_1","result":null,
			 "audit":{"effect":"none","commandId":null,"workspaceId":"ws_1","documentId":"doc_1"},"error":{"code":"mnote_tool_unauthenticated","message":"m"}}`},
		"a write that changed nothing": {write, answerTo(write, changes{"audit": `{"effect":"none"}`}),
			`{"ok":true,"toolName":"mnote.page.save","toolCallId":"call_1","traceId":"trace_1","result":{"a":1},
			 "audit":{"effect":"none","commandId":null,"workspaceId":"ws_1","documentId":"doc_1"},"error":null}`},
		"blanks and escaped names": {read, " {\n\t" + strings.Replace(answerTo(read, changes{"result": "\n {\"a\" : 1} "}), `"ok"`, `"\u006fk"`, 1)[1:] + "\r\n",
			`{"ok":true,"toolName":"mnote.page.get","toolCallId":"call_1","traceId":"trace_1","result":{"a":1},
			 "audit":{"effect":"read","commandId":null,"workspaceId":"ws_1","documentId":"doc_1"},"error":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, f := readEnvelope(&tc.call, []byte(tc.body))
			if f != nil {
				t.Fatalf("refused: %v", f.breach())
			}
			if d := cmp.Diff(compact(t, tc.want), string(got.JSON())); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func compact(t *testing.T, doc string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(doc) {
		b.WriteString(strings.TrimSpace(line))
	}
	if !json.Valid([]byte(b.String())) {
		t.Fatalf("the test's own JSON is none: %s", b.String())
	}
	return b.String()
}

func FuzzReadEnvelope(f *testing.F) {
	read := asked("mnote.page.get", "call_1", false)
	for _, c := range []changes{nil, {"ok": "false", "error": `{"code":"mnote_tool_conflict","details":{"n":1}}`},
		{"audit": `{"effect":"write","commandId":"c","changedFiles":[{}],"replayed":true,"é":"\ud800"}`}} {
		f.Add([]byte(answerTo(read, c)))
	}
	f.Add([]byte(answerTo(read, changes{"audit": `{"effect":"read","changedFiles":[]}`})))
	f.Add([]byte("[[[[{{{{"))
	f.Add([]byte(`{"ok":true,"ok":false}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		env, flaw := readEnvelope(&read, body)
		if flaw != nil {
			return
		}
		if env.OK != (env.Error == nil) || env.OK != (len(env.Result) > 0) {
			t.Fatalf("half an envelope: %s", env.JSON())
		}
		if env.ToolName != read.ToolName || env.ToolCallID != read.ToolCallID {
			t.Fatalf("answers another call: %s", env.JSON())
		}
		if (env.Audit.Effect == tools.EffectWrite) != (env.Audit.CommandID != nil) {
			t.Fatalf("effect and command id disagree: %s", env.JSON())
		}
		again, flaw := readEnvelope(&read, env.JSON())
		if flaw != nil {
			t.Fatalf("what was accepted is refused once written: %v\n%s", flaw.breach(), env.JSON())
		}
		if d := cmp.Diff(env, again, sameEnvelope); d != "" {
			t.Fatalf("read, written and read again differs: %s", d)
		}
	})
}

// BenchmarkEnvelope reads the answer to a read of a page of 2 KB.
func BenchmarkEnvelope(b *testing.B) {
	read := asked("mnote.page.get", "call_1", false)
	text, err := json.Marshal(strings.Repeat("a line of a note, with \"quotes\"\n", 65))
	if err != nil {
		b.Fatal(err)
	}
	body := []byte(answerTo(read, changes{"result": `{"documentId":"doc_1","revision":1,"body":` + string(text) + `}`}))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, f := readEnvelope(&read, body); f != nil {
			b.Fatal(f.breach())
		}
	}
}
