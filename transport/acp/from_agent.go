package acp

import (
	"bytes"

	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// fromAgent decides for the lines of the agent.
type fromAgent struct{ *Face }

// judge looks for the answers that change the state. Lines that are no JSON do
// not belong on the agent's stdout, and clients break on them.
func (f *fromAgent) judge(b []byte, all bool) verdict {
	switch kindOf(b) {
	case '{':
	case '[':
		return pass
	case 0:
		if !all {
			return more
		}
		fallthrough
	default:
		if f.cfg.PassNoise {
			return pass
		}
		return take
	}
	h := lookAt(b, true)
	switch {
	case h.method != nil:
		f.idle(b, h, all)
		return pass
	case h.id == nil && !all:
		return more
	case h.id == nil:
		return pass
	}
	return f.answer(b, h, all)
}

// answer acts on the answer to a remembered request.
func (f *fromAgent) answer(b []byte, h head, all bool) verdict {
	var p pending
	known := false
	f.update(func(st *state) { p, known = st.pending[key(h.id)] })
	switch {
	case !known:
		return pass
	case !h.answer && !all:
		return more // it may be a request with the same id
	case !h.answer:
		return pass
	case p.method == methodInitialize:
		if !all {
			return more
		}
		return take
	case setsUp(p.method) && !all:
		return more
	}
	f.update(func(st *state) {
		if p, known = st.answered(key(h.id)); known {
			f.settleAnswer(st, p, b, h.failed)
		}
	})
	return pass
}

// settleAnswer changes the state as an answer says.
func (f *fromAgent) settleAnswer(st *state, p pending, line []byte, failed bool) {
	switch {
	case p.session == nil:
	case setsUp(p.method):
		id, known := "", true
		if gjson.ValidBytes(line) {
			id = whole(line).text("result", "sessionId")
			code, _ := whole(line).path("error", "code")
			known = code.Int() != stdio.CodeMethod
		}
		if failed && known {
			f.cfg.Log.Warn().Msg("the agent refused to set up a session; if it does so because of MNote's MCP server, start with --inject=off")
		}
		f.settle(st, p, id, failed)
	case p.method == methodPrompt && st.version == 2 && !failed:
		p.session.acknowledge(key(p.id))
	case p.method == methodPrompt:
		p.session.end(func(t *turn) bool { return t.key == key(p.id) }, errTurnOver)
	case (p.method == methodClose || p.method == methodDelete) && !failed:
		p.session.revoke(st)
	}
}

// acknowledge notes that a v2 prompt was taken: the turn ends when the agent is
// idle.
func (s *session) acknowledge(k string) {
	for _, t := range s.turns {
		if t.key == k {
			t.acknowledged = true
		}
	}
}

// idle ends the turns of a v2 agent that says it has nothing more to do.
func (f *fromAgent) idle(b []byte, h head, all bool) {
	if !all || string(h.method) != methodUpdate || !bytes.Contains(b, []byte("state_update")) {
		return
	}
	f.update(func(st *state) {
		if st.version != 2 || !gjson.ValidBytes(b) {
			return
		}
		params, _ := whole(b).member("params")
		s := st.sessions[params.text("sessionId")]
		if s != nil && params.text("update", "sessionUpdate") == "state_update" && params.text("update", "state") == "idle" {
			s.end(func(t *turn) bool { return t.acknowledged }, errTurnOver)
		}
	})
}

// take keeps noise from the client, and answers initialize with what the client
// asked to know.
func (f *fromAgent) take(line []byte) []byte {
	if kindOf(line) != '{' {
		f.noise(line)
		return nil
	}
	h := lookAt(line, false)
	asked := false
	f.update(func(st *state) {
		if _, known := st.answered(key(h.id)); known && !h.failed && gjson.ValidBytes(line) {
			asked = st.asked
			result, _ := whole(line).member("result")
			st.negotiated(result)
		}
	})
	if !asked {
		return line
	}
	return f.introduce(line)
}

// negotiated notes what an agent said of itself.
func (s *state) negotiated(result place) {
	if v, ok := result.member("protocolVersion"); ok {
		s.version = int(v.Int())
	}
	prompt, v1 := result.path("agentCapabilities", "sessionCapabilities", "systemPrompt")
	if s.version == 2 {
		server, has := result.path("capabilities", "session", "mcp", "stdio")
		s.noStdio = !has || server.Type == gjson.Null
		prompt, v1 = result.path("capabilities", "session", "systemPrompt")
	}
	s.systemPrompt = v1 && prompt.IsObject()
}

// introduction is what a client learns of us when it asked.
var introduction = []byte(`{"context":1,"methods":{"contextUpdate":"` + methodContextUpdate + `","scopeUpdate":"` + methodScopeUpdate + `"}}`)

// introduce says in an initialize result that MNote is here.
func (f *Face) introduce(line []byte) []byte {
	result, _ := whole(line).member("result")
	if !result.IsObject() {
		return line
	}
	name := "agentCapabilities"
	f.update(func(st *state) {
		if st.version == 2 {
			name = "capabilities"
		}
	})
	ours := named(metaMNote, introduction)
	at := result
	for _, step := range []string{name, "_meta"} {
		next, has := at.member(step)
		switch {
		case !has && step == name:
			return insert(line, at.append(named(name, braces(named("_meta", braces(ours))))))
		case !has:
			return insert(line, at.append(named(step, braces(ours))))
		case !next.IsObject():
			return line // the agent's own affair
		}
		at = next
	}
	if _, said := at.member(metaMNote); said {
		return line
	}
	return insert(line, at.append(ours))
}

// noise shows a line of the agent that is no message where it belongs.
func (f *fromAgent) noise(line []byte) {
	line = bytes.TrimRight(line, "\r\n")
	_, _ = f.cfg.Noise.Write(append(append([]byte("agent: "), line...), '\n'))
}

// watch is never asked for in this direction.
func (f *fromAgent) watch([]byte) {}
