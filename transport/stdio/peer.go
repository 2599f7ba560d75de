package stdio

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/rs/zerolog"
)

// ErrClosed says that the connection is over: nothing more reaches the peer, or
// no answer of its can come any more.
var ErrClosed = errors.New("the connection to the peer is closed")

// Config is what a Peer is made of. Only In, Out and Handler have no default.
type Config struct {
	In      io.Reader
	Out     io.Writer
	Handler Handler
	// CancelMethod is the notification that cancels the request named in its
	// params.requestId, both ways; "notifications/cancelled" by default.
	CancelMethod string
	// MaxLine is the longest line taken; DefaultMaxLine by default.
	MaxLine int
	// MaxInFlight is how many requests run at once; 256 by default. More wait
	// for their turn, and can be cancelled while they wait.
	MaxInFlight int
	// Drain is how long what is in flight may go on after stdin ended; 5 s by
	// default. Grace is how long it may go on after it was cancelled; 1 s.
	Drain, Grace time.Duration
	// NullID puts "id":null into a fault whose request has no readable id; MCP
	// wants the member left out.
	NullID bool
	// Batch reports whether an array is served as a JSON-RPC batch at this
	// moment; nil means never, and an array gets a fault.
	Batch func() bool
	// CallID makes the ids of our own requests; unique strings by default.
	CallID func() string
	Log    zerolog.Logger
}

// Peer is the other end of one stdio connection.
type Peer struct {
	config Config
}

// NewPeer makes a Peer that is ready to Run.
func NewPeer(c Config) *Peer { return &Peer{config: c} }

// Run serves the peer until stdin ended and everything in flight is answered or
// the drain time passed (nil), until ctx ended (its cause), or until the pipes
// broke (the error). What is then still in flight is cancelled and gets the
// grace time. Run once.
func (p *Peer) Run(ctx context.Context) error { return nil }

// Notify sends a notification and returns when it is written. With the ctx of a
// request it reaches the peer before the request's reply, and is dropped without
// an error once the request is cancelled or replied. Any other ctx sends it for
// the connection.
func (p *Peer) Notify(ctx context.Context, method string, params any) error { return nil }

// Call sends a request of ours to the peer and waits for its answer, which is
// decoded into result unless that is nil. An error answer is a *Fault. When ctx
// ends first, the peer is sent CancelMethod.
func (p *Peer) Call(ctx context.Context, method string, params, result any) error { return nil }

// InFlight is how many requests of the peer were read and not yet answered.
func (p *Peer) InFlight() int { return 0 }

// WhenIdle runs f once, as soon as nothing is in flight; requests that come
// while f runs wait for it. Requests that KeepOpen was called for do not count.
func (p *Peer) WhenIdle(f func()) {}

// KeepOpen says that the request of ctx stays open until the peer cancels it or
// Closing is closed (a subscription): it gives back its place among MaxInFlight,
// and WhenIdle does not wait for it.
func (p *Peer) KeepOpen(ctx context.Context) {}

// Closing is closed when no more requests are taken: stdin ended, or Run is
// about to return. A request that was kept open should then be answered.
func (p *Peer) Closing() <-chan struct{} { return nil }
