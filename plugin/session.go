package plugin

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/mnote-dev/mnote-host/plugin/internal/guard"
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
	// PendingFocus is the page that the next turn will be about as things stand,
	// where it is another than this one's.
	PendingFocus string
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
	// Person says that the person's own hand is behind the session: the command
	// line or the console page, never a face. Switches bind agents, so that its
	// undo passes where the tool is off.
	Person bool
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
	// passing says that the session's id was made here: it ends with this process.
	passing bool
	bounds  guard.Bounds
	rate    *rate
	known   known
}

// Session opens a session; it does no I/O.
func (h *Host) Session(cfg SessionConfig) *Session {
	passing := cfg.SessionID == ""
	cfg.SessionID = h.idOr("session", cfg.SessionID)
	cfg.RunID = h.idOr("run", cfg.RunID)
	if cfg.Lang == "" {
		cfg.Lang = tools.ZH
	}
	if cfg.Grant != nil { // what only the grant names, the session takes from it
		cfg.RootURI = cmp.Or(cfg.RootURI, cfg.Grant.RootURI)
		cfg.WorkspaceID = cmp.Or(cfg.WorkspaceID, cfg.Grant.WorkspaceID)
	}
	return &Session{
		host:    h,
		cfg:     cfg,
		passing: passing,
		rate:    newRate(h.limits),
		bounds: guard.Bounds{
			WorkspaceID: cfg.WorkspaceID, ActorID: cfg.ActorID,
			RootURI: cfg.RootURI, LocalRoot: cfg.LocalRoot, Grant: cfg.Grant,
		},
	}
}

// Delivered says that the answer to a call was written out. Until it is, an
// equal write without a key is taken for a retry of that call.
func (s *Session) Delivered(toolCallID string) {
	s.host.ledger.Delivered(toolCallID)
	s.host.pending.delivered(toolCallID)
}

// Config gives what the session was made with, ids filled in.
func (s *Session) Config() SessionConfig { return s.cfg }

// Lang is the language of the texts for people.
func (s *Session) Lang() tools.Lang { return s.cfg.Lang }

// Level is how much the session may do, for the instructions: write for the
// owner's own.
func (s *Session) Level() tools.Level {
	if s.cfg.Grant == nil {
		return tools.LevelWrite
	}
	return s.cfg.Grant.Level
}

// ReadOnly reports whether the session may not write.
func (s *Session) ReadOnly() bool { return !s.Level().AtLeast(tools.LevelWrite) }

// KnownDocuments lists the documents this session knows and its grant reaches,
// for completion: the current page, attached and granted pages, then pages that
// calls of this session answered for.
func (s *Session) KnownDocuments() []string {
	ids := []string{s.cfg.DocumentID}
	for _, r := range s.cfg.Refs {
		if r.Kind == "page" {
			ids = append(ids, r.ID)
		}
	}
	if g := s.cfg.Grant; g != nil {
		ids = append(ids, g.DocumentIDs...)
	}
	ids = append(ids, s.known.all()...)
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(ids, func(id string) bool {
		out := seen[id] || s.cfg.Grant != nil && !s.cfg.Grant.AllowsDocument(id)
		seen[id] = true
		return out
	})
}

// unserved refuses every call of a session that reaches no kernel.
func (s *Session) unserved() error {
	err := s.cfg.RequireKernel
	if _, coded := errors.AsType[*tools.Error](err); coded {
		return err
	}
	if err == nil && s.host.cfg.Kernel != nil {
		return nil
	}
	return tools.Errorf(tools.CodeKernelUnavailable, tools.Text{
		ZH: "没有连接任何内核；请用 --workspace 目录 或 --kernel 地址 启动 mnote-host",
		EN: "no kernel is set; start mnote-host with --workspace DIR or --kernel URL",
	}).With("reason", "no_kernel").Because(err)
}

// maxKnown is how many documents a session remembers for completion.
const maxKnown = 100

// known are the documents that calls of a session answered for, oldest first.
type known struct {
	mu  sync.Mutex
	ids []string
}

func (k *known) add(id *string) {
	if id == nil || *id == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if slices.Contains(k.ids, *id) {
		return
	}
	if len(k.ids) == maxKnown {
		k.ids = k.ids[1:]
	}
	k.ids = append(k.ids, *id)
}

func (k *known) all() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.ids)
}
