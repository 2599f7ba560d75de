package kernel

import (
	"context"
	"net/http"
	"net/http/httptrace"
)

// InProcess is a round-tripper that serves each request by h: same client, same
// bytes, no port. h runs in a goroutine of its own under a context that ends
// with the request's or when the answer's body is closed. A handler that
// panics is an answer of 500.
func InProcess(h http.Handler) http.RoundTripper { return inProcess{h} }

type inProcess struct{ handler http.Handler }

// RoundTrip serves one request.
func (p inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if err := ctx.Err(); err != nil {
		closeBody(req)
		return nil, err
	}
	if t := httptrace.ContextClientTrace(ctx); t != nil && t.GotConn != nil {
		t.GotConn(httptrace.GotConnInfo{Reused: true})
	}
	// As over a wire, of the caller's context only its end gets through.
	serving, cancel := context.WithCancel(context.Background())
	w := newWriter(req)
	stop := context.AfterFunc(ctx, func() {
		cancel()
		w.pipe.CloseWithError(ctx.Err()) // what is still read or written fails
	})
	w.end = func() { stop(); cancel() }
	go w.serve(p.handler, arrived(serving, req))
	select {
	case resp := <-w.ready:
		return resp, nil
	case err := <-w.failed:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// arrived is the request as a server would see it.
func arrived(ctx context.Context, req *http.Request) *http.Request {
	in := req.Clone(ctx)
	in.RequestURI = req.URL.RequestURI()
	in.URL.Scheme, in.URL.Host = "", ""
	in.RemoteAddr = "127.0.0.1:0"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	if in.Host == "" {
		in.Host = req.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	in.GetBody = nil
	return in
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}
