package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// A prompt that was off when it was last listed is there once its pack is on, with
// one read of its skill; one whose skill can be read while it is off is not.
func TestPromptJustSwitchedOn(t *testing.T) {
	t.Parallel()
	off := smallManifest
	on := strings.Replace(off, `"enabled": false, "toolNames": []`, `"enabled": true, "toolNames": ["mnote.skill.read"]`, 1)
	if on == off {
		t.Fatal("the manifest has no pack that is off")
	}
	for name, c := range map[string]struct {
		later string
		want  string
	}{
		"on":        {on, `"text":"How to chat."`},
		"still off": {off, `"message":"prompt 'mnote-chat-only' not found"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &flip{doc: off}
			registry := capabilities.NewRegistry(capabilities.Config{First: manifest(t, off), Source: k})
			reads := 0
			session := fake{call: func(ctx context.Context, tool string, raw json.RawMessage, meta plugin.Meta) tools.Envelope {
				reads++
				k.mu.Lock()
				k.doc = c.later
				k.mu.Unlock()
				if err := registry.Refresh(ctx); err != nil {
					t.Error(err)
				}
				return says(`{"content":"How to chat."}`).call(ctx, tool, raw, meta)
			}}
			got := ask(t, mcp.Config{Session: session, Registry: registry},
				`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"mnote-chat-only"}}`)[0]
			if !strings.Contains(got, c.want) || reads != 1 {
				t.Errorf("%d reads: %s", reads, got)
			}
		})
	}
}
