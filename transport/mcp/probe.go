package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// ProbeConfig says how to probe. Its zero value shakes hands as a legacy client
// that cannot be asked anything.
type ProbeConfig struct {
	// Name and Version are what the probe calls itself; "" is mnote-probe.
	Name, Version string
	// Protocol is the version to ask for; "" is 2025-11-25, and 2026-07-28 is
	// spoken without a handshake.
	Protocol string
	// Answer is asked when the server asks a person; nil declares no such
	// ability.
	Answer func(message string) plugin.Answer
	// Changed hears of every list_changed notification, by its method.
	Changed func(method string)
	// Leave is how long a started server has to leave after its stdin was closed;
	// 0 is 5 s.
	Leave time.Duration
}

// Probe is a small MCP client over stdio. It is safe for use by many
// goroutines.
type Probe struct {
	// Server is the server's name and version, Protocol what was agreed on, and
	// Instructions the server's text for a model.
	Server       ServerIdentity
	Protocol     string
	Instructions string
	// Handshake is the time from the start to the answer.
	Handshake time.Duration

	cfg  ProbeConfig
	peer *stdio.Peer
	out  io.Closer
	cmd  *exec.Cmd // nil when connected to pipes
	// stop ends the reading, ended holds what it ended with.
	stop  context.CancelFunc
	ctx   context.Context
	ended chan error
}

// ServerIdentity is a server's serverInfo.
type ServerIdentity struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Title   string `json:"title,omitempty"`
}

// ProbedTool is a tool as the server lists it.
type ProbedTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// ProbedResult is what a tool call came to.
type ProbedResult struct {
	// IsError is the protocol's own mark.
	IsError bool
	// Text is the text blocks, joined.
	Text string
	// Structured is the structuredContent, or nil.
	Structured json.RawMessage
	// Envelope is the text read as one; nil when it is none.
	Envelope *tools.Envelope
}

// OpenProbe starts the command, which must have neither Stdin nor Stdout set,
// and shakes hands with it; ctx bounds the handshake alone. The caller closes
// the probe.
func OpenProbe(ctx context.Context, cmd *exec.Cmd, cfg ProbeConfig) (*Probe, error) {
	started := time.Now()
	out, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	in, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	p := newProbe(in, out, cfg)
	p.cmd = cmd
	return p.greet(ctx, started)
}

// ConnectProbe shakes hands over a pair of pipes; in is what the server writes.
func ConnectProbe(ctx context.Context, in io.Reader, out io.WriteCloser, cfg ProbeConfig) (*Probe, error) {
	return newProbe(in, out, cfg).greet(ctx, time.Now())
}

func newProbe(in io.Reader, out io.WriteCloser, cfg ProbeConfig) *Probe {
	if cfg.Name == "" {
		cfg.Name = "mnote-probe"
	}
	if cfg.Protocol == "" {
		cfg.Protocol = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	}
	if cfg.Leave == 0 {
		cfg.Leave = leaveTime
	}
	p := &Probe{cfg: cfg, out: out, ended: make(chan error, 1)}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.peer = stdio.NewPeer(stdio.Config{
		In: in, Out: out, Handler: probed{p}, CancelMethod: string(mcp.MethodNotificationCancelled),
	})
	go func() {
		p.ended <- p.peer.Run(p.ctx)
		p.stop() // nothing can be answered any more
	}()
	return p
}

// greet shakes hands, or closes the probe.
func (p *Probe) greet(ctx context.Context, started time.Time) (*Probe, error) {
	shake := p.initialize
	if p.modern() {
		shake = p.discover
	}
	if err := shake(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("shake hands: %w", err), p.Close())
	}
	p.Handshake = time.Since(started)
	return p, nil
}

func (p *Probe) modern() bool { return mcp.IsModernProtocol(p.cfg.Protocol) }

// object is a JSON object that is being built.
type object map[string]any

