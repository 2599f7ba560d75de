package mcp

import (
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
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
}

// ServerIdentity is a server's serverInfo.
type ServerIdentity struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
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
	// Envelope is the text read as one; nil when it is none.
	Envelope *tools.Envelope
}

// OpenProbe starts the command, which must have neither Stdin nor Stdout set,
// and shakes hands with it. The caller closes the probe.
func OpenProbe(ctx context.Context, cmd *exec.Cmd, cfg ProbeConfig) (*Probe, error) {
	return nil, nil
}

// ConnectProbe shakes hands over a pair of pipes; in is what the server writes.
func ConnectProbe(ctx context.Context, in io.Reader, out io.WriteCloser, cfg ProbeConfig) (*Probe, error) {
	return nil, nil
}

// Tools lists the server's tools, every page of them, and gives the size of the
// answer in bytes of JSON.
func (p *Probe) Tools(ctx context.Context) (list []ProbedTool, bytes int, err error) {
	return nil, 0, nil
}

// Call runs a tool; args is nil, JSON bytes, or a value encoding/json can write.
func (p *Probe) Call(ctx context.Context, tool string, args any) (ProbedResult, error) {
	return ProbedResult{}, nil
}

// Ping asks for an answer and gives the time it took.
func (p *Probe) Ping(ctx context.Context) (time.Duration, error) { return 0, nil }

// Request sends any request and gives its raw result, for what has no method
// here.
func (p *Probe) Request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return nil, nil
}

// Close ends the conversation by closing the server's stdin, and waits for a
// started command: 5 s, then it is killed and the error says so.
func (p *Probe) Close() error { return nil }
