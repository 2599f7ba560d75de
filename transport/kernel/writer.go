package kernel

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
)

// held is how much of an answer is kept back before it begins to stream; most
// answers are done by then and cost no further switch of goroutines.
const held = 64 << 10

var errAborted = errors.New("the handler gave up the answer")

// writer takes what a handler writes. Up to held bytes it keeps; a handler that
// ends before that has made a whole answer with its length. A longer one is
// piped: the handler goes no faster than the reader, so memory stays bounded.
// Only the handler's goroutine touches it.
type writer struct {
	req    *http.Request
	end    func() // releases the handler's context
	ready  chan *http.Response
	failed chan error

	header http.Header
	status int
	sent   http.Header // as it was when the status was written
	kept   bytes.Buffer
	out    *bufio.Writer // over pipe; nil until the answer streams
	pipe   *io.PipeWriter
	from   *io.PipeReader
}

func newWriter(req *http.Request) *writer {
	w := &writer{
		req: req, header: http.Header{},
		ready: make(chan *http.Response, 1), failed: make(chan error, 1),
	}
	w.from, w.pipe = io.Pipe()
	return w
}

// Header gives the header to be sent.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader fixes status and header; only the first time counts, and a status
// of 1xx does not.
func (w *writer) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// Write adds to the body.
func (w *writer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		return 0, http.ErrBodyNotAllowed
	}
	w.sniff(b)
	if w.req.Method == http.MethodHead {
		return len(b), nil
	}
	if w.out == nil && w.kept.Len()+len(b) <= held {
		return w.kept.Write(b)
	}
	if err := w.stream(); err != nil {
		return 0, err
	}
	return w.out.Write(b)
}

// Flush sends what was written so far.
func (w *writer) Flush() {
	w.WriteHeader(http.StatusOK)
	if w.stream() == nil {
		w.out.Flush()
	}
}

// sniff names the content's type where the handler did not, as a server does.
func (w *writer) sniff(b []byte) {
	if w.sent.Get("Content-Type") == "" && w.out == nil && w.kept.Len() == 0 {
		w.sent.Set("Content-Type", http.DetectContentType(b))
	}
}

// hasBody reports whether the answer may have a body at all.
func (w *writer) hasBody() bool {
	return w.req.Method != http.MethodHead && w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// stream hands the answer to the client with the pipe its body comes through.
func (w *writer) stream() error {
	if w.out != nil {
		return nil
	}
	w.out = bufio.NewWriterSize(w.pipe, held)
	w.answer(-1, &streamed{w.from, w.end})
	_, err := w.kept.WriteTo(w.out)
	return err
}

// answer hands the response over; it happens once, and never waits, even if the
// client has gone.
func (w *writer) answer(length int64, body io.ReadCloser) {
	w.ready <- &http.Response{
		Status:     strconv.Itoa(w.status) + " " + http.StatusText(w.status),
		StatusCode: w.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: body, ContentLength: length, Request: w.req,
	}
}

// serve runs the handler and always ends the answer.
func (w *writer) serve(h http.Handler, in *http.Request) {
	defer closeBody(w.req)
	defer func() {
		if p := recover(); p != nil {
			w.panicked(p)
		}
	}()
	h.ServeHTTP(w, in)
	w.WriteHeader(http.StatusOK)
	w.finish(nil)
}

// finish ends the answer: whole, with its length, if it does not stream yet. The
// context of a handler that has ended is released here; that of a stream when its
// reader closes it.
func (w *writer) finish(cause error) {
	if w.out != nil {
		w.out.Flush()
		w.pipe.Close()
		return
	}
	if w.hasBody() {
		w.sent.Set("Content-Length", strconv.Itoa(w.kept.Len()))
	}
	w.answer(int64(w.kept.Len()), &wholeBody{bytes.NewReader(w.kept.Bytes()), cause})
	w.end()
}

// panicked ends an answer whose handler panicked: 500 if nothing was sent yet,
// else a body that breaks off. What the panic said may be page content, so only
// its type and the stack go on, to the log.
func (w *writer) panicked(p any) {
	if w.out != nil || p == any(http.ErrAbortHandler) {
		w.pipe.CloseWithError(io.ErrUnexpectedEOF)
		w.failed <- errAborted
		w.end()
		return
	}
	w.status, w.sent = http.StatusInternalServerError, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
	w.kept.Reset()
	w.kept.WriteString("the handler failed\n")
	w.finish(fmt.Errorf("the handler panicked (%T)\n%s", p, debug.Stack()))
}

// streamed is a body that comes through the pipe; closing it ends the handler.
type streamed struct {
	*io.PipeReader
	end func()
}

// Close ends the stream and the handler's context.
func (b *streamed) Close() error {
	defer b.end()
	return b.PipeReader.Close()
}

// wholeBody is a body that was kept, and why its handler gave up, if it did.
type wholeBody struct {
	*bytes.Reader
	cause error
}

// Close does nothing: the handler has ended already.
func (b *wholeBody) Close() error { return nil }

// causeOf gives why the handler behind a body gave up, for the log.
func causeOf(body io.ReadCloser) error {
	if b, ok := body.(*wholeBody); ok {
		return b.cause
	}
	return nil
}
