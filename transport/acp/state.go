package acp

import (
	"slices"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// maxPending is how many requests of the client are remembered at once.
const maxPending = 4096

// state is all that the face knows of the conversation. Only the face's mutex
// guards it; the pumps change it before the bytes that changed it go on.
type state struct {
	// version is the protocol's, negotiated; 0 before the agent's answer.
	version int
	// noStdio says that a v2 agent starts no stdio servers; systemPrompt that the
	// agent takes one with a setup.
	noStdio, systemPrompt bool
	// asked says that the client wants to know what of MNote is here.
	asked bool
	// pending are the client's requests without an answer, by id.
	pending map[string]pending
	// order lists the ids of pending, oldest first.
	order []string
	// sessions are those set up, by ACP's id; tickets lead to them too.
	sessions map[string]*session
	tickets  map[stub]*session
	// setups counts the requests that set up a session.
	setups int
	// toldShared says that the log has told of sessions that may share servers.
	toldShared bool
	// With one scope a process, first is the one that the first setup with a scope
	// that can be read asked for, once settled, and bound what is left of it. nil is
	// everything.
	first, bound *tools.Grant
	settled      bool
	// launch is the focus before any client said one.
	launch focus
	// questions counts what the pipeline asked a person.
	questions int
}

// pending is a request of the client that the agent has not answered.
type pending struct {
	method  string
	id      []byte // raw
	session *session
}

func newState(base plugin.SessionConfig) state {
	return state{
		pending: map[string]pending{}, sessions: map[string]*session{}, tickets: map[stub]*session{},
		launch: launchFocus(base),
	}
}

// await remembers a request until its answer. One too many drops the oldest,
// which then passes unnoticed.
func (s *state) await(p pending) {
	k := key(p.id)
	if _, twice := s.pending[k]; !twice {
		s.order = append(s.order, k)
	}
	s.pending[k] = p
	if len(s.pending) > maxPending {
		delete(s.pending, s.order[0])
		s.order = s.order[1:]
	}
}

// answered takes a request out.
func (s *state) answered(k string) (pending, bool) {
	p, ok := s.pending[k]
	if ok {
		delete(s.pending, k)
		if i := slices.Index(s.order, k); i >= 0 {
			s.order = slices.Delete(s.order, i, i+1)
		}
	}
	return p, ok
}

// update is the only code that touches the state.
func (f *Face) update(change func(*state)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.state)
}
