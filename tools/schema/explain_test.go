package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// TestExplain: every kind of fault says what is wrong and what is allowed.
func TestExplain(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		schema, in       string // of the argument a
		problem, allowed string
	}{
		"enum":             {`{"enum":["x",2,null,true]}`, `"y"`, "not one of the allowed values", `one of "x", 2, null, true`},
		"a long enum":      {`{"enum":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]}`, `0`, "not one of the allowed values", `one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, …`},
		"const":            {`{"const":{"b":1,"a":2}}`, `1`, "not the only allowed value", `{"b":1,"a":2}`},
		"minLength":        {`{"type":"string","minLength":2}`, `"字"`, "too short (1 characters)", "a string, at least 2 characters"},
		"maxLength":        {`{"type":"string","minLength":1,"maxLength":2}`, `"abc"`, "too long (3 characters)", "a string, at least 1 characters, at most 2 characters"},
		"minimum":          {`{"type":"integer","minimum":1}`, `0`, "too small", "an integer, at least 1"},
		"maximum":          {`{"type":"number","maximum":1.5}`, `2`, "too large", "a number, at most 1.5"},
		"exclusiveMinimum": {`{"type":"number","exclusiveMinimum":0}`, `0`, "too small", "a number, above 0"},
		"exclusiveMaximum": {`{"type":"number","exclusiveMaximum":9}`, `9`, "too large", "a number, below 9"},
		"multipleOf":       {`{"type":"integer","multipleOf":5}`, `7`, "breaks the rule multipleOf", "an integer, a multiple of 5"},
		"minItems":         {`{"type":"array","minItems":1,"items":{"type":"string"}}`, `[]`, "too few items (0)", "an array, each a string, at least 1 items"},
		"maxItems":         {`{"type":"array","maxItems":1}`, `[1,2]`, "too many items (2)", "an array, at most 1 items"},
		"uniqueItems":      {`{"type":"array","uniqueItems":true}`, `[1,2,1]`, "the same item twice (0 and 2)", "an array"},
		"pattern":          {`{"type":"string","pattern":"^ws_"}`, `"x"`, "not in the right form", "a string, matching ^ws_"},
		"format":           {`{"type":"string","format":"date-time"}`, `"x"`, "not in the right form", "a string, in the form date-time"},
		"type list":        {`{"type":["string","integer"]}`, `true`, "a boolean", "a string or an integer"},
		"nullable":         {`{"type":"string","nullable":true}`, `7`, "a number", "a string or null"},
		"any of":           {`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `[]`, "none of the allowed forms", "a string or an integer"},
		"one of, twice":    {`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, "none of the allowed forms", "an integer or a number"},
		"all of":           {`{"allOf":[{"type":"string"},{"minLength":3}]}`, `"x"`, "too short (1 characters)", "a string"},
		"a reference":      {`{"$ref":"#/$defs/mode"}`, `"x"`, "not one of the allowed values", `one of "replace", "append"`},
		"not":              {`{"not":{"type":"string"}}`, `"x"`, "not allowed here", "another value"},
		"false":            {`false`, `1`, "not allowed here", "another value"},
		"minProperties":    {`{"type":"object","minProperties":1}`, `{}`, "breaks the rule minProperties", "an object"},
		"contains":         {`{"type":"array","contains":{"type":"string"}}`, `[1]`, "breaks the rule contains", "an array"},
		"a list of lists":  {`{"type":"array","items":{"type":"array","items":{"type":"array","items":{"type":"array"}}}}`, `1`, "a number", "an array, each an array, each an array, each another value"},
		"endless items":    {`{"$ref":"#/$defs/list"}`, `1`, "a number", "an array, each an array, each an array, each another value"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(reads(`{"type":"object","properties":{"a":` + tt.schema + `},"$defs":{"mode":{"enum":["replace","append"]},"list":{"type":"array","items":{"$ref":"#/$defs/list"}}}}`))
			_, _, err := s.Decode(json.RawMessage(`{"a":` + tt.in + `}`))
			if err := s.Fault(); err != nil {
				t.Fatal(err)
			}
			want := []Violation{{"/a", tt.problem, tt.allowed}}
			if diff := cmp.Diff(want, violationsOf(t, err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestExplainInside: faults of what is inside say where, and what is known there.
func TestExplainInside(t *testing.T) {
	t.Parallel()
	s := New(reads(`{"type":"object","properties":{"options":{"type":"object","additionalProperties":false,"properties":{"wideLayout":{"type":"boolean"},"showToc":{"type":"boolean"}},"dependentRequired":{"showToc":["wideLayout"]}}}}`))
	tests := map[string]struct {
		in   string
		want []Violation
	}{
		"unknown":    {`{"options":{"wide":true}}`, []Violation{{"/options/wide", "unknown argument", "the nearest is wideLayout (true or false); known: wideLayout, showToc"}}},
		"dependent":  {`{"options":{"showToc":true}}`, []Violation{{"/options/wideLayout", "missing", "true or false"}}},
		"both kinds": {`{"options":{"showToc":"x","b":1},"z":1}`, []Violation{{"/options/b", "unknown argument", "known: wideLayout, showToc"}, {"/options/showToc", "a string", "true or false"}, {"/options/wideLayout", "missing", "true or false"}, {"/z", "unknown argument", "known: options"}}},
	}
	for name, tt := range tests {
		_, _, err := s.Decode(json.RawMessage(tt.in))
		if diff := cmp.Diff(tt.want, violationsOf(t, err)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestMessage: the text alone tells everything, in both languages, bounded.
func TestMessage(t *testing.T) {
	t.Parallel()
	_, _, err := New(writes(pageSave)).Decode(json.RawMessage(`{"content":[],"mode":"repl","contnet":"100%"}`))
	e, _ := errors.AsType[*tools.Error](err)
	en := `the arguments do not fit: /contnet: unknown argument (allowed: the nearest is content (an array); known: documentId, content, mode, idempotencyKey, dryRun, planId); ` +
		`/dryRun: missing (allowed: true or false); /mode: not one of the allowed values (allowed: one of "replace", "append")`
	zh := `参数不合要求：/contnet：未知参数（应为：最接近的是 content（数组）；可用：documentId, content, mode, idempotencyKey, dryRun, planId）；` +
		`/dryRun：缺少（应为：true 或 false）；/mode：不在允许的值之内（应为：之一："replace", "append"）`
	if diff := cmp.Diff([]string{en, zh}, []string{e.In(tools.EN).Message, e.In(tools.ZH).Message}); diff != "" {
		t.Error(diff)
	}

	var many []string
	for _, c := range "abcdefghijklmnopqrst" {
		many = append(many, `"`+strings.Repeat(string(c), 5000)+`":1`)
	}
	_, _, err = New(writes(pageSave)).Decode(json.RawMessage("{" + strings.Join(many, ",") + "}"))
	e, _ = errors.AsType[*tools.Error](err)
	if m := e.In(tools.EN).Message; len(m) > 3000 || !strings.HasSuffix(m, "; and 15 more") || len(violationsOf(t, err)) != shown {
		t.Errorf("%d bytes: …%s", len(m), m[len(m)-40:])
	}
}
