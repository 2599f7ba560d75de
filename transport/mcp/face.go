package mcp

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
)

// Session is what the face needs of a plugin.Session.
type Session interface {
	// Call runs one tool and always answers with an envelope.
	Call(ctx context.Context, name string, raw json.RawMessage, meta plugin.Meta) tools.Envelope
	// Delivered says that the answer to a call was written out.
	Delivered(toolCallID string)
	// ReadOnly reports whether the session may not write.
	ReadOnly() bool
	// KnownDocuments lists the documents that the session knows, for completion.
	KnownDocuments() []string
}

// Registry is what the face needs of a capabilities.Registry.
type Registry interface {
	Snapshot() *capabilities.Snapshot
	Subscribe(f func()) (cancel func())
}

// Config makes a Face. Session and Registry must be set; everything else has a
// zero value that works.
type Config struct {
	Session  Session
	Registry Registry
	// Client is the client named at launch; its zero value is the generic one,
	// and then clientInfo may change how a result is written.
	Client clients.Client
	// Version is this program's, for serverInfo.
	Version string
	// MaxResult is the longest result in bytes of JSON; 0 is 15,000, a negative
	// number no limit.
	MaxResult int
	// OutputSchema advertises an outputSchema with each tool, where the client
	// takes one.
	OutputSchema bool
	// MaxLine is the longest line read, in bytes; 0 is stdio's own limit.
	MaxLine int
	// Rand makes the secret that binds a person's answer to its call; nil is
	// crypto/rand.
	Rand io.Reader
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log gets what goes wrong in the protocol, never a param or a result.
	Log zerolog.Logger
}

// Face speaks MCP on one connection.
type Face struct {
	cfg Config
}

// New makes a face. It does no I/O.
func New(cfg Config) *Face { return &Face{cfg: cfg} }

// Run serves the connection until the client's side ends and what it asked for
// is answered, or ctx ends. It is called once.
func (f *Face) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	<-ctx.Done()
	return nil
}
