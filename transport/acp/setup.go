package acp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// serverName is what our MCP server is called where nothing speaks against it.
const serverName = "mnote"

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
	grant, ok := f.grantFor(params)
	if !ok {
		f.refuse(h.id, otherScope.In(f.cfg.Base.Lang))
		return nil
	}
	t := newTicket()
	s := f.newSession(params, h, grant, t)
	s.server = f.nameFor(list)
	return insert(line, f.insertions(s, t, params, list, hasList)...)
}

// nested reports whether a wrapper like this one has been here before.
func nested(list place) (found bool) {
	list.ForEach(func(_, v gjson.Result) bool {
		found = strings.HasPrefix(v.Get("name").String(), serverName) && ourCommand(v.Get("command").String())
		return !found
	})
	return found
}

func ourCommand(command string) bool {
	name := path.Base(strings.ReplaceAll(command, `\`, "/"))
	return strings.TrimSuffix(name, ".exe") == "mnote-host"
}

// grantFor finds what a new session may do: what the client asks for of what the
// launch gave. A scope that cannot be read grants nothing. With one scope a
// process, what was narrowed since then stays so.
func (f *Face) grantFor(params place) (grant *tools.Grant, ok bool) {
	ok = true
	grant = f.cfg.Base.Grant
	if scope, asked := params.path("_meta", metaScope); asked {
		g, parseErr := tools.ParseGrant([]byte(scope.Raw))
		if parseErr != nil {
			g = tools.Grant{Level: tools.LevelNone}
		}
		g = plugin.Narrow(grant, g)
		grant = &g
	}
	if f.cfg.ManyScopes {
		return grant, ok
	}
	f.update(func(st *state) {
		switch {
		case !st.settled:
			st.settled, st.first, st.bound = true, grant, grant
		case !sameScope(st.first, grant):
			ok = false
		}
		grant = st.bound
	})
	return grant, ok
}

// otherScope refuses a second scope in one agent process.
var otherScope = tools.Text{
	ZH: "这个 agent 进程已经在用另一个授权范围，而 agent 可能在会话之间共用 MCP 服务器：请为这个范围另外启动一个 mnote-host acp（已知会隔离会话的 agent 也可以用 --single-scope=off）",
	EN: "this agent process already serves another scope, and agents may share their MCP servers between sessions: start another mnote-host acp for this one (or, for an agent known to keep them apart, --single-scope=off)",
}

// sameScope compares two grants; the order of a list says nothing.
func sameScope(a, b *tools.Grant) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(marshal(sorted(*a)), marshal(sorted(*b)))
}

func sorted(g tools.Grant) tools.Grant {
	g.DocumentIDs, g.ResourceIDs, g.Scopes = slices.Sorted(slices.Values(g.DocumentIDs)), slices.Sorted(slices.Values(g.ResourceIDs)), slices.Sorted(slices.Values(g.Scopes))
	return g
}

// refuse answers a setup in the agent's place.
func (f *Face) refuse(id []byte, text string) {
	_ = f.outbox.put(answer(bytes.Clone(id), nil, &jsonrpc2.Error{Code: stdio.CodeParams, Message: "Invalid params: " + text}))
}

// newSession makes the session of a setup, with its ticket: agents start MCP
// servers before they answer.
func (f *Face) newSession(params place, h head, grant *tools.Grant, t ticket) *session {
	method := string(h.method)
	s := &session{face: f, ticket: t.hash(), preamble: f.cfg.Preamble}
	f.update(func(st *state) {
		st.setups++
		s.handle = fmt.Sprintf("h%d", st.setups)
		s.focus = st.launch
		if reopens(method) {
			s.id = params.text("sessionId")
			if s.before = st.sessions[s.id]; s.before != nil {
				s.focus = s.before.focus
			}
			st.sessions[s.id] = s
		}
		s.pinned = s.focus
		s.applyGrant(grant)
		st.tickets[s.ticket] = s
		st.await(pending{method, bytes.Clone(h.id), s})
	})
	return s
}

// nameFor finds a free name. Where an agent keys its servers by name, each setup
// of its process has one of its own.
func (f *Face) nameFor(list place) string {
	taken := map[string]bool{}
	list.ForEach(func(_, v gjson.Result) bool {
		taken[v.Get("name").String()] = true
		return true
	})
	name := serverName
	if taken[name] {
		name = "mnote_host"
	}
	n := 1
	if !f.cfg.Client.ACP.Isolates {
		f.update(func(st *state) { n = st.setups })
	}
	free := numbered(name, n)
	for ; taken[free]; n++ {
		free = numbered(name, n+1)
	}
	return free
}

func numbered(name string, n int) string {
	if n <= 1 {
		return name
	}
	return fmt.Sprintf("%s_%d", name, n)
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

func brackets(b []byte) []byte { return append(append([]byte{'['}, b...), ']') }

func braces(b []byte) []byte { return append(append([]byte{'{'}, b...), '}') }

// variable is an environment variable in an mcpServers element.
type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// entry is our element of mcpServers, exactly as the negotiated version has it:
// one that is not is dropped without a word by some agents and fails the setup
// in others. It is nil where the agent starts no stdio servers.
func (f *Face) entry(s *session, t ticket) []byte {
	var version int
	var no bool
	f.update(func(st *state) { version, no = st.version, st.noStdio })
	if f.door == nil {
		return nil
	}
	if no {
		f.cfg.Log.Warn().Msg("this agent starts no MCP servers over stdio: its sessions get no tools of MNote's")
		return nil
	}
	kind := ""
	if version == 2 {
		kind = "stdio"
	}
	return marshal(struct {
		Type    string     `json:"type,omitempty"`
		Name    string     `json:"name"`
		Command string     `json:"command"`
		Args    []string   `json:"args"`
		Env     []variable `json:"env"`
	}{kind, s.server, f.cfg.Self, []string{"mcp", "--attach"}, []variable{
		{VarSocket, f.door.path}, {VarTicket, string(t)},
	}})
}

// marshal encodes what we made ourselves, without touching < and >.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// narrow takes away from a session what a client no longer gives it.
func (f *Face) narrow(st *state, s *session, asked tools.Grant) {
	g := plugin.Narrow(s.grant, asked)
	if f.cfg.ManyScopes {
		s.applyGrant(&g)
		return
	}
	st.bound = &g
	for _, s := range st.tickets {
		s.applyGrant(&g)
	}
}

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
