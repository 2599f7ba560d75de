package mcp

import (
	"encoding/json"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

// Whatever an envelope holds, the two ways to write it agree.
func FuzzAppendEnvelope(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `{"a":1}`, "{ \"a\" : [ 1 , 2 ],\n\t\"b\":\"x \\\" y\\\\\" }", `{"a":"<&>\u2028"}`, `not json`, `{"a":1}{`,
		`null`, `"result":null`, `{"x":",\"result\":null"}`, "{\"a\":\"\xff\"}",
	} {
		f.Add(seed, `x,"result":null`)
	}
	f.Fuzz(func(t *testing.T, result, name string) {
		env := tools.Envelope{
			OK: true, ToolName: tools.Name(name), ToolCallID: name, TraceID: "t", Result: json.RawMessage(result),
			Repairs: []string{name}, Extra: map[string]json.RawMessage{"more": json.RawMessage(`{"result":null}`)},
		}
		got, want := string(appendEnvelope(nil, env)), string(env.JSON())
		if got != want {
			t.Errorf("%q: got %s, want %s", result, got, want)
		}
	})
}

func BenchmarkEnvelope(b *testing.B) {
	text, _ := tools.Compact(string(make([]byte, 0)) + "Some text of a note, 笔记里的一行。 \"quoted\"\n")
	list := []byte(`{"blocks":[`)
	for len(list) < 1<<20 {
		list = append(append(append(list, `{"id":"b1","text":`...), text...), `},`...)
	}
	env := enveloped(tools.EffectRead, string(append(list[:len(list)-1], `]}`...)))
	for name, encode := range map[string]func() []byte{
		"ours":          func() []byte { return appendEnvelope(make([]byte, 0, len(env.Result)+1024), env) },
		"encoding/json": env.JSON,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(env.Result)))
			for b.Loop() {
				encode()
			}
		})
	}
}