func (p *Probe) initialize(ctx context.Context) error {
	var r struct {
		Protocol     string         `json:"protocolVersion"`
		Server       ServerIdentity `json:"serverInfo"`
		Instructions string         `json:"instructions"`
	}
	params := object{"protocolVersion": p.cfg.Protocol, "clientInfo": p.identity(), "capabilities": p.abilities()}
	if err := p.peer.Call(ctx, string(mcp.MethodInitialize), params, &r); err != nil {
		return err
	}
	p.Protocol, p.Server, p.Instructions = r.Protocol, r.Server, r.Instructions
	return p.peer.Notify(ctx, string(mcp.MethodNotificationInitialized), nil)
}

func (p *Probe) discover(ctx context.Context) error {
	var r struct {
		Instructions string `json:"instructions"`
		Meta         struct {
			Server ServerIdentity `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
	}
	if err := p.request(ctx, string(mcp.MethodServerDiscover), nil, &r); err != nil {
		return err
	}
	p.Protocol, p.Server, p.Instructions = p.cfg.Protocol, r.Meta.Server, r.Instructions
	if p.cfg.Changed != nil {
		wish := object{"notifications": wishes{Tools: true, Prompts: true, Resources: true}}
		go func() { _ = p.request(p.ctx, string(mcp.MethodSubscriptionsListen), wish, nil) }() // ends with the probe
	}
	return nil
}

func (p *Probe) identity() ServerIdentity {
	return ServerIdentity{Name: p.cfg.Name, Version: p.cfg.Version}
}

func (p *Probe) abilities() object {
	if p.cfg.Answer == nil {
		return object{}
	}
	return object{"elicitation": object{"form": object{}}}
}

// request sends a request; in the modern era each one says who we are.
func (p *Probe) request(ctx context.Context, method string, params object, result any) error {
	if p.modern() {
		params = with(params, "_meta", object{
			mcp.MetaKeyProtocolVersion: p.cfg.Protocol, mcp.MetaKeyClientInfo: p.identity(),
			mcp.MetaKeyClientCapabilities: p.abilities(),
		})
	}
	if len(params) == 0 {
		return p.peer.Call(ctx, method, nil, result)
	}
	return p.peer.Call(ctx, method, params, result)
}

// with gives a copy of o that also holds the member.
func with(o object, key string, value any) object {
	out := object{key: value}
	for k, v := range o {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// leaveTime is the default of Leave.
const leaveTime = 5 * time.Second

// Close ends the conversation by closing the server's stdin, and waits for a
// started command; one that does not leave in time is killed, and the error says
// so.
func (p *Probe) Close() error {
	err := p.out.Close()
	if p.cmd == nil {
		p.stop()
		<-p.ended
		return err
	}
	killer := time.AfterFunc(p.cfg.Leave, func() {
		_ = p.cmd.Process.Kill()
		p.stop() // a child of its may still hold its stdout open
	})
	<-p.ended
	err = p.cmd.Wait()
	if !killer.Stop() {
		return fmt.Errorf("the server did not leave within %v after its stdin was closed, and was killed", p.cfg.Leave)
	}
	return err
}

// probed is what the peer sees of a probe.
type probed struct{ probe *Probe }

// Inline implements stdio.Handler.
func (probed) Inline(string) bool { return false }

// Request implements stdio.Handler: a server's question to a person, or a ping.
func (d probed) Request(_ context.Context, r stdio.Request) stdio.Reply {
	switch mcp.MCPMethod(r.Method) {
	case mcp.MethodPing:
		return stdio.Reply{Result: json.RawMessage(`{}`)}
	case mcp.MethodElicitationCreate:
		if d.probe.cfg.Answer == nil {
			break
		}
		var e elicitation
		if err := json.Unmarshal(r.Params, &e); err != nil {
			return stdio.Reply{Fault: stdio.ParamsFault("a question is an object")}
		}
		body, err := tools.Compact(d.probe.answer(e))
		if err != nil {
			return stdio.Reply{Fault: stdio.InternalFault()}
		}
		return stdio.Reply{Result: body}
	}
	return stdio.Reply{Fault: stdio.MethodFault(r.Method)}
}

// Notification implements stdio.Handler.
func (d probed) Notification(_ context.Context, r stdio.Request) {
	if d.probe.cfg.Changed != nil && strings.HasSuffix(r.Method, "/list_changed") {
		d.probe.cfg.Changed(r.Method)
	}
}
