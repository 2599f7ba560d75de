package acp

import (
	"bytes"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// setUp puts our server into a request that sets up a session. A frame that is
// no such request passes as it is.
func (f *Face) setUp(line []byte, h head) []byte {
	if f.cfg.NoServer || !gjson.ValidBytes(line) || h.id == nil {
		f.remember(h, nil)
		return line
	}
	params, _ := whole(line).member("params")
	list, hasList := params.member("mcpServers")
	if !params.IsObject() || hasList && !list.IsArray() && list.Type != gjson.Null || nested(list) {
		f.remember(h, nil)
		return line
	}
	grant, fault, refusal := f.grantFor(string(h.method), params)
	if refusal != nil {
		f.refuse(h.id, tools.AsError(refusal).In(f.cfg.Base.Lang).Message)
		return nil
	}
	t := newTicket()
	s := f.newSession(params, h, grant, fault, t)
	s.server = f.nameFor(list)
	f.tellShared(s)
	return insert(line, f.insertions(s, t, params, list, hasList)...)
}

// refuse answers a setup in the agent's place.
func (f *Face) refuse(id []byte, text string) {
	_ = f.outbox.put(answer(bytes.Clone(id), nil, &jsonrpc2.Error{Code: stdio.CodeParams, Message: "Invalid params: " + text}))
}

// newSession makes the session of a setup, with its ticket: agents start MCP
// servers before they answer.
func (f *Face) newSession(params place, h head, grant *tools.Grant, fault error, t ticket) *session {
	method := string(h.method)
	s := &session{face: f, ticket: t.hash(), fault: fault, preamble: f.cfg.Preamble}
	f.update(func(st *state) {
		st.setups++
		s.handle = fmt.Sprintf("h%d", st.setups)
		s.focus = st.launch
		named := st.sessions[params.text("sessionId")]
		if named != nil && (reopens(method) || method == methodFork) {
			s.focus = named.focus // the person is still there
		}
		if reopens(method) {
			s.id, s.before = params.text("sessionId"), named
			st.sessions[s.id] = s
		}
		s.pinned = s.focus
		s.applyGrant(grant)
		st.tickets[s.ticket] = s
		st.await(pending{method, bytes.Clone(h.id), s})
	})
	return s
}

// insertions are what a setup gains: our server, last in the list, and what the
// agent should know of the session.
func (f *Face) insertions(s *session, t ticket, params, list place, hasList bool) []insertion {
	var edits []insertion
	var members [][]byte
	switch entry := f.entry(s, t); {
	case entry == nil:
		s.server = ""
	case !hasList:
		members = append(members, named("mcpServers", brackets(entry)))
	case list.Type == gjson.Null:
		edits = append(edits, list.replace(brackets(entry)))
	default:
		edits = append(edits, list.append(entry))
	}
	about := named(metaSession, f.about(s))
	switch meta, has := params.member("_meta"); {
	case !has:
		members = append(members, named("_meta", braces(about)))
	case meta.IsObject():
		if _, said := meta.member(metaSession); !said {
			edits = append(edits, meta.append(about))
		}
	case meta.Type == gjson.Null:
		edits = append(edits, meta.replace(braces(about)))
	}
	if prompt := f.systemPrompt(); prompt != nil {
		if _, has := params.member("systemPrompt"); !has {
			members = append(members, named("systemPrompt", prompt))
		}
	}
	if len(members) > 0 {
		edits = append(edits, params.append(members...))
	}
	return edits
}
