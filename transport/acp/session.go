package acp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync/atomic"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// session is one ACP session: what its ticket stands for. The face's mutex
// guards what changes.
type session struct {
	face   *Face
	handle string // ours, h1, h2 …, before and beside ACP's id
	server string // the name that our MCP server has in it

	id     string // ACP's; "" until the agent said it
	ticket stub
	grant  *tools.Grant
	fault  error   // what is wrong in the scope that the client gave; refuses every call
	focus  focus   // what the next prompt is about, unless it says so itself
	pinned focus   // what the last turn began with
	turns  []*turn // prompts without an answer, oldest first: the first is the current one
	// before is the session of the same id that this setup takes the place of,
	// until the agent has agreed.
	before *session
	// preamble says that the next prompt is the first one.
	preamble bool
	relays   []io.Closer // live connections
	greeted  bool        // a relay has come
	over     bool

	now atomic.Pointer[inForce]
}

// inForce is a session's view of the pipeline under one grant.
type inForce struct {
	open Session
	// idle refuses every call: no prompt is in flight.
	idle Session
	// ctx ends when a scope update takes the grant's place: questions that were
	// put under it are withdrawn.
	ctx  context.Context
	stop context.CancelCauseFunc
}

// turn is one prompt, from its request to its answer.
type turn struct {
	key    string // of the prompt's id
	focus  focus
	trace  string // traceparent
	ctx    context.Context
	cancel context.CancelCauseFunc
	// acknowledged says that the prompt was answered and the turn goes on (v2).
	acknowledged bool
}

var (
	errTurnCancelled = errors.New("the turn was cancelled")
	errTurnOver      = errors.New("the turn is over")
	errNarrowed      = errors.New("the session's scope was changed")
)

// errNoTurn refuses calls outside of turns: where an agent shares its MCP
// servers between sessions, they may be another session's.
var errNoTurn = tools.Errorf(tools.CodeMissingContext, tools.Text{
	ZH: "这个 ACP 会话现在没有进行中的提问，所以不知道这次调用是为谁做的；请在回答提问时调用",
	EN: "this ACP session has no prompt in flight, so there is no telling whom the call is for; call while answering a prompt",
}).With("reason", "no_turn")

// applyGrant opens the pipeline's session under the grant.
func (s *session) applyGrant(g *tools.Grant) {
	cfg := s.face.cfg.Base
	cfg.Grant, cfg.SessionID = g, s.id
	cfg.DocumentID, cfg.ObjectIdentity, cfg.Selection, cfg.Refs = "", "", nil, nil // a turn's focus says
	if cfg.RequireKernel == nil {
		cfg.RequireKernel = s.fault
	}
	v := &inForce{open: s.face.cfg.Open(cfg)}
	if cfg.RequireKernel == nil {
		cfg.RequireKernel = errNoTurn
	}
	v.idle = s.face.cfg.Open(cfg)
	v.ctx, v.stop = context.WithCancelCause(context.Background())
	s.grant = g
	if old := s.now.Swap(v); old != nil {
		old.stop(errNarrowed)
	}
}

// begin pins the focus of a new turn.
func (s *session) begin(t *turn) {
	t.ctx, t.cancel = context.WithCancelCause(s.face.ctx)
	if t.focus.runID == "" {
		t.focus.runID = "run_" + rand.Text()[:16]
	}
	s.turns = append(s.turns, t)
	if len(s.turns) == 1 {
		s.pinned = t.focus
	}
}

// end takes turns out; the next prompt's turn then is the current one.
func (s *session) end(which func(*turn) bool, cause error) {
	s.turns = slices.DeleteFunc(s.turns, func(t *turn) bool {
		if !which(t) {
			return false
		}
		t.cancel(cause)
		return true
	})
	if len(s.turns) > 0 {
		s.pinned = s.turns[0].focus
	}
}

