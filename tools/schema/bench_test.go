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
