package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// writes and reads make a tool of a schema.
func writes(schema string) tools.Tool {
	return tools.Tool{Name: "mnote.test.write", Kind: tools.KindWrite, InputSchema: json.RawMessage(schema)}
}

func reads(schema string) tools.Tool {
	return tools.Tool{Name: "mnote.test.read", Kind: tools.KindRead, InputSchema: json.RawMessage(schema)}
}

// pageSave is seed 7-6's schema, letter for letter.
const pageSave = `{"type":"object",
 "required":["workspaceId","documentId","sessionId","runId","toolCallId","traceId","idempotencyKey","dryRun","content"],
 "properties":{"workspaceId":{"type":"string"},"documentId":{"type":"string"},"content":{"type":"array"},
  "mode":{"type":"string","enum":["replace","append"]},"idempotencyKey":{"type":"string"},"dryRun":{"type":"boolean"}}}`

// blocksOf is an array of blocks with a schema of its own.
const blocksOf = `{"type":"object","properties":{"body":{"type":"array","items":{"type":"object","properties":{"type":{"type":"string"},"text":{"type":"string"},"level":{"type":"integer"}}}}}}`

const everyType = `{"type":"object","properties":{
 "flag":{"type":"boolean"},"count":{"type":"integer"},"ratio":{"type":"number"},"word":{"type":"string"},"either":{"type":["string","boolean"]},
 "target":{"type":"object","properties":{"page":{"type":"string"},"deep":{"type":"boolean"}}},"untyped":{"properties":{"page":{"type":"string"}}},
 "names":{"type":"array","items":{"type":"string"}},"ops":{"type":"array","items":{"type":"object","required":["op"],"properties":{"op":{"type":"string"},"index":{"type":"integer"}}}},
 "maybe":{"type":["integer","null"]},"openapi":{"type":"string","nullable":true},"ref":{"$ref":"#/$defs/flag"},"wrapped":{"anyOf":[{"type":"null"},{"type":"object","properties":{"n":{"type":"integer"}}}]},
 "any":{},"size":{"type":"integer","default":20},"view":{"type":"object","properties":{"wide":{"type":"boolean","default":true}}}},
 "$defs":{"flag":{"type":"boolean"}}}`

