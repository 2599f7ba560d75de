package plugin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/guard"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

// lackable are the session fields that a session may be without.
var lackable = []string{"workspaceId", "documentId", "actorId", "rootUri"}

// bind is step 4: the session's fields are filled in, what the caller sent of
// them is compared or replaced, and the whole is held against the full schema.
func (s *Session) bind(ctx context.Context, c callRead) (callBound, error) {
	bound, err := s.filled(ctx, c)
	if err != nil {
		err = s.orOff(ctx, c.callOpen, err)
	}
	return bound, err
}

// filled is bind but for the switch, which comes before any fault found here.
func (s *Session) filled(ctx context.Context, c callRead) (callBound, error) {
	var err error
	if c.call.WorkspaceID, err = s.workspace(ctx, c); err != nil {
		return callBound{}, err
	}
	if err := cmp.Or(guard.Sent(s.within(c.call), c.args.HostFields), guard.Key(c.args.IdempotencyKey())); err != nil {
		return callBound{}, err
	}
	if id := c.args.DocumentID(); id != "" {
		c.call.DocumentID = &id
	}
	c.call.IdempotencyKey = cmp.Or(c.args.IdempotencyKey(), tools.Key(s.host.newID("idem")))
	body := c.args.Body()
	c.hash = hashOf(c.call.Document(), body)
	c.call.Args = s.travelling(c, body)

	fields := s.fields(c)
	have := func(field string) bool { return fields[field] != nil || c.args.Values()[field] != nil }
	if err := cmp.Or(
		guard.Refs(c.snapshot.PackOf(*c.tool), c.schema.Requires, have, c.call.Refs),
		guard.Missing(lackable, c.schema.Requires, have),
	); err != nil {
		return callBound{}, err
	}
	return callBound{c}, c.schema.Check(c.args.Full(fields))
}

// workspace is the session's, else the one that the kernel serves. A kernel that
// was not heard of yet is asked, so that what is wrong with it is what is told.
func (s *Session) workspace(ctx context.Context, c callRead) (string, error) {
	if id := cmp.Or(s.cfg.WorkspaceID, c.snapshot.WorkspaceID()); id != "" || !c.schema.Requires("workspaceId") {
		return id, nil
	}
	ctx, cancel := context.WithTimeout(ctx, refreshPatience)
	defer cancel()
	if err := s.host.cfg.Registry.Refresh(ctx); err != nil {
		return "", err
	}
	return s.host.cfg.Registry.Snapshot().WorkspaceID(), nil
}

// within is what the session is held to, in the workspace of this call.
func (s *Session) within(call tools.Call) guard.Bounds {
	b := s.bounds
	b.WorkspaceID = call.WorkspaceID
	return b
}

// travelling gives the arguments as they go out. Mostly they are the body that
// the key is bound to, which is written already.
func (s *Session) travelling(c callRead, body []byte) []byte {
	if c.args.PlanID() == "" && !s.sendsRoot(c) {
		return body
	}
	return schema.Canonical(s.own(c))
}

func (s *Session) sendsRoot(c callRead) bool {
	return s.cfg.RootURI != "" && c.schema.Lists("rootUri")
}

// own gives the arguments that travel: the tool's own, and the root where the
// tool's schema has a place for it.
func (s *Session) own(c callRead) map[string]any {
	own := c.args.Own()
	if s.sendsRoot(c) {
		own["rootUri"] = s.cfg.RootURI
	}
	return own
}

// fields gives what the host knows of the fields that the tool's full schema
// names; what the session does not have is left out.
func (s *Session) fields(c callRead) map[string]any {
	fields := map[string]any{}
	for _, f := range [...]struct{ name, value string }{
		{"toolName", string(c.call.ToolName)},
		{"workspaceId", c.call.WorkspaceID},
		{"documentId", c.call.Document()},
		{"actorId", c.call.ActorID},
		{"sessionId", c.call.SessionID},
		{"runId", c.call.RunID},
		{"toolCallId", c.call.ToolCallID},
		{"traceId", c.call.TraceID},
		{"idempotencyKey", string(c.call.IdempotencyKey)},
		{"profile", c.call.Profile},
		{"agentId", c.call.AgentID},
		{"objectIdentity", c.call.ObjectIdentity},
		{"rootUri", s.cfg.RootURI},
	} {
		if f.value != "" && c.schema.Lists(f.name) {
			fields[f.name] = f.value
		}
	}
	if c.schema.Lists("dryRun") {
		fields["dryRun"] = c.call.DryRun
	}
	if c.schema.Lists("capabilityScope") {
		words := make([]any, len(c.call.Scopes))
		for i, w := range c.call.Scopes {
			words[i] = string(w)
		}
		fields["capabilityScope"] = words
	}
	return fields
}

// hashOf is what a key is bound to, in hexadecimal: the document and the
// arguments that say what the write does.
func hashOf(documentID string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(documentID))
	h.Write([]byte{0})
	h.Write(body)
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0]))
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
