package stdio

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
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
	// CallPrefix begins the ids of our own requests; random by default.
	CallPrefix string
	Log        zerolog.Logger
}

// Peer is the other end of one stdio connection.
type Peer struct {
	config Config
	frames *Frames
	calls  *Calls
	places chan struct{} // one for each request that runs

	work    chan *flight // to a goroutine that rests
	resting atomic.Int32

	// What may wait for a place or the pipe before the read loop waits too, in
	// requests and in bytes of their frames.
	backlog, maxHeld int

	mu    sync.Mutex
	state inflight

	closing chan struct{}
	broken  chan struct{} // closed when a write failed, which writeErr tells
	once    struct{ closing, broken sync.Once }

	writeErr error
}

// NewPeer makes a Peer that is ready to Run.
func NewPeer(c Config) *Peer {
	c.CancelMethod = cmp.Or(c.CancelMethod, "notifications/cancelled")
	c.MaxLine = cmp.Or(c.MaxLine, DefaultMaxLine)
	c.MaxInFlight = cmp.Or(c.MaxInFlight, 256)
	c.Drain = cmp.Or(c.Drain, 5*time.Second)
	c.Grace = cmp.Or(c.Grace, time.Second)
	p := &Peer{
		config:  c,
		frames:  NewFrames(FramesConfig{In: c.In, Out: c.Out, MaxLine: c.MaxLine}),
		places:  make(chan struct{}, c.MaxInFlight),
		work:    make(chan *flight),
		backlog: 16 * c.MaxInFlight,
		maxHeld: max(4*c.MaxLine, 1<<20),
		closing: make(chan struct{}),
		broken:  make(chan struct{}),
	}
	p.state.byID = map[string]*flight{}
	p.state.drained = make(chan struct{})
	p.calls = NewCalls(CallsConfig{
		Write:        p.writeCall,
		CancelMethod: c.CancelMethod,
		Prefix:       c.CallPrefix,
		Log:          c.Log,
	})
	return p
}

// Run serves the peer until stdin ended and everything in flight is answered or
// the drain time passed (nil), until ctx ended (its cause), or until the pipes
// broke (the error). What is then still in flight is cancelled and gets the
// grace time. Nothing is written after Run returned. Run once.
func (p *Peer) Run(ctx context.Context) error {
	conn, cancel := context.WithCancelCause(ctx)
	defer cancel(ErrClosed)
	ended := make(chan error, 1)
	go func() { ended <- p.read(conn) }()

	err := p.serveUntilEnd(ctx, ended)
	p.close()
	cancel(cmp.Or(context.Cause(ctx), ErrClosed))
	waitFor(p.config.Grace, p.state.drained)
	p.update(func(s *inflight) { s.over = true })
	return err
}

// serveUntilEnd waits for what ends the connection; after the end of stdin also
// for what is in flight. A broken pipe is told even when more came at once.
func (p *Peer) serveUntilEnd(ctx context.Context, ended <-chan error) error {
	var err error
	select {
	case err = <-ended:
		p.close()
		p.drain(ctx)
	case <-ctx.Done():
	case <-p.broken:
	}
	select {
	case <-p.broken:
		return closedBy(p.writeErr)
	default:
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// drain waits until everything in flight is answered, but no longer than the
// drain time.
func (p *Peer) drain(ctx context.Context) {
	limit := time.NewTimer(p.config.Drain)
	defer limit.Stop()
	select {
	case <-p.state.drained:
	case <-limit.C:
		p.config.Log.Warn().Int("inFlight", p.InFlight()).Msg("the drain time passed with requests in flight")
	case <-ctx.Done():
	case <-p.broken:
	}
}

// waitFor waits until done is closed, but no longer than d.
func waitFor(d time.Duration, done <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
}

// close takes no more requests. No answer of the peer's can come any more either.
func (p *Peer) close() {
	p.once.closing.Do(func() {
		p.update(func(s *inflight) { s.closing = true })
		close(p.closing)
		p.calls.Close()
	})
}

// fail ends the connection with the first error that a write gave.
func (p *Peer) fail(err error) {
	p.once.broken.Do(func() {
		p.writeErr = err
		close(p.broken)
	})
}

// endOf is how the end of a stream is told: as no error.
func endOf(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Call sends a request of ours to the peer and waits for its answer, which is
// decoded into result unless that is nil. An error answer is a *Fault. When ctx
// ends first, the peer is sent CancelMethod. With the ctx of a request it
// reaches the peer before the request's reply.
func (p *Peer) Call(ctx context.Context, method string, params, result any) error {
	return p.calls.Call(ctx, method, params, result)
}

func (p *Peer) writeCall(line []byte) error {
	if !p.post(&note{text: bytes.TrimSuffix(line, []byte("\n"))}) {
		return ErrClosed
	}
	return nil
}
