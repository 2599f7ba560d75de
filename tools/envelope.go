package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Effect says what a call did.
type Effect string

// The effects of seed 7-6.
const (
	EffectNone   Effect = "none"
	EffectRead   Effect = "read"
	EffectWrite  Effect = "write"
	EffectDryRun Effect = "dry_run"
)

// ChangedFile names one thing a write touched: a file of a local workspace
// (path, kind) or a cloud resource (resource, mutation).
type ChangedFile struct {
	Path     string `json:"path,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Resource string `json:"resource,omitempty"`
	Mutation string `json:"mutation,omitempty"`
}

// Audit is the envelope's own record of what happened.
type Audit struct {
	Effect       Effect        `json:"effect"`
	CommandID    *string       `json:"commandId"`
	WorkspaceID  string        `json:"workspaceId"`
	DocumentID   *string       `json:"documentId"`
	ChangedFiles []ChangedFile `json:"changedFiles,omitempty"`
	// Replayed is true when the answer was stored by an earlier equal call.
	Replayed bool `json:"replayed,omitempty"`

	// Extra holds the members a kernel sent that we do not know; they pass on.
	Extra map[string]json.RawMessage `json:"-"`
}

// Envelope is the answer to one call (seed 7-6 §3). OK means Error is nil and
// Result is an object; else Result is nil and Error is set.
type Envelope struct {
	OK         bool            `json:"ok"`
	ToolName   Name            `json:"toolName"`
	ToolCallID string          `json:"toolCallId"`
	TraceID    string          `json:"traceId"`
	Result     json.RawMessage `json:"result"`
	Audit      Audit           `json:"audit"`
	Error      *Error          `json:"error"`
	// Repairs tells what the host read otherwise than it was sent, such as
	// "/dryRun: the string \"true\" was read as true".
	Repairs []string `json:"repairs,omitempty"`

	// Extra holds the members a kernel sent that we do not know; they pass on.
	Extra map[string]json.RawMessage `json:"-"`
}

// Refuse answers a call with an error, in the call's language: nothing
// happened.
func Refuse(c Call, err error) Envelope {
	return Envelope{
		ToolName:   c.ToolName,
		ToolCallID: c.ToolCallID,
		TraceID:    c.TraceID,
		Audit:      Audit{Effect: EffectNone, WorkspaceID: c.WorkspaceID, DocumentID: c.DocumentID},
		Error:      AsError(err).In(c.Lang),
	}
}

// Succeed answers a call with a result; a write names its command id, which is
// "" for everything else.
func Succeed(c Call, effect Effect, commandID string, result any) (Envelope, error) {
	raw, err := Compact(result)
	if err != nil {
		return Envelope{}, fmt.Errorf("encode the result of %s: %w", c.ToolName, err)
	}
	env := Envelope{
		OK: true, ToolName: c.ToolName, ToolCallID: c.ToolCallID, TraceID: c.TraceID, Result: raw,
		Audit: Audit{Effect: effect, WorkspaceID: c.WorkspaceID, DocumentID: c.DocumentID},
	}
	if commandID != "" {
		env.Audit.CommandID = &commandID
	}
	return env, nil
}

// plain types drop the methods below, so that encoding/json does the reading.
type (
	plainAudit    Audit
	plainEnvelope Envelope
)

// MarshalJSON writes the known members in their order, then the unknown ones
// by name.
func (a Audit) MarshalJSON() ([]byte, error) {
	var w writer
	w.audit(a)
	return w.out, w.err
}

// UnmarshalJSON reads an audit and keeps the members it does not know.
func (a *Audit) UnmarshalJSON(data []byte) error {
	var p plainAudit
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("read an envelope's audit: %w", err)
	}
	*a = Audit(p)
	var err error
	a.Extra, err = unknown(data, "effect", "commandId", "workspaceId", "documentId", "changedFiles", "replayed")
	return err
}

// MarshalJSON writes the known members in their order, then the unknown ones
// by name. It is compact and holds no line end, whatever a kernel put into its
// own.
func (e Envelope) MarshalJSON() ([]byte, error) {
	return e.appendTo(make([]byte, 0, 512+len(e.Result)))
}

func (e Envelope) appendTo(dst []byte) ([]byte, error) {
	w := writer{out: dst}
	w.envelope(e)
	return w.out, w.err
}

// UnmarshalJSON reads an envelope and keeps the members it does not know.
func (e *Envelope) UnmarshalJSON(data []byte) error {
	var p plainEnvelope
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("read an envelope: %w", err)
	}
	*e = Envelope(p)
	if string(e.Result) == "null" {
		e.Result = nil
	}
	var err error
	e.Extra, err = unknown(data, "ok", "toolName", "toolCallId", "traceId", "result", "audit", "error", "repairs")
	return err
}

// JSON gives the envelope as one line of compact JSON.
func (e Envelope) JSON() []byte { return e.AppendJSON(make([]byte, 0, 512+len(e.Result))) }

// AppendJSON appends what JSON gives.
func (e Envelope) AppendJSON(dst []byte) []byte {
	b, err := e.appendTo(dst)
	if err != nil { // a RawMessage that is no JSON: only a fault of ours puts one there
		b, _ = Refuse(Call{ToolName: e.ToolName, ToolCallID: e.ToolCallID, TraceID: e.TraceID}, err).appendTo(dst)
	}
	return b
}

func unknown(data []byte, known ...string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for _, k := range known {
		delete(all, k)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// appendExtra puts foreign members into an object, without blanks and line ends.
// What is no JSON is left out: it is not worth losing the answer for.
func appendExtra(object []byte, extra map[string]json.RawMessage) []byte {
	if len(extra) == 0 || len(object) < 2 {
		return object
	}
	out := object[:len(object)-1]
	for _, k := range slices.Sorted(maps.Keys(extra)) {
		value, err := Compact(extra[k])
		if err != nil {
			continue
		}
		name, _ := Compact(k)
		out = append(append(append(append(out, ','), name...), ':'), value...)
	}
	return append(out, '}')
}
