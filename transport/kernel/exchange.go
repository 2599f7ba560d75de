package kernel

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/mnote-dev/mnote-host/tools"
)

// maxBody bounds every answer; a kernel pages long before.
const maxBody = 64 << 20

// presize is as much of an announced length as is believed in advance.
const presize = 1 << 20

// maxSpare is the largest buffer that is kept for the next answer whose length is
// not announced; what is longer is handed on as it is.
const maxSpare = 64 << 10

var errTooLarge = errors.New("the answer is larger than the limit")

// order is one request to make.
type order struct {
	method, path string
	query        url.Values
	body         []byte
	etag         string
	lang         tools.Lang
	traceParent  string
	// keyless marks a call that may not go out twice, not even by net/http on a
	// connection that turned out dead.
	keyless bool
}

// answer is one whole HTTP answer.
type answer struct {
	status int
	header http.Header
	body   []byte
	// cause is why an in-process handler gave up, for the log.
	cause error
}

// fault is a request that got no whole answer.
type fault struct {
	sent  bool // its first byte may be out
	cause error
}

func (f *fault) Error() string { return f.cause.Error() }
func (f *fault) Unwrap() error { return f.cause }

// exchange sends one request and reads its answer, whatever its status. The
// error is a *tools.Error when no request could be made, else a *fault.
func (c *Client) exchange(ctx context.Context, o order) (answer, error) {
	if c.unable != nil {
		return answer{}, c.unable
	}
	resp, err := c.ask(ctx, o)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := c.readBody(resp)
	if err != nil {
		return answer{}, &fault{sent: true, cause: c.token.clean(err)}
	}
	return answer{resp.StatusCode, resp.Header, c.token.hide(body), causeOf(resp.Body)}, nil
}

// ask sends one request, a call by wire where it can.
func (c *Client) ask(ctx context.Context, o order) (resp *http.Response, err error) {
	w := &watch{}
	if c.wires != nil && o.path == pathCall && len(o.body) <= maxCarried {
		resp, err = c.wires.post(ctx, string(language(o.lang, c.cfg.Lang)), c.traceParent(o.traceParent), o.body, w)
	} else {
		var req *http.Request
		if req, err = c.request(ctx, o, w); err != nil {
			return nil, tools.AsError(c.token.clean(err))
		}
		resp, err = c.send(req)
	}
	// The watch says what may be out, whatever the error looks like: net/http's errors
	// do not tell a request that never left from one that did.
	if err != nil {
		return nil, &fault{sent: w.out.Load(), cause: c.token.clean(err)}
	}
	return resp, nil
}

// send sends a request. A call goes to the round-tripper itself: it follows no
// redirect, and all that http.Client adds to it is a copy of its headers for that.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost && c.http.Transport != nil && c.http.Jar == nil && c.http.Timeout == 0 {
		return c.http.Transport.RoundTrip(req)
	}
	return c.http.Do(req)
}

// request builds one HTTP request. It sets no Idempotency-Key header (watch says
// why) and asks for no compression: an answer is bounded by what it really holds.
func (c *Client) request(ctx context.Context, o order, w *watch) (*http.Request, error) {
	req, err := http.NewRequestWithContext(w.in(ctx), o.method, "", nil)
	if err != nil {
		return nil, err
	}
	req.URL = c.address(o)
	req.Host = req.URL.Host
	if o.body != nil {
		w.carry(req, o.body, o.keyless, c.traced)
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Language", string(language(o.lang, c.cfg.Lang)))
	req.Header.Set("Traceparent", c.traceParent(o.traceParent))
	if o.etag != "" {
		req.Header.Set("If-None-Match", o.etag)
	}
	c.token.authorize(req)
	return req, nil
}

// address is where an order goes. That of calls is made once: to join and parse it
// anew was a tenth of making a request.
func (c *Client) address(o order) *url.URL {
	if o.path == pathCall {
		return c.calls
	}
	u := c.base.JoinPath(o.path)
	u.RawQuery = o.query.Encode()
	return u
}

// traceParent lets a valid one through; anything else would be a header that the
// caller wrote.
func (c *Client) traceParent(given string) string {
	if validTraceParent(given) {
		return given
	}
	return c.cfg.NewTraceParent()
}

func language(wanted ...tools.Lang) tools.Lang {
	for _, l := range wanted {
		if l != "" {
			return l
		}
	}
	return tools.ZH
}

// readBody reads a bounded body, into as much memory as it needs where its length
// is known. What a header promises is not believed beyond a mebibyte.
func (c *Client) readBody(resp *http.Response) ([]byte, error) {
	n := resp.ContentLength
	switch {
	case n > maxBody:
		return nil, errTooLarge
	case n >= 0 && n <= presize:
		body := make([]byte, n)
		_, err := io.ReadFull(resp.Body, body)
		return body, err
	}
	b, _ := c.spare.Get().(*bytes.Buffer)
	if b == nil {
		b = new(bytes.Buffer)
	}
	if _, err := b.ReadFrom(io.LimitReader(resp.Body, maxBody+1)); err != nil {
		return nil, err
	}
	switch {
	case b.Len() > maxBody:
		return nil, errTooLarge
	case b.Cap() > maxSpare:
		return b.Bytes(), nil
	}
	defer c.spare.Put(b)
	defer b.Reset()
	return bytes.Clone(b.Bytes()), nil
}

// fetch sends a request that belongs to no call (the manifest, the lists and
// switches for people) and gives an answer of 2xx, or of 304 when an etag was
// sent.
func (c *Client) fetch(ctx context.Context, o order) (answer, error) {
	ctx, cancel := bounded(ctx, false)
	defer cancel()
	o.lang = c.cfg.Lang
	a, err := c.exchange(ctx, o)
	if err != nil {
		return answer{}, unanswered(ctx, tools.Call{}, err)
	}
	if a.status/100 == 2 || a.status == http.StatusNotModified && o.etag != "" {
		return a, nil
	}
	return answer{}, c.refused(tools.Call{}, a)
}
