package mcp

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// handler is what the peer sees of a face.
type handler struct{ face *Face }

// inline are the requests that wait for nothing: not the kernel, not a
// database. They are answered on the read loop, initialize because all that
// follows depends on it, ping because a client that waits for one takes us for
// dead however many calls are running.
var inline = map[mcp.MCPMethod]bool{
	mcp.MethodInitialize: true, mcp.MethodServerDiscover: true, mcp.MethodPing: true,
	mcp.MethodToolsList: true, mcp.MethodPromptsList: true, mcp.MethodResourcesList: true,
	mcp.MethodResourcesTemplatesList: true, mcp.MethodSetLogLevel: true,
}

// Inline implements stdio.Handler.
func (h handler) Inline(method string) bool { return inline[mcp.MCPMethod(method)] }

// Request implements stdio.Handler.
func (h handler) Request(ctx context.Context, r stdio.Request) stdio.Reply {
	q, fault := h.face.read(r)
	if fault != nil {
		return stdio.Reply{Fault: fault}
	}
	return h.face.serve(ctx, q)
}

// Notification implements stdio.Handler. Every one but initialized is either
// the peer's business (cancelled) or nobody's.
func (h handler) Notification(_ context.Context, r stdio.Request) {
	if r.Method == string(mcp.MethodNotificationInitialized) {
		h.face.ready.Store(true)
		h.face.announce.changed() // what changed since a list was shown could not be said before
	}
}

// serve answers a request: the hot ones here, the rest by the table of dispatch.
func (f *Face) serve(ctx context.Context, q *request) stdio.Reply {
	switch mcp.MCPMethod(q.Method) {
	case mcp.MethodToolsCall:
		return f.callTool(ctx, q)
	case mcp.MethodToolsList:
		return f.listTools(q)
	case mcp.MethodResourcesRead:
		return f.readResource(ctx, q)
	case mcp.MethodSubscriptionsListen:
		if q.modern {
			return f.listen(ctx, q)
		}
	}
	return f.dispatch(ctx, q)
}