// revoke ends the session: its ticket opens nothing any more.
func (s *session) revoke(st *state) {
	s.over = true
	delete(st.tickets, s.ticket)
	if st.sessions[s.id] == s {
		delete(st.sessions, s.id)
	}
	s.end(func(*turn) bool { return true }, errTurnOver)
	s.now.Load().stop(errTurnOver)
	for _, r := range s.relays {
		_ = r.Close()
	}
	s.relays = nil
}

// seat is a session as one relay's connection is served with it.
type seat struct{ session *session }

// Call runs a tool for the current turn, with its focus. What the agent says of
// session and run does not count.
func (s seat) Call(ctx context.Context, name string, raw json.RawMessage, meta plugin.Meta) tools.Envelope {
	var turns []*turn
	var split bool
	s.session.face.update(func(*state) {
		about := s.session.about()
		split = s.session.split(about)
		meta.SessionID, meta.RunID = s.session.id, about.runID
		if meta.SessionID == "" {
			meta.SessionID = s.session.handle
		}
		about.fill(&meta)
		meta.PendingFocus = s.session.pending(about)
		turns = slices.Clone(s.session.turns)
	})
	v := s.session.now.Load()
	meta.Confirm = nil
	if len(turns) == 0 {
		if s.session.face.cfg.AnyTime {
			return v.open.Call(ctx, name, raw, meta)
		}
		s.session.face.cfg.Log.Warn().Str("session", s.session.handle).Msg("a call came with no prompt in flight and was refused: this agent may share its MCP servers between sessions")
		return v.idle.Call(ctx, name, raw, meta)
	}
	if meta.TraceParent == "" {
		meta.TraceParent = turns[0].trace
	}
	meta.Confirm = &asking{session: s.session, within: v.ctx}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer during(turns, cancel)()
	if t := turns[0]; t.ctx.Err() != nil { // AfterFunc may take its time
		cancel(context.Cause(t.ctx))
	}
	env := v.open.Call(ctx, name, raw, meta)
	if split {
		env = tellSplit(env, v.open.Lang())
	}
	return env
}

// during ends a call that may be any of these turns': when one of them is
// cancelled, or the last of them is over. forget gives that up.
func during(turns []*turn, cancel context.CancelCauseFunc) (forget func()) {
	var over atomic.Int32
	var stops []func() bool
	for _, t := range turns {
		stops = append(stops, context.AfterFunc(t.ctx, func() {
			cause := context.Cause(t.ctx)
			if all := int(over.Add(1)) == len(turns); all || !errors.Is(cause, errTurnOver) {
				cancel(cause)
			}
		}))
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// about is the focus of a call. Nothing tells which of several prompts in flight
// a call is for: what they do not share is left out, so that a call which relies
// on it is refused and has to name its page.
func (s *session) about() focus {
	f := s.pinned
	for _, t := range s.turns {
		f = f.shared(t.focus)
	}
	return f
}

// pending is the page that the next turn will be about as things stand, where it
// is another than that of the turn in flight.
func (s *session) pending(about focus) string {
	if s.focus.documentID == about.documentID || about.documentID != s.pinned.documentID {
		return ""
	}
	return s.focus.documentID
}

// Delivered says that the answer to a call was written to the relay.
func (s seat) Delivered(id string) { s.session.now.Load().open.Delivered(id) }

// Lang is the language of the texts for people.
func (s seat) Lang() tools.Lang { return s.session.now.Load().open.Lang() }

// ReadOnly reports whether the session may not write, as its scope stands.
func (s seat) ReadOnly() bool { return s.session.now.Load().open.ReadOnly() }

// KnownDocuments lists the pages of the current focus and of the pipeline's
// session.
func (s seat) KnownDocuments() []string {
	var ids []string
	s.session.face.update(func(*state) {
		if id := s.session.pinned.documentID; id != "" && (s.session.grant == nil || s.session.grant.AllowsDocument(id)) {
			ids = append(ids, id)
		}
	})
	for _, id := range s.session.now.Load().open.KnownDocuments() {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
