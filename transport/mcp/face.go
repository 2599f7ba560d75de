package mcp

import (
	"context"
	"encoding/json"
	"io"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// Session is what the face needs of a plugin.Session.
type Session interface {
	// Call runs one tool and always answers with an envelope.
	Call(ctx context.Context, name string, raw json.RawMessage, meta plugin.Meta) tools.Envelope
	// Delivered says that the answer to a call was written out.
	Delivered(toolCallID string)
	// Lang is the language of the texts for people.
	Lang() tools.Lang
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
	// NameSkills ends each tool's description with the skill to read first, for
	// agents that show their model nothing else of a server: those of ACP.
	NameSkills bool
	// Shut is why every call of the session is refused, for the instructions; nil
	// where calls may pass.
	Shut error
	// MaxLine is the longest line read, in bytes; 0 is stdio's own limit.
	MaxLine int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log gets what goes wrong in the protocol, never a param or a result.
	Log zerolog.Logger
}

// Face speaks MCP on one connection.
type Face struct {
	cfg    Config
	client clients.Client
	now    func() time.Time
	peer   *stdio.Peer
	seal   *seal

	// serverInfo is who we are, as JSON; identity the _meta that says so, and
	// stamp what every complete modern result opens with.
	serverInfo, identity, stamp string

	// greeted is what a legacy client said of itself at initialize.
	greeted atomic.Pointer[handshake]
	// ready is true after notifications/initialized.
	ready atomic.Bool
	// shown is the surface of the last snapshot asked for.
	shown    atomic.Pointer[surface]
	announce *announcer
	// spare is the memory of answers that were written.
	spare buffers
}

// New makes a face. It does no I/O.
func New(cfg Config) *Face {
	f := &Face{cfg: cfg, client: cfg.Client, now: cfg.Now}
	if cfg.Client.Name == "" {
		f.client = clients.Generic()
	}
	if f.now == nil {
		f.now = time.Now
	}
	f.seal = newSeal(f.now)
	f.serverInfo = `{"name":"` + serverName + `","version":` + string(appendText(nil, cfg.Version)) + `,"title":"` + serverTitle + `"}`
	f.identity = `"_meta":{"` + mcp.MetaKeyServerInfo + `":` + f.serverInfo + `}`
	f.stamp = f.identity + `,"resultType":"` + string(mcp.ResultTypeComplete) + `"`
	f.greeted.Store(&handshake{results: f.client.Results})
	f.announce = &announcer{face: f}
	return f
}

// Run serves the connection until the client's side ends and what it asked for
// is answered, or ctx ends. It is called once.
func (f *Face) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	return f.runBy(ctx, in, out, handler{f})
}

// runBy serves by a handler, which the tests put in front of the face's own.
func (f *Face) runBy(ctx context.Context, in io.Reader, out io.Writer, h stdio.Handler) error {
	f.peer = stdio.NewPeer(stdio.Config{
		In: in, Out: out, Handler: h, MaxLine: f.cfg.MaxLine, Log: f.cfg.Log,
		CancelMethod: string(mcp.MethodNotificationCancelled),
		// Batches were in one version only (L17).
		Batch: func() bool { return f.greeted.Load().version == mcp.ProtocolVersion20250326 },
	})
	f.announce.begin()
	go f.prepare()
	cancel := f.cfg.Registry.Subscribe(f.announce.changed)
	defer cancel()
	return f.peer.Run(ctx)
}

// prepare makes the list that every client asks for first, while it shakes hands.
// A panic comes again for who asks, where the peer fences it.
func (f *Face) prepare() {
	defer func() { _ = recover() }()
	f.surface().tools.legacy()
}
