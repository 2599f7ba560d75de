package acp

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// grantFor finds what a new session may do: what the client asks for of what the
// launch gave. A scope that cannot be read grants nothing, and fault says so.
// With one scope a process, what was narrowed since then stays so, and a refusal
// says why there can be no such session.
func (f *Face) grantFor(method string, params place) (grant *tools.Grant, fault, refusal error) {
	grant = f.cfg.Base.Grant
	if scope, asked := params.path("_meta", metaScope); asked {
		g, err := tools.ReadGrant([]byte(scope.Raw))
		if err != nil {
			g = tools.Grant{Level: tools.LevelNone}
			fault = f.unreadable(err)
		}
		g = plugin.Narrow(grant, g)
		grant = &g
	}
	if f.cfg.ManyScopes {
		return grant, fault, nil
	}
	f.update(func(st *state) {
		if refusal = st.bind(method, params, grant, fault); refusal == nil && fault == nil {
			grant = st.bound
		}
	})
	return grant, fault, refusal
}

// bind holds a setup against the one scope of the process, which is that of the
// first setup whose scope can be read. A session with another one lives in the
// same agent until it is closed, and might use what the scope allows.
func (s *state) bind(method string, params place, grant *tools.Grant, fault error) error {
	switch {
	case fault != nil && s.settled:
		return fault
	case fault != nil:
		return nil
	case s.hasUnreadable(method, params):
		return besideUnreadable
	case !s.settled:
		s.settled, s.first, s.bound = true, grant, grant
	case !sameScope(s.first, grant):
		return otherScope
	}
	return nil
}

// hasUnreadable reports whether a session lives whose scope could not be read,
// other than the one that a setup opens again.
func (s *state) hasUnreadable(method string, params place) bool {
	for _, each := range s.tickets {
		if each.fault != nil && !(reopens(method) && each.id == params.text("sessionId")) {
			return true
		}
	}
	return false
}

// unreadable tells, and refuses every call with, what is wrong in a scope.
func (f *Face) unreadable(err error) error {
	why := shortened(err)
	f.cfg.Log.Warn().Msg("a session's " + metaScope + " cannot be read, so the session may do nothing: " + why)
	return tools.Errorf(tools.CodePermissionDenied, tools.Text{
		ZH: "这个会话什么也不许做，因为客户端给的 %[1]s 读不懂：%[2]s。改好它，再重新建立会话",
		EN: "this session may do nothing, because the client's %[1]s cannot be read: %[2]s. Mend it and set the session up again",
	}, metaScope, why)
}

// shortened bounds the text of an error that quotes the client.
func shortened(err error) string {
	const most = 300
	text := err.Error()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// otherScope refuses a second scope in one agent process.
var otherScope = tools.Errorf(tools.CodePermissionDenied, tools.Text{
	ZH: "这个 agent 进程已经在用另一个授权范围，而 agent 可能在会话之间共用 MCP 服务器：请为这个范围另外启动一个 mnote-host acp（已知会隔离会话的 agent 也可以用 --single-scope=off）",
	EN: "this agent process already serves another scope, and agents may share their MCP servers between sessions: start another mnote-host acp for this one (or, for an agent known to keep them apart, --single-scope=off)",
})

// besideUnreadable refuses a scope beside a session whose own could not be read:
// nobody knows how much narrower that was meant.
var besideUnreadable = tools.Errorf(tools.CodePermissionDenied, tools.Text{
	ZH: "这个 agent 进程里还有一个会话，它的 mnote/scope 读不懂，所以什么也不许做，而 agent 可能在会话之间共用 MCP 服务器：请先关闭那个会话（session/close），或用改好的 mnote/scope 重新载入它（session/load），或重新启动 mnote-host acp",
	EN: "this agent process has a session whose mnote/scope cannot be read, so that it may do nothing, and agents may share their MCP servers between sessions: close that session first (session/close), or load it again with an mnote/scope that is mended (session/load), or start mnote-host acp again",
})

// sameScope compares two grants; the order of a list says nothing, that there is
// one says that there is nothing else.
func sameScope(a, b *tools.Grant) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(marshal(sorted(*a)), marshal(sorted(*b)))
}

func sorted(g tools.Grant) tools.Grant {
	g.DocumentIDs, g.Scopes = inOrder(g.DocumentIDs), inOrder(g.Scopes)
	g.ResourceIDs = inOrder(append([]string{}, g.ResourceIDs...)) // absent is empty
	return g
}

// inOrder keeps an empty list, which allows nothing, apart from none, which
// allows all.
func inOrder[T cmp.Ordered](list []T) []T {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
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
