package kernel

import (
	"context"
	"net/http"
	"net/url"
	"sync"
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
	// Client sends the requests; nil is a pooled one of our own. Redirects are
	// always decided here.
	Client *http.Client
	// Lang is the language wanted of texts that belong to no call; "" is zh.
	Lang tools.Lang
	// Now is the clock that Retry-After dates are held against; nil is time.Now.
	Now func() time.Time
	// NewTraceParent makes the traceparent of a request that came without one;
	// nil makes random ones.
	NewTraceParent func() string
	// Log gets a line for each breach of the contract; never content or token.
	Log zerolog.Logger
}

// Client reaches one kernel over HTTP. It is safe for concurrent use.
type Client struct {
	http   *http.Client
	traced bool     // http says when a request has a connection
	base   *url.URL // never holds user information or a query
	calls  *url.URL // where calls go
	wires  *wires   // by which they go, or nil
	spare  *sync.Pool
	token  secret
	cfg    Config
	unable *tools.Error // why no request can be made, or nil
}

var _ plugin.Kernel = (*Client)(nil)

// New makes a client. It does no I/O; a URL that is none is told by the first
// call, so that a handshake above never fails for it.
func New(c Config) *Client {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewTraceParent == nil {
		c.NewTraceParent = randomTraceParent
	}
	k := &Client{http: pooled(c.Client), token: newSecret(c.Token), cfg: c, spare: &sync.Pool{}}
	k.traced = traces(k.http.Transport)
	k.cfg.Token = "" // from here on only the secret holds it
	k.base, k.unable = parseBase(c)
	if k.base != nil {
		k.calls = k.base.JoinPath(pathCall)
	}
	if k.unable == nil && !k.token.sendable() {
		k.unable = unavailable(reasonNoKernel, textBadToken)
	}
	if k.unable == nil && c.Client == nil {
		k.wires = newWires(k.calls, k.token)
	}
	return k
}

// Close gives back the idle connections. The client may still be used.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	if c.wires != nil {
		c.wires.close()
	}
}

// In gives the same client with another language for the texts that belong to
// no call.
func (c *Client) In(lang tools.Lang) *Client {
	other := *c
	other.cfg.Lang = lang
	return &other
}

// For gives the same client with another profile's switches.
func (c *Client) For(profile string) *Client {
	other := *c
	other.cfg.Profile = profile
	return &other
}

// String gives the kernel's address; it never prints the token.
func (c *Client) String() string {
	if c.base == nil {
		return "kernel without an address"
	}
	return "kernel at " + c.base.String()
}

// GoString keeps %#v from printing the token.
func (c *Client) GoString() string { return c.String() }

// Manifest fetches the manifest; with an etag that still holds the error is
// capabilities.ErrNotModified.
func (c *Client) Manifest(ctx context.Context, etag string) (capabilities.Manifest, error) {
	q := url.Values{"profile": {c.cfg.Profile}, "agentId": {c.cfg.AgentID}}
	a, err := c.fetch(ctx, order{method: http.MethodGet, path: pathManifest, query: q, etag: etag})
	if err != nil {
		return capabilities.Manifest{}, err
	}
	if a.status == http.StatusNotModified {
		return capabilities.Manifest{}, capabilities.ErrNotModified
	}
	m, err := capabilities.Read(a.body)
	if err != nil {
		return capabilities.Manifest{}, c.breached(pathManifest, breach(textBadManifest).Because(err))
	}
	m.ETag = a.header.Get("ETag")
	return m, nil
}

// Call runs one tool once. A nil error means that the envelope is the kernel's
// word and keeps the contract; every error is a *tools.Error.
func (c *Client) Call(ctx context.Context, call tools.Call) (tools.Envelope, error) {
	ctx, cancel := bounded(ctx, writes(call))
	defer cancel()
	body, err := call.JSON()
	if err != nil {
		return tools.Envelope{}, tools.AsError(err)
	}
	a, err := c.exchange(ctx, order{
		method: http.MethodPost, path: pathCall, body: body, keyless: call.IdempotencyKey == "",
		lang: call.Lang, traceParent: call.TraceParent,
	})
	if err != nil {
		return tools.Envelope{}, unanswered(ctx, call, err)
	}
	env, e := c.answered(call, a)
	if e != nil {
		return tools.Envelope{}, e
	}
	return env, nil
}

// answered turns an HTTP answer into the kernel's word or into what is wrong. An
// answer that breaks the contract still came from a kernel that may have written,
// so of a write it says that the outcome is unknown.
func (c *Client) answered(call tools.Call, a answer) (tools.Envelope, *tools.Error) {
	if a.status/100 != 2 {
		return tools.Envelope{}, c.refused(call, a)
	}
	env, f := readEnvelope(&call, a.body)
	if f != nil {
		return tools.Envelope{}, c.breached(string(call.ToolName), unknownOutcome(call, f.breach()))
	}
	return env, nil
}

// breached logs an answer that breaks the contract, loudly, and gives it back.
func (c *Client) breached(what string, e *tools.Error) *tools.Error {
	c.cfg.Log.Error().Str("request", what).Str("code", string(e.Code)).Msg(e.Error())
	return e
}
