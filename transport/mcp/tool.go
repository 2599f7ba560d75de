package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// listTools serves tools/list.
func (f *Face) listTools(q *request) stdio.Reply {
	return f.show(q, func(s *surface, k *known) list { k.tools = s; return s.tools })
}

// toolRows gives the snapshot's tools as a JSON array, in the manifest's order.
func (f *Face) toolRows(snap *capabilities.Snapshot) []byte {
	out := []byte{'['}
	for i, t := range snap.Tools() {
		if i > 0 {
			out = append(out, ',')
		}
		out = f.appendTool(out, snap, t)
	}
	return append(out, ']')
}

// appendTool writes a tool as tools/list shows it.
func (f *Face) appendTool(dst []byte, snap *capabilities.Snapshot, t tools.Tool) []byte {
	in, err := schema.Narrow(t)
	if err != nil {
		f.cfg.Log.Warn().Err(err).Str("tool", string(t.Name)).Msg("schema cannot be shown; any object is taken")
	}
	dst = appendText(append(dst, `{"name":`...), tools.WireName(t.Name))
	if t.Title != "" {
		dst = appendText(append(dst, `,"title":`...), t.Title)
	}
	description := t.Description
	if f.cfg.NameSkills {
		description += skillFirst(snap, t)
	}
	dst = appendText(append(dst, `,"description":`...), description)
	dst = f.appendSchema(append(dst, `,"inputSchema":`...), in, t.Name)
	if f.outputSchema() {
		dst = f.appendSchema(append(dst, `,"outputSchema":`...), envelopeSchema(t), t.Name)
	}
	return append(appendHints(append(dst, `,"annotations":`...), t), '}')
}

// appendSchema writes a schema, or that of any object where it cannot be shown.
func (f *Face) appendSchema(dst, schema []byte, tool tools.Name) []byte {
	out, err := tools.AppendCompact(dst, schema)
	if err != nil {
		f.cfg.Log.Warn().Err(err).Str("tool", string(tool)).Msg("schema cannot be shown; any object is taken")
		return append(dst, `{"type":"object"}`...)
	}
	return out
}

// appendHints writes always all four: what is left out would stand for the worst.
func appendHints(dst []byte, t tools.Tool) []byte {
	dst = strconv.AppendBool(append(dst, `{"readOnlyHint":`...), !t.Writes())
	dst = strconv.AppendBool(append(dst, `,"destructiveHint":`...), t.Destructive())
	dst = strconv.AppendBool(append(dst, `,"idempotentHint":`...), t.Idempotent())
	return append(strconv.AppendBool(append(dst, `,"openWorldHint":`...), t.OpenWorld()), '}')
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
