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
// launch gave. A scope that cannot be read grants nothing. With one scope a
// process, what was narrowed since then stays so.
func (f *Face) grantFor(params place) (grant *tools.Grant, fault error, ok bool) {
	ok = true
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
		return grant, fault, ok
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
	return grant, fault, ok
}

// unreadable tells, and refuses every call with, what is wrong in a scope.
func (f *Face) unreadable(err error) error {
	why := shortened(err)
	f.cfg.Log.Warn().Msg("a session's " + metaScope + " cannot be read, so the session may do nothing: " + why)
	return tools.Errorf(tools.CodePermissionDenied, tools.Text{
		ZH: "这个会话什么也不许做，因为客户端给的 %[1]s 读不懂：%[2]s",
		EN: "this session may do nothing, because the client's %[1]s cannot be read: %[2]s",
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
var otherScope = tools.Text{
	ZH: "这个 agent 进程已经在用另一个授权范围，而 agent 可能在会话之间共用 MCP 服务器：请为这个范围另外启动一个 mnote-host acp（已知会隔离会话的 agent 也可以用 --single-scope=off）",
	EN: "this agent process already serves another scope, and agents may share their MCP servers between sessions: start another mnote-host acp for this one (or, for an agent known to keep them apart, --single-scope=off)",
}

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
