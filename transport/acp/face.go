package acp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

const (
	// DefaultMaxFrame is the longest line that passes when nothing else is said.
	DefaultMaxFrame = 256 << 20
	// defaultGrace is how long an agent has after each hint to leave.
	defaultGrace = 3 * time.Second
	// drainTime is how long the stdout of an agent that has exited is still read:
	// a grandchild may hold it open.
	drainTime = 2 * time.Second
)

// Session is one conversation as the MCP face of a relay's connection sees it.
// A *plugin.Session is one.
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

// Config makes a Face. Agent, In, Out, Self, Open, Serve and Snapshot must be
// set; everything else has a zero value that works.
type Config struct {
	// Agent is the agent's command line; its first word is looked up in PATH.
	Agent []string
	// Env is the agent's whole environment. Nothing secret belongs into it.
	Env []string
	// In and Out are the client's side.
	In  io.Reader
	Out io.Writer
	// AgentErr is the agent's stderr; nil is this process's own.
	AgentErr *os.File
	// Noise gets what the agent's stdout held beside JSON; nil is AgentErr.
	Noise io.Writer

	// Self is the absolute path of this program: what agents start as the relay.
	Self string
	// SocketDirs lists the folders that the socket may lie in, best first; a
	// fresh temporary one is used when none of them does.
	SocketDirs []string

	// Base is what the launch says of every session; its grant is the most that
	// a client can give.
	Base plugin.SessionConfig
	// Open opens a session of the pipeline.
	Open func(plugin.SessionConfig) Session
	// Serve speaks MCP for a session on one connection, until that ends.
	Serve func(ctx context.Context, s Session, in io.Reader, out io.Writer) error
	// Snapshot gives the packs and switches as they stand.
	Snapshot func() *capabilities.Snapshot
	// Client is what we know of the agent; its zero value is the generic one.
	Client clients.Client

	// NoServer inserts nothing into session setups.
	NoServer bool
	// ManyScopes lets the sessions of one agent process have different scopes.
	ManyScopes bool
	// AnyTime serves calls of sessions that have no prompt in flight.
	AnyTime bool
	// Preamble puts the skills' summaries before the first prompt of a session.
	Preamble bool
	// PassNoise passes lines of the agent that are not JSON to the client.
	PassNoise bool
	// CrashReplies answers the client's open requests when the agent dies, or is
	// ended because of a line too long to pass.
	CrashReplies bool
	// MaxFrame is the longest line that passes, in bytes; 0 is DefaultMaxFrame.
	MaxFrame int
	// Grace is how long the agent has to leave after its stdin was closed, and
	// again after it was signalled; 0 is 3 s.
	Grace time.Duration
	// Quiet is how long an agent may take to start our MCP server before the log
	// says that it has not; 0 is 20 s.
	Quiet time.Duration
	// Log gets what goes wrong; never a line that passes.
	Log zerolog.Logger
}

// Face is one agent process with its client.
type Face struct {
	cfg    Config
	client *stdio.Frames // reads from the client and writes to it
	out    *lineEnd      // below client
	outbox *outbox
	desk   *desk
	calls  *stdio.Calls
	door   *door
	agent  atomic.Pointer[child]
	said   *lastWords // on the agent's stderr; nil where nobody has to know

	mu    sync.Mutex
	state state
	ctx   context.Context // ends with the face: what the relays' connections run in

	prefix string // begins the ids of our own requests, as raw JSON
}

// New makes a face. It starts nothing.
func New(cfg Config) *Face {
	cfg.MaxFrame = cmp.Or(cfg.MaxFrame, DefaultMaxFrame)
	cfg.Grace = cmp.Or(cfg.Grace, defaultGrace)
	cfg.Quiet = cmp.Or(cfg.Quiet, 20*time.Second)
	if cfg.AgentErr == nil {
		cfg.AgentErr = os.Stderr
	}
	if cfg.Noise == nil {
		cfg.Noise = cfg.AgentErr
	}
	if cfg.Client.Name == "" {
		cfg.Client = clients.Generic()
	}
	f := &Face{cfg: cfg, out: &lineEnd{to: cfg.Out}, ctx: context.Background()}
	f.client = stdio.NewFrames(stdio.FramesConfig{In: cfg.In, Out: f.out, MaxLine: cfg.MaxFrame})
	f.outbox = newOutbox(f.client)
	f.desk = newDesk(f)
	id := "mnote-host:" + rand.Text()[:12] + ":"
	f.prefix = `"` + id
	f.calls = stdio.NewCalls(stdio.CallsConfig{
		Write: f.outbox.put, CancelMethod: methodCancelRequest, BareCancel: true, Prefix: id, Log: cfg.Log,
	})
	f.state = newState(cfg.Base)
	return f
}
