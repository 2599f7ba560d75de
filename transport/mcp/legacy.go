package mcp

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// done is the answer of a method that has nothing to say.
func done() stdio.Reply { return stdio.Reply{Result: json.RawMessage(`{}`)} }

// ping says that we are alive.
func (f *Face) ping(context.Context, *request) stdio.Reply { return done() }

// setLevel takes any level of the protocol's. It changes nothing: we log to
// stderr and send no log messages.
func (f *Face) setLevel(_ context.Context, q *request) stdio.Reply {
	var p mcp.SetLevelParams
	if fault := q.decode(&p); fault != nil {
		return stdio.Reply{Fault: fault}
	}
	switch p.Level {
	case mcp.LoggingLevelDebug, mcp.LoggingLevelInfo, mcp.LoggingLevelNotice, mcp.LoggingLevelWarning, mcp.LoggingLevelError,
		mcp.LoggingLevelCritical, mcp.LoggingLevelAlert, mcp.LoggingLevelEmergency:
		return done()
	}
	message := clip("invalid logging level '"+string(p.Level)+"'", 300)
	return stdio.Reply{Fault: &stdio.Fault{Code: stdio.CodeParams, Message: q.client.results.Calm(message)}}
}