// TestRepairs: what can only mean one thing is read so, and said.
func TestRepairs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tool     tools.Tool
		in, want string
		notes    []string
	}{
		"nothing to repair":        {reads(everyType), `{"flag":true,"count":3,"word":"true","either":"true","size":1}`, `{"count":3,"either":"true","flag":true,"size":1,"word":"true"}`, nil},
		"a boolean as text":        {reads(everyType), `{"flag":"true","size":1}`, `{"flag":true,"size":1}`, []string{`/flag: the string "true" was read as true`}},
		"a boolean as Python's":    {reads(everyType), `{"flag":"False","size":1}`, `{"flag":false,"size":1}`, []string{`/flag: the string "False" was read as false`}},
		"a boolean behind a ref":   {reads(everyType), `{"ref":"true","size":1}`, `{"ref":true,"size":1}`, []string{`/ref: the string "true" was read as true`}},
		"an integer as text":       {reads(everyType), `{"count":"12345678901234567890","size":1}`, `{"count":12345678901234567890,"size":1}`, []string{`/count: the string "12345678901234567890" was read as the number 12345678901234567890`}},
		"a number as text":         {reads(everyType), `{"ratio":"-0.50","size":1}`, `{"ratio":-0.50,"size":1}`, []string{`/ratio: the string "-0.50" was read as the number -0.50`}},
		"an object as text (B27)":  {reads(everyType), `{"target":"{\"page\":\"p1\",\"deep\":\"true\"}","size":1}`, `{"size":1,"target":{"deep":true,"page":"p1"}}`, []string{"/target: the string was read as the JSON in it", `/target/deep: the string "true" was read as true`}},
		"an untyped object (B27)":  {reads(everyType), `{"untyped":"{\"page\":\"p1\"}","size":1}`, `{"size":1,"untyped":{"page":"p1"}}`, []string{"/untyped: the string was read as the JSON in it"}},
		"a wrapped object as text": {reads(everyType), `{"wrapped":"{\"n\":\"3\"}","size":1}`, `{"size":1,"wrapped":{"n":3}}`, []string{"/wrapped: the string was read as the JSON in it", `/wrapped/n: the string "3" was read as the number 3`}},
		"an array as text":         {reads(everyType), `{"names":"[\"a\"]","size":1}`, `{"names":["a"],"size":1}`, []string{"/names: the string was read as the JSON in it"}},
		"one object for a list":    {reads(everyType), `{"ops":{"op":"x","index":"2"},"size":1}`, `{"ops":[{"index":2,"op":"x"}],"size":1}`, []string{"/ops: one object was read as a list of one", `/ops/0/index: the string "2" was read as the number 2`}},
		"one object as text":       {reads(everyType), `{"ops":"{\"op\":\"x\"}","size":1}`, `{"ops":[{"op":"x"}],"size":1}`, []string{"/ops: the string was read as the JSON in it"}},
		"null for what may lack":   {reads(everyType), `{"count":null,"size":null,"target":{"page":null}}`, `{"size":20,"target":{}}`, []string{"/count: null was read as not given", "/target/page: null was read as not given", "/size: null was read as not given"}},
		"null for what we fill in": {writes(`{"type":"object","required":["documentId","idempotencyKey","dryRun"],"properties":{"documentId":{"type":"string"},"idempotencyKey":{"type":"string"},"dryRun":{"type":"boolean"}}}`), `{"documentId":null,"idempotencyKey":null,"dryRun":true}`, `{"dryRun":true}`, []string{"/documentId: null was read as not given", "/idempotencyKey: null was read as not given"}},
		"null where it may be":     {reads(everyType), `{"maybe":null,"openapi":null,"any":null,"size":1}`, `{"any":null,"maybe":null,"openapi":null,"size":1}`, nil},
		"defaults":                 {reads(everyType), `{"view":{}}`, `{"size":20,"view":{"wide":true}}`, nil},
		"all of it as text":        {reads(everyType), `"{\"flag\":true,\"size\":1}"`, `{"flag":true,"size":1}`, []string{"arguments: the string was read as the JSON in it"}},
		"nothing at all":           {reads(everyType), ``, `{"size":20}`, nil},
		"null":                     {reads(everyType), ` null `, `{"size":20}`, nil},

		"Markdown for blocks":            {writes(pageSave), `{"content":"# A\n\ntext","mode":"append","dryRun":false}`, `{"content":[{"text":"# A\n\ntext"}],"dryRun":false,"mode":"append"}`, []string{"/content: the text was read as one block of Markdown"}},
		"Markdown that looks like JSON":  {writes(pageSave), `{"content":"[1]","mode":"append","dryRun":false}`, `{"content":[{"text":"[1]"}],"dryRun":false,"mode":"append"}`, []string{"/content: the text was read as one block of Markdown"}},
		"Markdown that opens a bracket":  {writes(pageSave), `{"content":"[ ] buy milk","mode":"append","dryRun":false}`, `{"content":[{"text":"[ ] buy milk"}],"dryRun":false,"mode":"append"}`, []string{"/content: the text was read as one block of Markdown"}},
		"blocks as text":                 {writes(pageSave), `{"content":"[{\"type\":\"p\",\"text\":\"x\"}]","mode":"append","dryRun":false}`, `{"content":[{"text":"x","type":"p"}],"dryRun":false,"mode":"append"}`, []string{"/content: the string was read as the JSON in it"}},
		"one block":                      {writes(pageSave), `{"content":{"text":"x"},"mode":"append","dryRun":false}`, `{"content":[{"text":"x"}],"dryRun":false,"mode":"append"}`, []string{"/content: one object was read as a list of one"}},
		"one block as text":              {writes(pageSave), `{"content":"{\"text\":\"x\"}","mode":"append","dryRun":false}`, `{"content":[{"text":"x"}],"dryRun":false,"mode":"append"}`, []string{"/content: the string was read as the JSON in it"}},
		"texts among blocks":             {writes(pageSave), `{"content":["a",{"text":"b"}],"mode":"append","dryRun":false}`, `{"content":[{"text":"a"},{"text":"b"}],"dryRun":false,"mode":"append"}`, []string{"/content/0: the text was read as a block of Markdown"}},
		"blocks by their schema":         {reads(blocksOf), `{"body":["a",{"text":"b","level":"2"}]}`, `{"body":[{"text":"a"},{"level":2,"text":"b"}]}`, []string{"/body/0: the text was read as a block of Markdown", `/body/1/level: the string "2" was read as the number 2`}},
		"a required null is filled in":   {writes(`{"type":"object","required":["parent","dryRun"],"properties":{"parent":{"type":["string","null"]},"dryRun":{"type":"boolean"}}}`), `{"dryRun":true}`, `{"dryRun":true,"parent":null}`, nil},
		"the envelope's types hold":      {reads(`{"type":"object","properties":{"x":{"type":"string"}}}`), `{"dryRun":"true","documentId":"d"}`, `{"documentId":"d","dryRun":true}`, []string{`/dryRun: the string "true" was read as true`}},
		"an open object keeps strangers": {reads(`{"type":"object"}`), `{"a":"true","b":{"c":[1]}}`, `{"a":"true","b":{"c":[1]}}`, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, notes, err := New(tt.tool).Decode(json.RawMessage(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(a.JSON())); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNotRepaired: what could mean two things, or nothing, is refused.
func TestNotRepaired(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tool tools.Tool
		in   string
		want []Violation
	}{
		"a yes":                       {reads(everyType), `{"flag":"yes"}`, []Violation{{"/flag", "a string", "true or false"}}},
		"a number for a boolean":      {reads(everyType), `{"flag":1}`, []Violation{{"/flag", "a number", "true or false"}}},
		"a boolean for a number":      {reads(everyType), `{"count":true}`, []Violation{{"/count", "a boolean", "an integer"}}},
		"half a number":               {reads(everyType), `{"count":"2.5"}`, []Violation{{"/count", "a string", "an integer"}}},
		"a number in words":           {reads(everyType), `{"count":"three"}`, []Violation{{"/count", "a string", "an integer"}}},
		"a number for text":           {reads(everyType), `{"word":5}`, []Violation{{"/word", "a number", "a string"}}},
		"a word for a list":           {reads(everyType), `{"names":"a"}`, []Violation{{"/names", "a string", "an array, each a string"}}},
		"one object for words":        {reads(everyType), `{"names":{"a":1}}`, []Violation{{"/names", "an object", "an array, each a string"}}},
		"JSON that is broken":         {reads(everyType), `{"target":"{\"page\":"}`, []Violation{{"/target", "a string", "an object {page, deep}"}}},
		"JSON with a key twice":       {reads(everyType), `{"target":"{\"page\":\"a\",\"page\":\"b\"}"}`, []Violation{{"/target", "a string", "an object {page, deep}"}}},
		"JSON of another type":        {reads(everyType), `{"target":"[1]"}`, []Violation{{"/target", "a string", "an object {page, deep}"}}},
		"an empty list as text":       {writes(pageSave), `{"content":" [] ","mode":"replace","dryRun":false}`, []Violation{{"/content", "a string", "an array"}}},
		"null where it is required":   {writes(pageSave), `{"content":null,"mode":"replace","dryRun":false}`, []Violation{{"/content", "null", "an array"}}},
		"a required one left out":     {reads(everyType), `{"ops":[{}]}`, []Violation{{"/ops/0/op", "missing", "a string"}}},
		"an unknown one":              {reads(everyType), `{"wrod":"x"}`, []Violation{{"/wrod", "unknown argument", "the nearest is word (a string); known: flag, count, ratio, word, either, target, untyped, names, ops, maybe, openapi, ref, wrapped, any, size, view"}}},
		"another case":                {reads(everyType), `{"Word":"x"}`, []Violation{{"/Word", "written in another case", "word"}}},
		"another case, deep":          {reads(everyType), `{"target":{"PAGE":"x"}}`, []Violation{{"/target/PAGE", "written in another case", "page"}}},
		"a host field in another":     {reads(everyType), `{"WorkspaceId":"x"}`, []Violation{{"/WorkspaceId", "written in another case", "workspaceId"}}},
		"the same in an open object":  {reads(`{}`), `{"SESSIONID":"x"}`, []Violation{{"/SESSIONID", "written in another case", "sessionId"}}},
		"an envelope's field, wrong":  {reads(`{}`), `{"documentId":7,"dryRun":"perhaps"}`, []Violation{{"/documentId", "a number", "a string"}, {"/dryRun", "a string", "true or false"}}},
		"a key too long":              {reads(`{}`), `{"idempotencyKey":"` + strings.Repeat("k", 201) + `"}`, []Violation{{"/idempotencyKey", "too long", "at most 200 bytes"}}},
		"a mode nobody chose":         {writes(pageSave), `{"content":[],"dryRun":false}`, []Violation{{"/mode", "missing", `one of "replace", "append"`}}},
		"a list of arguments":         {reads(everyType), `[{"word":"x"}]`, []Violation{{"", "not a JSON object", "one JSON object whose members are the arguments"}}},
		"text":                        {reads(everyType), `"word"`, []Violation{{"", "not a JSON object", "one JSON object whose members are the arguments"}}},
		"no argument to be nearest":   {reads(`{"type":"object","properties":{"workspaceId":{"type":"string"}}}`), `{"x":1}`, []Violation{{"/x", "unknown argument", "no arguments"}}},
		"what is hidden is not known": {reads(`{"type":"object","properties":{"rootUri":{"type":"string"},"query":{"type":"string"}}}`), `{"rooturl":1}`, []Violation{{"/rooturl", "unknown argument", "known: query"}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := New(tt.tool).Decode(json.RawMessage(tt.in))
			if diff := cmp.Diff(tt.want, violationsOf(t, err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// violationsOf gives what an error for bad arguments details.
func violationsOf(tb testing.TB, err error) []Violation {
	tb.Helper()
	e, ok := errors.AsType[*tools.Error](err)
	if !ok || e.Code != tools.CodeInvalidArgs {
		tb.Fatalf("got %v, want %s", err, tools.CodeInvalidArgs)
	}
	v, ok := e.Details["violations"].([]Violation)
	if !ok || len(v) == 0 {
		tb.Fatalf("no violations in %v", e.Details)
	}
	return v
}
