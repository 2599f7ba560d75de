package mcp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// Both eras through the probe: what doctor, status and try do.
func TestProbe(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			cfg := mcp.Config{Session: says(`{"a":1}`), Registry: still(t, smallManifest), Version: "1.2.3"}
			p := probe(t, cfg, mcp.ProbeConfig{Protocol: protocol})
			want := mcp.ServerIdentity{Name: "mnote-host", Title: "MNote", Version: "1.2.3"}
			if diff := cmp.Diff(want, p.Server); diff != "" || p.Protocol != protocol || p.Instructions == "" {
				t.Errorf("protocol %q, instructions %q, server (-want +got):\n%s", p.Protocol, p.Instructions, diff)
			}
			list, size, err := p.Tools(t.Context())
			if err != nil || size == 0 || len(list) != 4 || list[0].Name != "mnote_skill_read" {
				t.Errorf("Tools = %+v, %d, %v", list, size, err)
			}
			r, err := p.Call(t.Context(), "mnote_page_get", map[string]any{"documentId": "a.md"})
			if err != nil || r.IsError || r.Envelope == nil || string(r.Envelope.Result) != `{"a":1}` {
				t.Errorf("Call = %+v, %v", r, err)
			}
			if _, err := p.Ping(t.Context()); err != nil {
				t.Errorf("Ping: %v", err)
			}
			if _, err := p.Request(t.Context(), "no/such", nil); err == nil {
				t.Error("an unknown method was answered")
			}
		})
	}
}
