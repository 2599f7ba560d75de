package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// fitting is a face with a limit, on the fallback manifest.
func fitting(limit int) *Face {
	return New(Config{Session: mute{}, Registry: capabilities.NewRegistry(capabilities.Config{}), MaxResult: limit})
}

// mute is a session that is not called.
type mute struct{ Session }

func (mute) Lang() tools.Lang { return tools.EN }
func (mute) ReadOnly() bool   { return false }

func enveloped(effect tools.Effect, result string) tools.Envelope {
	return tools.Envelope{
		OK: true, ToolName: capabilities.ToolPageGet, ToolCallID: "call_1", TraceID: "trace_1",
		Result: json.RawMessage(result), Audit: tools.Audit{Effect: effect, WorkspaceID: "ws_1"},
	}
}

// A read that is too long says the limit and how to ask for less.
func TestFitRead(t *testing.T) {
	t.Parallel()
	env, _ := fitting(0).fit(nil, enveloped(tools.EffectRead, `{"body":"`+strings.Repeat("页", 6000)+`"}`), nil)
	if env.OK || env.Error.Code != tools.CodePayloadTooLarge || env.Result != nil || env.Audit.Effect != tools.EffectNone {
		t.Fatalf("got %s", env.JSON())
	}
	text := string(env.JSON())
	for _, want := range []string{`"limit":15000`, "18", "--max-result", "less at a time by includeBlocks, includeBody", `"narrowBy":["includeBlocks","includeBody"]`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", text, want)
		}
	}
}

// A tool that can be told how much to give is told a number that should do, and a
// smaller one than the number that was too much.
func TestFitSaysHowMuch(t *testing.T) {
	t.Parallel()
	paged := tools.Tool{InputSchema: json.RawMessage(`{"properties":{"cursor":{},"maxChars":{},"x":{}}}`)}
	for args, want := range map[string]int{
		``: 250, `{}`: 250, `{"maxChars":8000}`: 250, `{"maxChars":500}`: 187, `{"maxChars":"500"}`: 187, `{"maxChars":9223372036854775807}`: 250,
		`{"maxChars":1}`: 1, `{"maxChars":-3}`: 250, `{"maxChars":[]}`: 250, `{"maxChars":1.5}`: 250,
	} {
		env := fitting(2000).tooLong(enveloped(tools.EffectRead, `{}`), overlong{paged, json.RawMessage(args), 4000, 2000})
		text := string(env.JSON())
		for _, part := range []string{fmt.Sprintf("by maxChars=%d, cursor\"", want), fmt.Sprintf(`"send":{"maxChars":%d}`, want), `"narrowBy":["maxChars","cursor"]`} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %s lacks %q", args, text, part)
			}
		}
	}
	bare := fitting(2000).tooLong(enveloped(tools.EffectRead, `{}`), overlong{tools.Tool{}, nil, 4000, 2000})
	if text := string(bare.JSON()); strings.Contains(text, maxChars) || strings.Contains(text, "narrowBy") {
		t.Errorf("a tool that cannot give less: %s", text)
	}
}

func TestFitLeavesWhatFits(t *testing.T) {
	t.Parallel()
	long := `{"body":"` + strings.Repeat("x", 14000) + `"}`
	for name, c := range map[string]struct {
		limit  int
		result string
	}{
		"short": {0, `{"a":1}`}, "just below": {0, long}, "no limit": {-1, `{"body":"` + strings.Repeat("x", 1<<20) + `"}`},
	} {
		if env, _ := fitting(c.limit).fit(nil, enveloped(tools.EffectRead, c.result), nil); !env.OK || string(env.Result) != c.result {
			t.Errorf("%s: it was changed", name)
		}
	}
}

