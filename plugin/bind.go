package plugin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/guard"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

// lackable are the session fields that a session may be without.
var lackable = []string{"workspaceId", "documentId", "actorId", "rootUri"}

// bind is step 4: the session's fields are filled in, what the caller sent of
// them is compared or replaced, and the whole is held against the full schema.
func (s *Session) bind(_ context.Context, c callRead) (callBound, error) {
	if err := guard.Sent(s.bounds, c.args.HostFields); err != nil {
		return callBound{}, err
	}
	if id := c.args.DocumentID(); id != "" {
		c.call.DocumentID = &id
	}
	c.call.IdempotencyKey = cmp.Or(c.args.IdempotencyKey(), tools.Key(s.host.newID("idem")))
	c.call.Args = schema.Canonical(s.own(c))
	c.hash = hashOf(c.call.Document(), c.args.Body())

	fields := s.fields(c.call)
	have := func(field string) bool { return fields[field] != nil || c.args.Values()[field] != nil }
	if err := cmp.Or(
		guard.Refs(c.snapshot.PackOf(c.tool), c.schema.Requires, have, c.call.Refs),
		guard.Missing(lackable, c.schema.Requires, have),
	); err != nil {
		return callBound{}, err
	}
	maps.DeleteFunc(fields, func(field string, _ any) bool { return !c.schema.Lists(field) })
	return callBound{c}, c.schema.Check(c.args.Full(fields))
}

// own gives the arguments that travel: the tool's own, and the root where the
// tool's schema has a place for it.
func (s *Session) own(c callRead) map[string]any {
	own := maps.Clone(c.args.Own())
	if own == nil {
		own = map[string]any{}
	}
	if s.cfg.RootURI != "" && c.schema.Lists("rootUri") {
		own["rootUri"] = s.cfg.RootURI
	}
	return own
}

// fields gives what the host knows of a call, by the names of the full schema;
// what it does not know is left out.
func (s *Session) fields(c tools.Call) map[string]any {
	fields := map[string]any{
		"workspaceId": c.WorkspaceID, "documentId": c.Document(), "actorId": c.ActorID,
		"sessionId": c.SessionID, "runId": c.RunID, "toolCallId": c.ToolCallID, "traceId": c.TraceID,
		"idempotencyKey": string(c.IdempotencyKey), "rootUri": s.cfg.RootURI,
		"profile": c.Profile, "agentId": c.AgentID, "objectIdentity": c.ObjectIdentity,
	}
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == "" })
	words := make([]any, len(c.Scopes))
	for i, w := range c.Scopes {
		words[i] = string(w)
	}
	fields["toolName"], fields["dryRun"], fields["capabilityScope"] = string(c.ToolName), c.DryRun, words
	return fields
}

// hashOf is what a key is bound to, in hexadecimal: the document and the
// arguments that say what the write does.
func hashOf(documentID string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(documentID))
	h.Write([]byte{0})
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

func packsOf(s *capabilities.Snapshot, t tools.Tool) []capabilities.Pack {
	packs := make([]capabilities.Pack, 0, len(t.PackIDs))
	for _, id := range t.PackIDs {
		if p, ok := s.Pack(id); ok {
			packs = append(packs, p)
		}
	}
	return packs
}
