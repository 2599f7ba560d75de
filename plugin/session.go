package plugin

import (
	"context"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/tools"
)

// Meta is what a face knows about one call besides name and arguments. The
// zero value is valid: the host makes what is missing.
type Meta struct {
	// SessionID, RunID and ToolCallID come from _meta keys mnote/sessionId,
	// mnote/runId, mnote/toolCallId or from the face's own protocol.
	SessionID, RunID, ToolCallID string
	// TraceParent is the W3C header value in the request's _meta.
	TraceParent string
	// DocumentID is the page in focus for this turn; "" leaves the session's.
	DocumentID string
	// Selection is the person's selection, raw JSON, or nil.
	Selection json.RawMessage
	// Refs are what the person attached for this turn; nil leaves the session's.
	Refs []tools.Ref
	// ObjectIdentity is the resource in focus for this turn; "" leaves the
	// session's.
	ObjectIdentity string
	// Confirm asks a person; nil means this call cannot ask.
	Confirm Confirmer
}

// SessionConfig makes a Session: what its spawner knows of it. Nothing in it
// can be widened by an argument, by _meta or by page content.
type SessionConfig struct {
	WorkspaceID string
	// DocumentID is the current page, or "".
	DocumentID string
	ActorID    string
	// SessionID and RunID are made here when empty.
	SessionID, RunID string
	Profile          string
	AgentID          string
	// RootURI is the workspace's root, file:///… for a local one, or "".
	RootURI string
	// LocalRoot says that the root is this user's own folder: without a Grant,
	// the resources below it are granted.
	LocalRoot bool
	// Grant is what the person gave; nil is the owner's own session.
	Grant *tools.Grant
	// Refs, Selection and ObjectIdentity are what the person attached.
	Refs           []tools.Ref
	Selection      json.RawMessage
	ObjectIdentity string
	// Confirm says which writes a person must agree to; "" is ConfirmNever, or
	// ConfirmWrites where the grant is shared.
	Confirm ConfirmMode
	// RequireKernel refuses every call with itself: started with neither kernel
	// nor workspace. It says how to set one.
	RequireKernel error
	// Lang is the language of the texts for people; "" is Chinese.
	Lang tools.Lang
}

// Session is one conversation: its ids, grant and workspace. It is safe for use
// by many goroutines.
type Session struct {
	host *Host
	cfg  SessionConfig
}

// Session opens a session; it does no I/O.
func (h *Host) Session(cfg SessionConfig) *Session { return &Session{host: h, cfg: cfg} }

// Call runs one tool, by its wire name, dotted name or an alias, and always
// answers with an envelope: refused, failed, replayed and cancelled are all
// envelopes, in the session's language.
func (s *Session) Call(ctx context.Context, name string, raw json.RawMessage, meta Meta) tools.Envelope {
	return tools.Envelope{}
}

// Delivered says that the answer to a call was written out. Until it is, an
// equal write without a key is taken for a retry of that call.
func (s *Session) Delivered(toolCallID string) {}

// Lang is the language of the texts for people.
func (s *Session) Lang() tools.Lang { return s.cfg.Lang }

// Level is how much the session may do, for the instructions: write for the
// owner's own.
func (s *Session) Level() tools.Level { return tools.LevelWrite }

// ReadOnly reports whether the session may not write.
func (s *Session) ReadOnly() bool { return !s.Level().AtLeast(tools.LevelWrite) }

// Config gives what the session was made with, ids filled in.
func (s *Session) Config() SessionConfig { return s.cfg }

// KnownDocuments lists the documents this session knows and its grant reaches,
// for completion: the current page, attached and granted pages, then pages that
// calls of this session answered for.
func (s *Session) KnownDocuments() []string { return nil }
