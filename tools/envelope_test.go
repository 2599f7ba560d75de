package tools

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var equateErrors = cmp.Options{cmpopts.IgnoreUnexported(Error{}), cmpopts.EquateEmpty()}

func ptr[T any](v T) *T { return &v }

// TestEnvelopeDecodes: seed 7-6 §3 and the short forms of §4, and that what we
// do not know is kept.
func TestEnvelopeDecodes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   string
		want Envelope
	}{
		"a success": {`{"ok":true,"toolName":"mnote.page.get","toolCallId":"c","traceId":"t","result":{"a":1.50},"audit":{"effect":"read","commandId":null,"workspaceId":"w","documentId":"d"},"error":null}`,
			Envelope{OK: true, ToolName: "mnote.page.get", ToolCallID: "c", TraceID: "t", Result: json.RawMessage(`{"a":1.50}`), Audit: Audit{Effect: EffectRead, WorkspaceID: "w", DocumentID: ptr("d")}}},
		"a failure": {`{"ok":false,"toolName":"mnote.page.save","toolCallId":"c","traceId":"t","result":null,"audit":{"effect":"none","workspaceId":"w","documentId":"d"},"error":{"code":"mnote_tool_permission_denied","message":"当前用户没有页面写权限"}}`,
			Envelope{ToolName: "mnote.page.save", ToolCallID: "c", TraceID: "t", Audit: Audit{Effect: EffectNone, WorkspaceID: "w", DocumentID: ptr("d")}, Error: &Error{Code: CodePermissionDenied, Message: "当前用户没有页面写权限"}}},
		"a short success": {`{"ok":true,"toolName":"mnote.page.save","toolCallId":"c","traceId":"t","result":{"revision":8},"audit":{"effect":"write","commandId":"page_body_save_t"}}`,
			Envelope{OK: true, ToolName: "mnote.page.save", ToolCallID: "c", TraceID: "t", Result: json.RawMessage(`{"revision":8}`), Audit: Audit{Effect: EffectWrite, CommandID: ptr("page_body_save_t")}}},
		"a short failure": {`{"ok":false,"toolName":"mnote.page.get","toolCallId":"c","traceId":"t","error":{"code":"x","message":"y","details":{"n":1},"stack":"hidden"}}`,
			Envelope{ToolName: "mnote.page.get", ToolCallID: "c", TraceID: "t", Error: &Error{Code: "x", Message: "y", Details: map[string]any{"n": 1.0}}}},
		"changed files": {`{"audit":{"effect":"write","changedFiles":[{"path":"a.md","kind":"page"},{"resource":"r","mutation":"m"}],"replayed":true}}`,
			Envelope{Audit: Audit{Effect: EffectWrite, Replayed: true, ChangedFiles: []ChangedFile{{Path: "a.md", Kind: "page"}, {Resource: "r", Mutation: "m"}}}}},
		"strangers": {`{"ok":true,"x":[1],"audit":{"effect":"read","y":{"z":9007199254740993}}}`,
			Envelope{OK: true, Audit: Audit{Effect: EffectRead, Extra: map[string]json.RawMessage{"y": json.RawMessage(`{"z":9007199254740993}`)}}, Extra: map[string]json.RawMessage{"x": json.RawMessage(`[1]`)}}},
		"empty": {`{}`, Envelope{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got Envelope
			if err := json.Unmarshal([]byte(tt.in), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, equateErrors); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, in := range []string{``, `[]`, `"ok"`, `{"ok":"yes"}`, `{"audit":[]}`, `{"error":"x"}`, `{"ok":true`} {
		var e Envelope
		if err := json.Unmarshal([]byte(in), &e); err == nil {
			t.Errorf("%s was read", in)
		}
	}
}

// TestEnvelopeWrites: all members of seed 7-6, in its order, on one line.
func TestEnvelopeWrites(t *testing.T) {
	t.Parallel()
	call := Call{ToolName: "mnote.page.get", ToolCallID: "c", TraceID: "t", WorkspaceID: "w", Lang: EN}
	done, err := Succeed(call, EffectWrite, "cmd_1", map[string]any{"html": "<b>&\n"})
	if err != nil {
		t.Fatal(err)
	}
	done.Repairs = []string{"/a: x"}
	done.Extra = map[string]json.RawMessage{"z": json.RawMessage(`1`), "b": json.RawMessage(`2`)}
	done.Audit.Extra = map[string]json.RawMessage{"q": json.RawMessage(`{}`)}
	pretty := Envelope{
		OK:    true,
		Audit: Audit{Effect: EffectRead, Extra: map[string]json.RawMessage{"q": json.RawMessage("{\n  \"a\": 1.50\r\n}"), "r": json.RawMessage(`{`)}},
		Extra: map[string]json.RawMessage{"z": json.RawMessage("[\n\t\"<a\u2028b>\",\n\t9007199254740993\n]"), "n": nil, "x": json.RawMessage("no\nJSON")},
	}
	refused := Refuse(call, Errorf(CodeDisabled, Text{ZH: "关", EN: "off"}).With("reason", "tool"))
	tests := map[string]struct {
		env  Envelope
		want string
	}{
		"success": {done, `{"ok":true,"toolName":"mnote.page.get","toolCallId":"c","traceId":"t","result":{"html":"<b>&\n"},` +
			`"audit":{"effect":"write","commandId":"cmd_1","workspaceId":"w","documentId":null,"q":{}},"error":null,"repairs":["/a: x"],"b":2,"z":1}`},
		"strangers on many lines": {pretty, `{"ok":true,"toolName":"","toolCallId":"","traceId":"","result":null,` +
			`"audit":{"effect":"read","commandId":null,"workspaceId":"","documentId":null,"q":{"a":1.50}},"error":null,"n":null,"z":["<a` + "\u2028" + `b>",9007199254740993]}`},
		"refusal": {refused, `{"ok":false,"toolName":"mnote.page.get","toolCallId":"c","traceId":"t","result":null,` +
			`"audit":{"effect":"none","commandId":null,"workspaceId":"w","documentId":null},"error":{"code":"mnote_tool_disabled","message":"off","details":{"reason":"tool"}}}`},
	}
	for name, tt := range tests {
		if diff := cmp.Diff(tt.want, string(tt.env.JSON())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, err := Succeed(call, EffectRead, "", make(chan int)); err == nil {
		t.Error("a result that is no JSON")
	}
	broken := Envelope{ToolName: "mnote.page.get", ToolCallID: "c", Result: json.RawMessage(`{`)}
	if out := string(broken.JSON()); !json.Valid([]byte(out)) || !strings.Contains(out, string(CodeInternal)) {
		t.Errorf("a broken result: %s", out)
	}
}

// FuzzEnvelope: what was read and written is read again as the same, on one
// line, and no member is lost.
func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"ok":true,"result":{},"audit":{"effect":"read","x":1},"y":2}`))
	f.Add([]byte(`{"ok":false,"error":{"code":"c","message":"m","details":{"a":[1]}}}`))
	f.Add([]byte("{\"ok\":true,\n\"y\":{\n\"z\":1\n},\"audit\":{\n\"x\":[\r\n2]}}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var e Envelope
		if json.Unmarshal(in, &e) != nil {
			return
		}
		out := e.JSON()
		if strings.ContainsAny(string(out), "\n\r") {
			t.Fatalf("two lines: %q", out)
		}
		var again Envelope
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if diff := cmp.Diff(string(again.JSON()), string(out)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestCallWrites: every field of seed 7-6 §2 goes out and nothing else; only the
// document may be null.
func TestCallWrites(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(Call{ToolName: "mnote.page.get", Args: json.RawMessage(`{}`), Scopes: []Scope{}, Kind: KindRead, TraceParent: "secret", Lang: EN})
	want := `{"toolName":"mnote.page.get","workspaceId":"","documentId":null,"actorId":"","sessionId":"","runId":"","toolCallId":"","traceId":"",` +
		`"idempotencyKey":"","dryRun":false,"capabilityScope":[],"args":{},"profile":"","agentId":""}`
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if (Call{}).Document() != "" || (Call{DocumentID: ptr("d")}).Document() != "d" {
		t.Error("Document")
	}
}

// TestError: code for machines, a text in each language, the cause for the log
// alone.
func TestError(t *testing.T) {
	t.Parallel()
	cause := errors.New("token=hunter2")
	e := Errorf(CodeConflict, Text{ZH: "版本 %d", EN: "revision %d"}, 3).With("currentRevision", 3).Because(cause)
	if !errors.Is(e, Errorf(CodeConflict, Text{})) || errors.Is(e, Errorf(CodeTimeout, Text{})) || !errors.Is(e, cause) {
		t.Error("Is")
	}
	if got := e.Error(); got != "mnote_tool_conflict: revision 3: token=hunter2" {
		t.Errorf("for the log: %s", got)
	}
	for lang, want := range map[Lang]string{EN: "revision 3", ZH: "版本 3", "fr": "版本 3"} {
		if got := e.In(lang).Message; got != want {
			t.Errorf("%s: %s", lang, got)
		}
	}
	out, _ := json.Marshal(e)
	if want := `{"code":"mnote_tool_conflict","message":"版本 3","details":{"currentRevision":3}}`; string(out) != want {
		t.Errorf("got %s", out)
	}
	if more := e.With("x", 1); len(e.Details) != 1 || len(more.Details) != 2 {
		t.Error("With changes the error it copies")
	}
	if theirs := (&Error{Code: "theirs", Message: "as the kernel wrote it"}); theirs.In(EN).Message != "as the kernel wrote it" {
		t.Error("a kernel's message is lost")
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	coded := Errorf(CodeTimeout, Text{ZH: "x", EN: "x"})
	if got := AsError(errors.Join(errors.New("outer"), coded)); got.Code != CodeTimeout {
		t.Errorf("a coded error inside another: %s", got.Code)
	}
	bare := AsError(errors.New("dial tcp: secret"))
	out, _ := json.Marshal(bare.In(EN))
	if bare.Code != CodeInternal || strings.Contains(string(out), "secret") {
		t.Errorf("got %s", out)
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	if len(codes) != 23 {
		t.Errorf("%d codes; kernel-api has 23", len(codes))
	}
	for c := range codes {
		if !c.Known() || !strings.HasPrefix(string(c), "mnote_") {
			t.Errorf("code %s", c)
		}
	}
	if Code("mnote_tool_whatever").Known() || Code("").Known() {
		t.Error("a stranger is known")
	}
}

// TestToolHints: a write is destructive unless its manifest says otherwise, and
// an unknown kind writes.
func TestToolHints(t *testing.T) {
	t.Parallel()
	type hints struct{ writes, destructive, idempotent, open bool }
	tests := map[string]struct {
		tool Tool
		want hints
	}{
		"a read":          {Tool{Kind: KindRead}, hints{false, false, true, false}},
		"a write":         {Tool{Kind: KindWrite}, hints{true, true, false, false}},
		"an unknown kind": {Tool{Kind: "peek"}, hints{true, true, false, false}},
		"said otherwise":  {Tool{Kind: KindWrite, Annotations: Annotations{Destructive: ptr(false), Idempotent: ptr(true), OpenWorld: ptr(true)}}, hints{true, false, true, true}},
	}
	for name, tt := range tests {
		got := hints{tt.tool.Writes(), tt.tool.Destructive(), tt.tool.Idempotent(), tt.tool.OpenWorld()}
		if got != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// FuzzEnvelopeWrites: the writer says what encoding/json says, whatever stands in
// the texts.
func FuzzEnvelopeWrites(f *testing.F) {
	for _, s := range []string{"", "doc_1", "页", "\"\\", "a\nb\x00\x7f", "\u2028<&>", "\xff"} {
		f.Add(s, `{"a": [1.0, "`+"x"+`"]}`)
	}
	f.Fuzz(func(t *testing.T, s, result string) {
		e := Envelope{
			ToolName: Name(s), ToolCallID: s, TraceID: s, Result: json.RawMessage(result), Repairs: []string{s},
			Audit: Audit{Effect: Effect(s), CommandID: &s, WorkspaceID: s, ChangedFiles: []ChangedFile{{Path: s}}, Replayed: true},
			Error: &Error{Code: Code(s), Message: s},
		}
		want, wantErr := Compact(struct {
			plainEnvelope
			Audit plainAudit `json:"audit"`
		}{plainEnvelope(e), plainAudit(e.Audit)})
		got, err := e.MarshalJSON()
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%v, want %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(decoded(t, want), decoded(t, got)); diff != "" {
			t.Error(diff)
		}
	})
}

func decoded(t *testing.T, doc []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return v
}
