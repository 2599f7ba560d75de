package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

func decoded(tb testing.TB, t tools.Tool, in string) Args {
	tb.Helper()
	a, _, err := New(t).Decode(json.RawMessage(in))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

const save = `{"content":[{"text":"x"}],"mode":"replace","dryRun":true,"expectedRevision":9007199254740993,"planId":"p1",
 "documentId":"财务/季度.md","idempotencyKey":"k1","workspaceId":"ws","sessionId":"s","rootUri":"file:///n","capabilityScope":["page.write"]}`

var planned = writes(strings.Replace(pageSave, `"mode":`, `"expectedRevision":{"type":"integer"},"planId":{"type":"string"},"mode":`, 1))

// TestHostFields: what only the host knows comes apart, so that bind can compare.
func TestHostFields(t *testing.T) {
	t.Parallel()
	a := decoded(t, planned, save)
	want := map[string]any{"workspaceId": "ws", "sessionId": "s", "rootUri": "file:///n", "capabilityScope": []any{"page.write"}}
	if diff := cmp.Diff(want, a.HostFields); diff != "" {
		t.Error(diff)
	}
	if b := decoded(t, planned, `{"content":[],"mode":"append","dryRun":true}`); b.HostFields != nil {
		t.Errorf("host fields from nowhere: %v", b.HostFields)
	}
	for name := range want {
		if !IsHostField(name) {
			t.Errorf("%s is not a host field", name)
		}
	}
	for _, name := range []string{"documentId", "idempotencyKey", "dryRun", "planId", "query", "Workspaceid"} {
		if IsHostField(name) {
			t.Errorf("%s is a host field", name)
		}
	}
}

// TestArgs: the getters, and what travels where.
func TestArgs(t *testing.T) {
	t.Parallel()
	a := decoded(t, planned, save)
	if !a.DryRun() || a.PlanID() != "p1" || a.DocumentID() != "财务/季度.md" || a.IdempotencyKey() != "k1" {
		t.Errorf("got %v", a.Values())
	}
	if n, ok := a.ExpectedRevision(); !ok || n != 9007199254740993 {
		t.Errorf("revision %d %v", n, ok)
	}
	tests := map[string]struct{ got, want string }{
		"json": {string(a.JSON()), `{"content":[{"text":"x"}],"documentId":"财务/季度.md","dryRun":true,"expectedRevision":9007199254740993,"idempotencyKey":"k1","mode":"replace","planId":"p1"}`},
		"own":  {string(Canonical(a.Own())), `{"content":[{"text":"x"}],"expectedRevision":9007199254740993,"mode":"replace","planId":"p1"}`},
		"body": {string(a.Body()), `{"content":[{"text":"x"}],"expectedRevision":9007199254740993,"mode":"replace"}`},
		"full": {string(Canonical(a.Full(map[string]any{"documentId": "other", "runId": "r"}))), `{"content":[{"text":"x"}],"documentId":"other","dryRun":true,"expectedRevision":9007199254740993,"idempotencyKey":"k1","mode":"replace","planId":"p1","runId":"r"}`},
	}
	for name, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if zero := (Args{}); string(zero.JSON()) != "{}" || len(zero.Own()) != 0 || zero.MindmapID() != "" || zero.AssetID() != "" {
		t.Error("the zero value does not work")
	}
}

// TestExpectedRevision: an integer in any spelling that JSON has for it.
func TestExpectedRevision(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		want int64
		ok   bool
	}{"7": {7, true}, "7.0": {7, true}, "7e2": {700, true}, "-1": {-1, true}, "7.5": {0, false}, "9223372036854775808": {0, false}}
	for in, tt := range tests {
		got, ok := Args{values: map[string]any{"expectedRevision": json.Number(in)}}.ExpectedRevision()
		if got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %d %v", in, got, ok)
		}
	}
	if _, ok := (Args{values: map[string]any{"expectedRevision": "7"}}).ExpectedRevision(); ok {
		t.Error("text is no revision")
	}
}