// What a write did stays an answer: ok, with every scalar, and says what was cut.
func TestFitWrite(t *testing.T) {
	t.Parallel()
	blocks := make([]string, 4000)
	for i := range blocks {
		blocks[i] = fmt.Sprintf(`{"oldId":"b%d","newId":"c%d","type":"paragraph"}`, i, i)
	}
	diff, _ := tools.Compact(strings.Repeat("-旧的一行 \"quoted\"\n+新的一行\n", 3000))
	for name, result := range map[string]string{
		"a long diff":  `{"commandName":"page.body.save","revision":9007199254740993,"unifiedDiff":` + string(diff) + `,"contentHash":"abc"}`,
		"a long list":  `{"revision":8,"changed":[` + strings.Join(blocks, ",") + `]}`,
		"both":         `{"revision":8,"unifiedDiff":` + string(diff) + `,"changed":[` + strings.Join(blocks, ",") + `],"planId":"plan_1"}`,
		"deep":         `{"revision":8,"deep":{"a":{"b":[{"c":` + string(diff) + `}]}}}`,
		"one long key": `{"revision":8,"` + strings.Repeat("k", 200) + `":` + string(diff) + `}`,
		"dense first":  `{"revision":8,"plain":"` + strings.Repeat(`\u0001`, 20000) + strings.Repeat("x", 200000) + `"}`,
		"escapes":      `{"revision":8,"plain":"` + strings.Repeat("x", 40000) + strings.Repeat(`\n\"`, 20000) + `"}`,
	} {
		for _, effect := range []tools.Effect{tools.EffectWrite, tools.EffectDryRun} {
			t.Run(name+" "+string(effect), func(t *testing.T) {
				t.Parallel()
				env, out := fitting(0).fit(nil, enveloped(effect, result), nil)
				if !env.OK || env.Audit.Effect != effect || len(out) > defaultMaxResult {
					t.Fatalf("%d bytes, ok %v, effect %s", len(out), env.OK, env.Audit.Effect)
				}
				if !json.Valid(out) || !utf8.Valid(out) {
					t.Fatal("no JSON")
				}
				if len(out) < defaultMaxResult/2 && name != "escapes" && name != "dense first" {
					t.Errorf("only %d bytes are left of the limit", len(out))
				}
				if len(env.Extra[shortened]) == 0 || !strings.Contains(string(out), "first") {
					t.Errorf("it does not say what was cut: %s", env.Extra[shortened])
				}
				if !strings.Contains(string(env.Result), `"revision":8`) && !strings.Contains(string(env.Result), `"revision":9007199254740993`) {
					t.Errorf("the revision is gone: %.200s", env.Result)
				}
			})
		}
	}
}

// A write that changed nothing has no effect, and is still no read.
func TestFitWriteWithoutEffect(t *testing.T) {
	t.Parallel()
	env := enveloped(tools.EffectNone, `{"created":false,"diff":"`+strings.Repeat("x", 20000)+`"}`)
	env.ToolName = "mnote.page.save"
	got, out := fitting(0).fit(nil, env, nil)
	if !got.OK || len(out) > defaultMaxResult || !strings.Contains(string(out), `"created":false`) {
		t.Errorf("%d bytes: %.200s", len(out), out)
	}
}

func TestFitManyFiles(t *testing.T) {
	t.Parallel()
	env := enveloped(tools.EffectWrite, `{"revision":8}`)
	for i := range 1000 {
		env.Audit.ChangedFiles = append(env.Audit.ChangedFiles, tools.ChangedFile{Path: fmt.Sprintf("notes/%d.md", i), Kind: "page"})
	}
	got, _ := fitting(0).fit(nil, env, nil)
	if !got.OK || len(got.JSON()) > defaultMaxResult || len(got.Audit.ChangedFiles) != maxFiles || string(got.Result) != `{"revision":8}` {
		t.Errorf("%d bytes, %d files, %s", len(got.JSON()), len(got.Audit.ChangedFiles), got.Result)
	}
	if len(env.Audit.ChangedFiles) != 1000 || env.Extra != nil {
		t.Error("the session's envelope was changed")
	}
}

// A kernel's endless message and details are cut; code and small details stay.
func TestFitError(t *testing.T) {
	t.Parallel()
	env := tools.Refuse(tools.Call{ToolName: "mnote.page.save"}, &tools.Error{
		Code: tools.CodeConflict, Message: strings.Repeat("长", 9000),
		Details: map[string]any{"currentRevision": 8, "all": strings.Repeat("x", 50000)},
	})
	got, _ := fitting(0).fit(nil, env, nil)
	out := string(got.JSON())
	if len(out) > defaultMaxResult || got.Error.Code != tools.CodeConflict || !utf8.ValidString(out) || !strings.Contains(out, `"currentRevision":8`) {
		t.Errorf("%d bytes: %.300s", len(out), out)
	}
	if len(env.Error.Message) != 27000 {
		t.Error("the session's error was changed")
	}
}

// Whatever JSON a kernel gives, a cut one is JSON, and never longer.
func FuzzCut(f *testing.F) {
	f.Add(`{"a":"`+strings.Repeat("页", 300)+`","b":[1,2,{"c":"d"}],"e":1.50}`, 100)
	f.Add(`["\ud800","x"]`, 0)
	f.Add(`{"a":{},"a":[]}`, 3)
	f.Fuzz(func(t *testing.T, raw string, budget int) {
		if !json.Valid([]byte(raw)) {
			return
		}
		in, err := tools.Compact(json.RawMessage(raw))
		if err != nil || len(in) == 0 {
			return
		}
		c := cutter{}
		out := c.cut("", in, budget)
		if !json.Valid(out) {
			t.Errorf("cut %s to %d: %s", in, budget, out)
		}
		if len(in) <= budget && string(out) != string(in) {
			t.Errorf("%s fits into %d and was cut", in, budget)
		}
	})
}
