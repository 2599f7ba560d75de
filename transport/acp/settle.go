package acp

import (
	"cmp"
	"time"
)

// settle acts on the agent's answer to a setup.
func (f *Face) settle(st *state, p pending, id string, failed bool) {
	s := p.session
	if failed {
		s.revoke(st)
		if b := s.before; b != nil && !b.over {
			st.sessions[b.id] = b
		}
		return
	}
	if s.before != nil {
		s.before.revoke(st)
		st.sessions[s.id] = s
		s.before = nil
	}
	if s.id == "" && id != "" {
		s.id = id
		if old := st.sessions[id]; old != nil && old != s {
			old.revoke(st)
		}
		st.sessions[id] = s
		s.applyGrant(s.grant) // under its name
	}
	if s.server != "" {
		time.AfterFunc(f.cfg.Quiet, func() { f.checkGreeted(s) })
	}
}

// checkGreeted tells of an agent that never started our server.
func (f *Face) checkGreeted(s *session) {
	silent := false
	f.update(func(*state) { silent = !s.greeted && !s.over })
	if silent && f.ctx.Err() == nil {
		hint := cmp.Or(f.cfg.Client.ACP.Silent, "does it take MCP servers from its client?")
		f.cfg.Log.Warn().Str("session", s.handle).Str("server", s.server).Msg("the agent has not started MNote's MCP server: " + hint)
	}
}
