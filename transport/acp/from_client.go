package acp

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// fromClient decides for the lines of the client.
type fromClient struct {
	*Face
	watcher *watcher
}

// judge looks for the few methods that mean something to the host.
func (f *fromClient) judge(b []byte, all bool) verdict {
	if kindOf(b) != '{' {
		return f.odd(b)
	}
	h := lookAt(b, false)
	switch {
	case h.method == nil && h.answer && h.id != nil:
		if bytes.HasPrefix(h.id, []byte(f.prefix)) {
			return take
		}
		return pass
	case h.method == nil && !all:
		return more
	case h.method == nil:
		return pass
	}
	return f.request(b, h, all)
}

// odd passes what is no single message: the agent owns the error.
func (f *fromClient) odd(b []byte) verdict {
	if kindOf(b) == '[' {
		f.cfg.Log.Warn().Msg("the client sent a batch: it passes as it is, without MNote's tools")
	}
	return pass
}

// request acts on a request or notification whose bytes do not change, and takes
// the others.
func (f *fromClient) request(b []byte, h head, all bool) verdict {
	method := string(h.method)
	switch {
	case setsUp(method), forUs(method):
		return take // the whole line, however long
	case method == methodPrompt && f.preambleDue():
		return take
	case method == methodPrompt && !all:
		f.watcher = &watcher{seen: f.promptSeen, leads: f.leads}
		return watch
	case !all && h.id == nil && method != methodCancel:
		return pass // streamed: its answer will be nobody's business
	}
	if !all {
		f.remember(h, nil)
		return pass
	}
	f.note(b, h, method)
	return pass
}

// note takes from a whole frame what it means for the state.
func (f *fromClient) note(line []byte, h head, method string) {
	switch method {
	case methodInitialize, methodPrompt, methodCancel, methodCancelRequest, methodClose, methodDelete:
		if !gjson.ValidBytes(line) {
			return
		}
	default:
		f.remember(h, nil)
		return
	}
	params, _ := whole(line).member("params")
	switch method {
	case methodInitialize:
		f.initialize(params)
	case methodPrompt:
		f.prompt(h.id, params)
		return
	case methodCancel:
		f.cancelTurns(params.text("sessionId"))
	case methodCancelRequest:
		f.cancelRequest(params)
	}
	f.remember(h, params.named("sessionId", f))
}

// remember keeps a request until its answer.
func (f *Face) remember(h head, s *session) {
	if h.id == nil {
		return
	}
	f.update(func(st *state) { st.await(pending{string(h.method), bytes.Clone(h.id), s}) })
}

// initialize notes whether the client wants to know of MNote.
func (f *Face) initialize(params place) {
	_, v1 := params.path("clientCapabilities", "_meta", metaMNote)
	_, v2 := params.path("capabilities", "_meta", metaMNote)
	f.update(func(st *state) { st.asked = v1 || v2 })
}

// prompt begins a turn: its focus is set before the agent sees the prompt.
func (f *Face) prompt(id []byte, params place) {
	meta, _ := params.member("_meta")
	blocks, _ := params.member("prompt")
	f.beginTurn(id, params.text("sessionId"), meta, linked(blocks.Result, f.leads))
}

// promptSeen is prompt for a frame too long to be held.
func (f *fromClient) promptSeen(w *watcher) {
	f.beginTurn(w.id, gjson.ParseBytes(w.sessionID).Str, place{0, gjson.ParseBytes(w.meta)}, w.links)
}

// leads reports whether a link leads to a page.
func (f *Face) leads(uri string) bool {
	_, ok := pageOf(uri, f.cfg.Base)
	return ok
}

// told is the focus that a prompt's _meta says.
func (f *Face) told(meta place) (said focus, ok bool) {
	context, has := meta.member(metaContext)
	if !has {
		return focus{}, false
	}
	said, err := readFocus(context.Result)
	if err != nil {
		f.cfg.Log.Warn().Msg("the prompt's " + metaContext + " is ignored: " + err.Error())
	}
	return said, err == nil
}

func (f *Face) beginTurn(id []byte, sessionID string, meta place, links []string) {
	said, ok := f.told(meta)
	said, ok = said.follow(links, ok, f.cfg.Base)
	f.update(func(st *state) {
		s := st.sessions[sessionID]
		if s == nil {
			return
		}
		t := &turn{focus: s.focus, trace: meta.text("traceparent")}
		if ok {
			f.checkFocus(s, said)
			t.focus, s.focus = said, newer(s.focus, said)
		}
		if id != nil {
			t.key = key(id)
			st.await(pending{methodPrompt, bytes.Clone(id), s})
			s.begin(t)
		} else if len(s.turns) == 0 {
			s.pinned = t.focus
		}
		s.focus.runID = "" // a run is one turn's
	})
}

// checkFocus tells of a focus that the scope does not reach. The pipeline then
// knows of no page.
func (f *Face) checkFocus(s *session, said focus) {
	if said.documentID != "" && s.grant != nil && !s.grant.AllowsDocument(said.documentID) {
		f.cfg.Log.Warn().Str("session", s.handle).Msg("the client's focus is outside of the session's scope and is dropped")
	}
}

// cancelTurns ends what the host itself does for a session's turns.
func (f *Face) cancelTurns(sessionID string) {
	f.update(func(st *state) {
		if s := st.sessions[sessionID]; s != nil {
			for _, t := range s.turns {
				t.cancel(errTurnCancelled)
			}
		}
	})
}

// cancelRequest does the same for the one prompt that is cancelled by its id.
func (f *Face) cancelRequest(params place) {
	id, ok := params.member("requestId")
	if !ok {
		return
	}
	f.update(func(st *state) {
		p, ok := st.pending[key([]byte(id.Raw))]
		if !ok || p.session == nil {
			return
		}
		for _, t := range p.session.turns {
			if t.key == key(p.id) {
				t.cancel(errTurnCancelled)
			}
		}
	})
}

// take edits or keeps a whole line.
func (f *fromClient) take(line []byte) []byte {
	h := lookAt(line, false)
	switch method := string(h.method); {
	case h.method == nil:
		f.calls.Answer(h.id, line)
		return nil
	case forUs(string(h.method)):
		f.desk.serve(line, h)
		return nil
	case method == methodPrompt:
		return f.withPreamble(line, h)
	default:
		return f.setUp(line, h)
	}
}

// watch shows a long prompt to its watcher.
func (f *fromClient) watch(piece []byte) { f.watcher.see(piece) }

// named finds the session that a member of the params names.
func (p place) named(member string, f *fromClient) (s *session) {
	f.update(func(st *state) { s = st.sessions[p.text(member)] })
	return s
}
