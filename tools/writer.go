package tools

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// writer writes calls and envelopes as encoding/json would. Each call goes out as
// one and comes back as the other, and by reflection, each audit encoded and then
// scanned again as a part of the whole, it took four times as long.
type writer struct {
	out []byte
	err error // of the first value that could not be written
}

func (w *writer) envelope(e Envelope) {
	w.raw(`{"ok":`)
	w.out = strconv.AppendBool(w.out, e.OK)
	w.raw(`,"toolName":`)
	w.text(string(e.ToolName))
	w.raw(`,"toolCallId":`)
	w.text(e.ToolCallID)
	w.raw(`,"traceId":`)
	w.text(e.TraceID)
	w.raw(`,"result":`)
	w.json(e.Result)
	w.raw(`,"audit":`)
	w.audit(e.Audit)
	w.raw(`,"error":`)
	if e.Error == nil {
		w.raw(`null`)
	} else {
		w.value(e.Error)
	}
	if len(e.Repairs) > 0 {
		w.raw(`,"repairs":`)
		w.value(e.Repairs)
	}
	w.out = appendExtra(append(w.out, '}'), e.Extra)
}

func (w *writer) call(c Call) {
	w.raw(`{"toolName":`)
	w.text(string(c.ToolName))
	w.raw(`,"workspaceId":`)
	w.text(c.WorkspaceID)
	w.raw(`,"documentId":`)
	w.optional(c.DocumentID)
	for _, m := range [...]struct{ name, value string }{
		{`,"actorId":`, c.ActorID}, {`,"sessionId":`, c.SessionID}, {`,"runId":`, c.RunID},
		{`,"toolCallId":`, c.ToolCallID}, {`,"traceId":`, c.TraceID}, {`,"idempotencyKey":`, string(c.IdempotencyKey)},
	} {
		w.raw(m.name)
		w.text(m.value)
	}
	w.raw(`,"dryRun":`)
	w.out = strconv.AppendBool(w.out, c.DryRun)
	w.raw(`,"capabilityScope":[`)
	for i, s := range c.Scopes {
		if i > 0 {
			w.raw(`,`)
		}
		w.text(string(s))
	}
	w.raw(`],"args":`)
	if len(c.Args) == 0 {
		w.raw(`{}`)
	} else {
		w.json(c.Args)
	}
	w.raw(`,"profile":`)
	w.text(c.Profile)
	w.raw(`,"agentId":`)
	w.text(c.AgentID)
	if c.Grant != nil {
		w.raw(`,"accessScope":`)
		w.value(c.Grant)
	}
	if len(c.Refs) > 0 {
		w.raw(`,"contextRefs":`)
		w.value(c.Refs)
	}
	if len(c.Selection) > 0 {
		w.raw(`,"selection":`)
		w.json(c.Selection)
	}
	w.some(`,"objectIdentity":`, c.ObjectIdentity)
	w.some(`,"pendingFocus":`, c.PendingFocus)
	if c.WholeDiff {
		w.raw(`,"wholeDiff":true`)
	}
	w.raw(`}`)
}

// some writes a member that is left out where it is empty.
func (w *writer) some(name, s string) {
	if s != "" {
		w.raw(name)
		w.text(s)
	}
}

func (w *writer) audit(a Audit) {
	from := len(w.out)
	w.raw(`{"effect":`)
	w.text(string(a.Effect))
	w.raw(`,"commandId":`)
	w.optional(a.CommandID)
	w.raw(`,"workspaceId":`)
	w.text(a.WorkspaceID)
	w.raw(`,"documentId":`)
	w.optional(a.DocumentID)
	if len(a.ChangedFiles) > 0 {
		w.raw(`,"changedFiles":`)
		w.value(a.ChangedFiles)
	}
	if a.Replayed {
		w.raw(`,"replayed":true`)
	}
	w.raw(`}`)
	if len(a.Extra) > 0 {
		w.out = append(w.out[:from], appendExtra(bytes.Clone(w.out[from:]), a.Extra)...)
	}
}

func (w *writer) raw(s string) { w.out = append(w.out, s...) }

func (w *writer) optional(s *string) {
	if s == nil {
		w.raw(`null`)
		return
	}
	w.text(*s)
}

// text writes a string. Nearly every one is an id, which needs no escapes.
func (w *writer) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			w.value(s)
			return
		}
	}
	w.out = append(append(append(w.out, '"'), s...), '"')
}

// json writes what is JSON already, without the white space between its tokens. What
// encoding/json would let pass all the same, texts that are no UTF-8, is its.
func (w *writer) json(raw json.RawMessage) {
	if raw == nil {
		w.raw(`null`)
		return
	}
	var err error
	if w.out, err = AppendCompact(w.out, raw); err != nil {
		w.value(raw)
	}
}

func (w *writer) value(v any) {
	b, err := Compact(v)
	if err != nil {
		w.err = err
		return
	}
	w.out = append(w.out, b...)
}
