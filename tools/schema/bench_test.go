package schema

import (
	"encoding/json"
	"testing"
)

// BenchmarkNarrow is what a first tools/list costs: every tool of the catalogue.
func BenchmarkNarrow(b *testing.B) {
	all := catalogue(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, t := range all {
			if _, err := Narrow(t); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkSchema is what step 3 and the check of step 4 cost a call.
func BenchmarkSchema(b *testing.B) {
	tool := catalogue(b)["mnote.page.save"]
	raw := json.RawMessage(`{"content":[{"type":"paragraph","text":"hello"},{"text":"# x\ny"}],"mode":"append","dryRun":true,"expectedRevision":3}`)
	bound := map[string]any{"workspaceId": "w", "documentId": "d", "sessionId": "s", "runId": "r", "toolCallId": "c", "traceId": "t", "idempotencyKey": "k"}
	b.Run("compile", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := New(tool).Fault(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("first", func(b *testing.B) { // call of a tool
		b.ReportAllocs()
		for b.Loop() {
			s := New(tool)
			a, _, err := s.Decode(raw)
			if err != nil || s.Check(a.Full(bound)) != nil {
				b.Fatal("refused")
			}
		}
	})
	b.Run("refused", func(b *testing.B) {
		s := New(tool)
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := s.Decode(json.RawMessage(`{"content":5,"mode":"x","dryRun":"perhaps"}`)); err == nil {
				b.Fatal("accepted")
			}
		}
	})
	s := New(tool)
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := s.Decode(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
	a, _, err := s.Decode(raw)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := s.Check(a.Full(bound)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
