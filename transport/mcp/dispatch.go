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

// dispatch hands a request to mcp-go's dispatcher, under a small number of ours,
// and takes its answer apart again. Everything that is not hot goes this way:
// negotiation, what is declared, the two eras' differences in lists, prompts and
// completion are the library's, and follow the protocol with it.
func (f *Face) dispatch(ctx context.Context, q *request) stdio.Reply {
	session := f.legacySession
	if q.modern {
		session = &clientSession{id: "modern"} // nothing a modern request says outlives it (M1)
	}
	return f.ask(ctx, q, f.surface().server, session)
}

// ask has one of mcp-go's servers answer a request.
func (f *Face) ask(ctx context.Context, q *request, s *server.MCPServer, session server.ClientSession) stdio.Reply {
	ctx = s.WithContext(context.WithValue(ctx, requestKey{}, q), session)
	switch m := s.HandleMessage(ctx, f.message(q)).(type) {
	case mcp.JSONRPCResponse:
		return f.encode(q, m.Result)
	case mcp.JSONRPCError:
		return stdio.Reply{Fault: f.fault(q, m)}
	default:
		f.cfg.Log.Error().Str("request", q.describe()).Msg("the dispatcher gave no answer")
		return stdio.Reply{Fault: stdio.InternalFault()}
	}
}

// message builds the line that mcp-go reads.
func (f *Face) message(q *request) json.RawMessage {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), strconv.FormatInt(f.numbers.Add(1), 10)...)
	b = append(append(b, `,"method":"`...), q.Method...) // one of serve's own words
	b = append(b, '"')
	if q.Params != nil {
		b = append(append(b, `,"params":`...), q.Params...)
	}
	return append(b, '}')
}

func (f *Face) encode(q *request, result any) stdio.Reply {
	body, err := tools.Compact(result)
	if err != nil {
		f.cfg.Log.Error().Err(err).Str("request", q.describe()).Msg("a result cannot be encoded")
		return stdio.Reply{Fault: stdio.InternalFault()}
	}
	return stdio.Reply{Result: body}
}

// fault takes over mcp-go's error. Params that it cannot decode it calls an
// invalid request, but the request was ours and whole; of an internal error
// nothing is shown.
func (f *Face) fault(q *request, e mcp.JSONRPCError) *stdio.Fault {
	if q.fault != nil {
		return q.fault
	}
	message := q.client.results.Calm(clip(e.Error.Message, 300))
	switch e.Error.Code {
	case mcp.INVALID_REQUEST:
		return stdio.ParamsFault("they do not fit " + q.Method)
	case mcp.INTERNAL_ERROR:
		f.cfg.Log.Error().Str("request", q.describe()).Str("cause", e.Error.Message).Msg("the dispatcher failed")
		return stdio.InternalFault()
	}
	out := &stdio.Fault{Code: e.Error.Code, Message: message}
	if e.Error.Data != nil {
		out.Data, _ = tools.Compact(e.Error.Data)
	}
	return out
}

// initialize shakes hands with a legacy client; a second time it starts anew.
func (f *Face) initialize(ctx context.Context, q *request) stdio.Reply {
	reply := f.dispatch(ctx, q)
	if reply.Fault != nil || q.modern {
		return reply
	}
	var agreed struct {
		Version string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(reply.Result, &agreed); err != nil {
		return stdio.Reply{Fault: stdio.InternalFault()}
	}
	h := f.introduce(agreed.Version, q.params.ClientInfo, q.params.Abilities)
	f.greeted.Store(&h)
	f.ready.Store(false)
	f.announce.begin()
	return reply
}

// clientSession is what mcp-go needs to know of a client. It is never
// registered: mcp-go has nobody to notify but whom we tell it of, and what is
// written when is the peer's to decide.
type clientSession struct {
	id    string
	level atomic.Value // of mcp.LoggingLevel; we log to stderr, whatever it is
}

// Initialize implements server.ClientSession.
func (c *clientSession) Initialize() {}

// Initialized implements server.ClientSession.
func (c *clientSession) Initialized() bool { return true }

// NotificationChannel implements server.ClientSession; nothing is ever sent.
func (c *clientSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }

// SessionID implements server.ClientSession.
func (c *clientSession) SessionID() string { return c.id }

// SetLogLevel implements server.SessionWithLogging.
func (c *clientSession) SetLogLevel(l mcp.LoggingLevel) { c.level.Store(l) }

// GetLogLevel implements server.SessionWithLogging.
func (c *clientSession) GetLogLevel() mcp.LoggingLevel {
	l, _ := c.level.Load().(mcp.LoggingLevel)
	return l
}

var _ server.SessionWithLogging = (*clientSession)(nil)
