package plugin

import (
	"context"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/skills"
	"github.com/mnote-dev/mnote-host/tools"
)

// usable gives a skill that was read as the agent can use it, whoever wrote it:
// tools by their wire names, without the lines that speak only of tools which
// are not advertised. The kernel is asked again first, so that the text is true
// of the switches as they stand, in both directions.
func (s *Session) usable(ctx context.Context, result json.RawMessage) json.RawMessage {
	text, ok := textOf(result, "content")
	if !ok {
		return result
	}
	_ = s.host.refresh(ctx)
	wire := map[string]string{}
	for _, t := range s.host.cfg.Registry.Snapshot().Tools() {
		wire[string(t.Name)] = tools.WireName(t.Name)
	}
	text = skills.Skill{Body: text}.Text(func(name string) (string, bool) {
		shown, ok := wire[name]
		return shown, ok
	})
	return withMembers(result, map[string]any{"content": text})
}
