package mcp

import (
	"context"
	"encoding/json"
	"strconv"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// dispatcher is one of mcp-go's servers behind a face's own reading and loop. The
// conformance suite's fixtures are served by one, and what the face answers by
// itself is held against another (reference_test.go).
type dispatcher struct {
	face *Face
	// numbers are the ids that mcp-go sees: it reads an id as a float64.
	numbers atomic.Int64
}

// served is the request that a handler below mcp-go serves.
type served struct {
	*request
	// fault is what the handler wants answered: mcp-go would send an error's own
	// text as an internal error.
	fault *stdio.Fault
}

// servedKey is the context key of a served request.
type servedKey struct{}

func servedOf(ctx context.Context) *served {
	s, _ := ctx.Value(servedKey{}).(*served)
	return s
}

// ask has the server answer a request under a number of ours.
func (d *dispatcher) ask(ctx context.Context, q *request, s *server.MCPServer, session server.ClientSession) stdio.Reply {
	below := &served{request: q}
	ctx = s.WithContext(context.WithValue(ctx, servedKey{}, below), session)
	switch m := s.HandleMessage(ctx, d.message(q)).(type) {
	case mcp.JSONRPCResponse:
		body, err := tools.Compact(m.Result)
		if err != nil {
			return stdio.Reply{Fault: stdio.InternalFault()}
		}
		return stdio.Reply{Result: body}
	case mcp.JSONRPCError:
		return stdio.Reply{Fault: below.fail(m)}
	}
	return stdio.Reply{Fault: stdio.InternalFault()}
}

// message builds the line that mcp-go reads.
func (d *dispatcher) message(q *request) json.RawMessage {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), strconv.FormatInt(d.numbers.Add(1), 10)...)
	b = append(append(b, `,"method":`...), strconv.Quote(q.Method)...)
	if q.Params != nil {
		b = append(append(b, `,"params":`...), q.Params...)
	}
	return append(b, '}')
}

// fail takes over mcp-go's error. Params that it cannot decode it calls an
// invalid request, but the request was ours and whole.
func (s *served) fail(e mcp.JSONRPCError) *stdio.Fault {
	if s.fault != nil {
		return s.fault
	}
	switch e.Error.Code {
	case mcp.INVALID_REQUEST:
		return stdio.ParamsFault("they do not fit " + s.Method)
	case mcp.INTERNAL_ERROR:
		return stdio.InternalFault()
	}
	out := &stdio.Fault{Code: e.Error.Code, Message: s.client.results.Calm(clip(e.Error.Message, 300))}
	if e.Error.Data != nil {
		out.Data, _ = tools.Compact(e.Error.Data)
	}
	return out
}

// seat is what mcp-go needs to know of a client. It is never registered: what is
// written when is the peer's to decide.
type seat struct {
	id    string
	level atomic.Value // of mcp.LoggingLevel
}

// Initialize implements server.ClientSession.
func (c *seat) Initialize() {}

// Initialized implements server.ClientSession.
func (c *seat) Initialized() bool { return true }

// NotificationChannel implements server.ClientSession; nothing is ever sent.
func (c *seat) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }

// SessionID implements server.ClientSession.
func (c *seat) SessionID() string { return c.id }

// SetLogLevel implements server.SessionWithLogging.
func (c *seat) SetLogLevel(l mcp.LoggingLevel) { c.level.Store(l) }

// GetLogLevel implements server.SessionWithLogging.
func (c *seat) GetLogLevel() mcp.LoggingLevel {
	l, _ := c.level.Load().(mcp.LoggingLevel)
	return l
}

var _ server.SessionWithLogging = (*seat)(nil)
