package kernel

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// watch tells whether a request's first byte may be out. It counts from the
// moment the request has a connection, since what is then written is decided by
// another goroutine, even after the context has ended.
//
// net/http sends a POST again by itself in one case only: on a reused
// connection that took not one byte. It then asks for another connection, and
// the watch starts anew. (An Idempotency-Key header would widen that to
// requests that were written; so the key travels in the body alone.)
type watch struct{ out atomic.Bool }

func (w *watch) in(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.out.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { w.out.Store(true) },
	})
}

// traces reports whether a round-tripper says when it has a connection.
func traces(t http.RoundTripper) bool {
	switch t.(type) {
	case nil, *http.Transport, inProcess:
		return true
	}
	return false
}

// carry gives the request its body. Of a round-tripper that traces nothing the
// body is watched: whoever reads from it may be sending. Any other gets it as
// net/http knows it to lie in memory, for then head and body go out in one write;
// else they are two packets, and the kernel wakes up twice.
func (w *watch) carry(req *http.Request, body []byte, once, traced bool) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	if !traced {
		open = func() (io.ReadCloser, error) { return &watched{bytes.NewReader(body), w}, nil }
	}
	req.Body, _ = open()
	req.ContentLength = int64(len(body))
	if !once {
		req.GetBody = open
	}
}

type watched struct {
	*bytes.Reader
	w *watch
}

func (b *watched) Read(p []byte) (int, error) {
	b.w.out.Store(true)
	return b.Reader.Read(p)
}

func (b *watched) WriteTo(to io.Writer) (int64, error) {
	b.w.out.Store(true)
	return b.Reader.WriteTo(to)
}

func (b *watched) Close() error { return nil }
