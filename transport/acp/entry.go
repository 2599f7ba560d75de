package acp

import (
	"fmt"
	"path"
	"strings"

	"github.com/tidwall/gjson"
)

// serverName is what our MCP server is called where nothing speaks against it.
const serverName = "mnote"

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

// tellShared tells, once, what a second session means to an agent that keys its
// MCP servers by name.
func (f *Face) tellShared(s *session) {
	tell := false
	f.update(func(st *state) {
		tell = !f.cfg.Client.ACP.Isolates && st.setups > 1 && !st.toldShared
		st.toldShared = st.toldShared || tell
	})
	if tell {
		f.cfg.Log.Warn().Str("session", s.handle).Str("server", s.server).
			Msg("this agent may share its MCP servers between its sessions: each session's has a name of its own, and its model may call another session's")
	}
}

func numbered(name string, n int) string {
	if n <= 1 {
		return name
	}
	return fmt.Sprintf("%s_%d", name, n)
}
