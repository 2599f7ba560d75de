package mcp

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// listedTool is a tool as tools/list shows it.
type listedTool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  hints           `json:"annotations"`
}

// hints are always all four: what is left out would stand for the worst.
type hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// listTools serves tools/list.
func (f *Face) listTools(q *request) stdio.Reply {
	return f.show(q, func(s *surface, k *known) list { k.tools = s; return s.tools })
}

// toolRows marshals the snapshot's tools, in the manifest's order.
func (f *Face) toolRows(snap *capabilities.Snapshot) []byte {
	out := []byte{'['}
	for _, t := range snap.Tools() {
		l := f.listed(t)
		if f.cfg.NameSkills {
			l.Description += skillFirst(snap, t)
		}
		row, err := tools.Compact(l)
		if err != nil {
			f.cfg.Log.Error().Err(err).Str("tool", string(t.Name)).Msg("tool left out of tools/list")
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, row...)
	}
	return append(out, ']')
}

// skillFirst names the skill of a tool that can be read now; a tool that has none,
// and the one that reads them, stands as it is.
func skillFirst(snap *capabilities.Snapshot, t tools.Tool) string {
	if t.Name == capabilities.ToolSkillRead {
		return ""
	}
	for _, p := range readable(snap) {
		if slices.Contains(t.PackIDs, p.ID) {
			return " First read " + tools.WireName(capabilities.ToolSkillRead) + " skillId=" + p.SkillID + "."
		}
	}
	return ""
}

func (f *Face) listed(t tools.Tool) listedTool {
	in, err := schema.Narrow(t)
	if err != nil {
		f.cfg.Log.Warn().Err(err).Str("tool", string(t.Name)).Msg("schema cannot be shown; any object is taken")
	}
	l := listedTool{
		Name: tools.WireName(t.Name), Title: t.Title, Description: t.Description, InputSchema: in,
		Annotations: hints{ReadOnly: !t.Writes(), Destructive: t.Destructive(), Idempotent: t.Idempotent(), OpenWorld: t.OpenWorld()},
	}
	if f.outputSchema() {
		l.OutputSchema = envelopeSchema(t)
	}
	return l
}

// outputSchema reports whether tools carry one: asked for at launch, and of use
// to the client.
func (f *Face) outputSchema() bool { return f.cfg.OutputSchema && f.client.Offers.OutputSchema }

// envelopeSchema is the schema of a tool's structuredContent, which is the
// whole envelope, a refusal's included: an error that did not match it would be
// hidden by the client (B17).
func envelopeSchema(t tools.Tool) json.RawMessage {
	result := t.OutputSchema
	if !isObject(result) || bytes.Contains(result, []byte(`"$ref"`)) {
		result = json.RawMessage(`{"type":"object"}`) // a $ref would point elsewhere from in here
	}
	return json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"},"toolName":{"type":"string"},` +
		`"toolCallId":{"type":"string"},"traceId":{"type":"string"},"result":{"anyOf":[` + string(result) + `,{"type":"null"}]},` +
		`"audit":{"type":"object"},"error":{"anyOf":[{"type":"object"},{"type":"null"}]},` +
		`"repairs":{"type":"array","items":{"type":"string"}}},"required":["ok","toolName","result","audit","error"]}`)
}