// TestHostPlan: where the manifest has no planId, the plan is the host's own
// and never goes out.
func TestHostPlan(t *testing.T) {
	t.Parallel()
	s := New(writes(pageSave))
	a, _, err := s.Decode(json.RawMessage(`{"content":[],"mode":"append","dryRun":false,"planId":"p"}`))
	if err != nil {
		t.Fatal(err)
	}
	if !s.AddsPlan() || a.PlanID() != "p" {
		t.Error("the host's plan is not taken")
	}
	if _, out := a.Own()["planId"]; out {
		t.Error("the host's plan goes out")
	}
	if _, out := a.Full(nil)["planId"]; out {
		t.Error("the host's plan is checked")
	}
	if New(planned).AddsPlan() || New(reads(pageSave)).AddsPlan() {
		t.Error("a plan is added where none is due")
	}
}

// TestCheck: the whole call against the manifest's full schema.
func TestCheck(t *testing.T) {
	t.Parallel()
	bound := map[string]any{"workspaceId": "w", "documentId": "d", "sessionId": "s", "runId": "r", "toolCallId": "c", "traceId": "t", "idempotencyKey": "k"}
	s := New(writes(pageSave))
	a := decoded(t, writes(pageSave), `{"content":[],"mode":"append","dryRun":false}`)
	if err := s.Check(a.Full(bound)); err != nil {
		t.Errorf("a whole call: %v", err)
	}
	if err := s.Check(Canonical(a.Full(bound))); err != nil {
		t.Errorf("a whole call as bytes: %v", err)
	}
	delete(bound, "runId")
	if diff := cmp.Diff([]Violation{{"/runId", "missing", "any value"}}, violationsOf(t, s.Check(a.Full(bound)))); diff != "" {
		t.Error(diff)
	}
	for name, in := range map[string]any{"a list": []byte(`[1]`), "broken": []byte(`{`), "nothing": nil, "no JSON": make(chan int)} {
		if err := s.Check(in); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// TestCheckWhatDecodeCannot: the root's combinators and closed properties hold
// for the whole call, and the envelope's own members never break them.
func TestCheckWhatDecodeCannot(t *testing.T) {
	t.Parallel()
	s := New(writes(`{"type":"object","required":["workspaceId"],"properties":{"path":{"type":"string"},"title":{"type":"string"}},
	  "oneOf":[{"required":["path"]},{"required":["title"]}],"additionalProperties":false}`))
	session := map[string]any{"workspaceId": "w", "sessionId": "s", "dryRun": false, "idempotencyKey": "k", "documentId": "d"}
	tests := map[string]struct {
		in string
		ok bool
	}{
		"one of both": {`{"path":"a"}`, true},
		"both":        {`{"path":"a","title":"b"}`, false},
		"neither":     {`{}`, false},
	}
	for name, tt := range tests {
		a, _, err := s.Decode(json.RawMessage(tt.in))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := s.Check(a.Full(session)); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRequires: what bind and the guards ask of the full schema.
func TestRequires(t *testing.T) {
	t.Parallel()
	s := New(writes(`{"$ref":"#/$defs/args","$defs":{"args":{"allOf":[{"required":["documentId"],"properties":{"documentId":{"type":"string"}}},{"anyOf":[{"required":["mindmapId"],"properties":{"mindmapId":{"type":"string"}}}]}]}}}`))
	for field, want := range map[string][2]bool{"documentId": {true, true}, "mindmapId": {false, true}, "assetId": {false, false}} {
		if got := [2]bool{s.Requires(field), s.Lists(field)}; got != want {
			t.Errorf("%s: required, listed = %v, want %v", field, got, want)
		}
	}
	if !New(writes(pageSave)).Lists("traceId") {
		t.Error("a field that is only required is not listed")
	}
}

// TestConfirms: confirmWhen is a schema over the arguments; a broken one asks
// every time.
func TestConfirms(t *testing.T) {
	t.Parallel()
	open := `{"type":"object","properties":{"options":{"type":"object"},"dryRun":{"type":"boolean"}}}`
	unprotect := `{"required":["options"],"properties":{"options":{"required":["protectEditing"],"properties":{"protectEditing":{"const":false}}}}}`
	tests := map[string]struct {
		when, in string
		want     bool
	}{
		"no schema":    {``, `{}`, false},
		"matches":      {unprotect, `{"options":{"protectEditing":false}}`, true},
		"other value":  {unprotect, `{"options":{"protectEditing":true}}`, false},
		"other option": {unprotect, `{"options":{"wideLayout":false}}`, false},
		"always":       {`true`, `{}`, true},
		"never":        {`false`, `{}`, false},
		"broken":       {`{"type":"strng"}`, `{}`, true},
		"no JSON":      {`{`, `{}`, true},
		"a list":       {`[1]`, `{}`, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := writes(open)
			tool.ConfirmWhen = json.RawMessage(tt.when)
			s := New(tool)
			a, _, err := s.Decode(json.RawMessage(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Confirms(a); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestBrokenSchema: a schema that this host cannot use leaves the tool served,
// with any object, and says why.
func TestBrokenSchema(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"properties":{"a":`, MaxDepth) + `{}` + strings.Repeat(`}}`, MaxDepth)
	tests := map[string]string{
		"a type that does not exist": `{"type":"object","properties":{"a":{"type":"strng"}}}`,
		"not an object":              `[]`,
		"not JSON":                   `{"type":`,
		"another document":           `{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}`,
		"a file":                     `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		"a dead reference":           `{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`,
		"properties that are none":   `{"type":"object","properties":[1]}`,
		"too deep":                   deep,
		"too long":                   `{"type":"object","description":"` + strings.Repeat("x", maxSchema) + `"}`,
	}
	for name, schema := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := writes(schema)
			s := New(tool)
			if _, _, err := s.Decode(json.RawMessage(`{"a":"x","dryRun":false}`)); err != nil {
				t.Errorf("refused: %v", err)
			}
			if err := s.Check(map[string]any{"a": "x"}); err != nil {
				t.Errorf("refused when whole: %v", err)
			}
			if err := s.Fault(); err == nil || !strings.Contains(err.Error(), string(tool.Name)) {
				t.Errorf("the fault is not told: %v", err)
			}
			raw, _ := Narrow(tool)
			if err := Portable(raw); err != nil {
				t.Errorf("not portable: %v in %s", err, raw)
			}
		})
	}
	if err := New(planned).Fault(); err != nil {
		t.Errorf("a sound schema: %v", err)
	}
}

// TestPatterns: Go's expressions hold, those of others are left to the kernel.
func TestPatterns(t *testing.T) {
	t.Parallel()
	s := New(reads(`{"type":"object","properties":{"a":{"type":"string","pattern":"^[a-z]+$"},"b":{"type":"string","pattern":"^(?!x)"},"d":{"type":"string","format":"date"},"e":{"type":"string","format":"no-such-format"}}}`))
	for in, ok := range map[string]bool{`{"a":"abc"}`: true, `{"a":"A"}`: false, `{"b":"xyz"}`: true, `{"d":"2026-06-07"}`: true, `{"d":"soon"}`: false, `{"e":"x"}`: true} {
		if _, _, err := s.Decode(json.RawMessage(in)); (err == nil) != ok {
			t.Errorf("%s: %v", in, err)
		}
	}
	if err := s.Fault(); err != nil {
		t.Error(err)
	}
}

// TestConcurrent: one schema, many first calls.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	s := New(planned)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			a, _, err := s.Decode(json.RawMessage(save))
			if err != nil || s.Check(a.Full(nil)) == nil {
				t.Errorf("decode %v; a call without a session passes", err)
			}
		})
	}
	wg.Wait()
}

// TestNothingEchoed: what was sent, a page's text perhaps, is in no error.
func TestNothingEchoed(t *testing.T) {
	t.Parallel()
	const canary = "canary-7f3a-秘密"
	s := New(reads(`{"type":"object","properties":{"e":{"enum":["a"]},"p":{"type":"string","pattern":"^x$"},"f":{"type":"string","format":"date"},"c":{"const":"k"},"n":{"type":"integer"},"l":{"type":"string","maxLength":2},"a":{"anyOf":[{"type":"integer"},{"type":"boolean"}]},"o":{"type":"object"},"x":{"not":{"type":"string"}}}}`))
	for _, field := range []string{"e", "p", "f", "c", "n", "l", "a", "o", "x"} {
		_, _, err := s.Decode(json.RawMessage(`{"` + field + `":"` + canary + `"}`))
		e, ok := errors.AsType[*tools.Error](err)
		if !ok {
			t.Errorf("%s: accepted", field)
			continue
		}
		out, _ := json.Marshal(e.In(tools.EN))
		if all := string(out) + e.In(tools.ZH).Message + e.Error(); strings.Contains(all, canary) {
			t.Errorf("%s: echoed: %s", field, all)
		}
	}
}
