package stdio

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/rs/zerolog"
	"github.com/sourcegraph/jsonrpc2"
)

// CallsConfig is what Calls are made of.
type CallsConfig struct {
	// Write puts one line, its line end included, in order for the peer. It must
	// not wait for the peer.
	Write func(line []byte) error
	// CancelMethod is sent for a call whose context ended; nothing when empty.
	CancelMethod string
	// BareCancel leaves the reason out of that notification: ACP's schema has no
	// place for one.
	BareCancel bool
	// Prefix begins the ids of our requests, so that they can be told from the
	// peer's; random by default.
	Prefix string
	Log    zerolog.Logger
}

// Calls are the requests that the host opens to a peer. They run on a
// jsonrpc2.Conn that sees nothing but them: the lines of the peer go past it,
// and only what answers one of ours is handed in.
type Calls struct {
	config CallsConfig

	mu     sync.Mutex
	conn   *jsonrpc2.Conn // made for the first call
	open   map[string]bool
	last   uint64
	closed bool

	answers chan []byte
	done    chan struct{}
}

// NewCalls makes Calls with none open.
func NewCalls(c CallsConfig) *Calls {
	if c.Prefix == "" {
		nonce := make([]byte, 6)
		_, _ = rand.Read(nonce) // never fails
		c.Prefix = "mnote-host:" + hex.EncodeToString(nonce) + ":"
	}
	return &Calls{
		config:  c,
		open:    map[string]bool{},
		answers: make(chan []byte),
		done:    make(chan struct{}),
	}
}

// Call sends a request and waits for its answer, which is decoded into result
// unless that is nil. An error answer is a *Fault; ErrClosed says that no answer
// can come any more. When ctx ends first, the peer is told with CancelMethod and
// whatever it answers is dropped.
func (c *Calls) Call(ctx context.Context, method string, params, result any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	conn, id, err := c.begin()
	if err != nil {
		return err
	}
	defer c.end(id)
	err = conn.Call(ctx, method, params, result, jsonrpc2.PickID(jsonrpc2.ID{IsString: true, Str: id}))
	if err != nil && err == ctx.Err() {
		c.abandon(ctx, id)
		return context.Cause(ctx)
	}
	return callError(err)
}

// callError translates the library's errors into ours.
func callError(err error) error {
	if errors.Is(err, jsonrpc2.ErrClosed) {
		return ErrClosed
	}
	if e, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		f := &Fault{Code: int(e.Code), Message: e.Message}
		if e.Data != nil {
			f.Data = *e.Data
		}
		return f
	}
	return err
}

// begin takes an id for a new call, and makes the connection for the first.
func (c *Calls) begin() (*jsonrpc2.Conn, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, "", ErrClosed
	}
	if c.conn == nil {
		c.conn = jsonrpc2.NewConn(context.Background(), callStream{c}, noRequests{},
			jsonrpc2.SetLogger(callLog{c.config.Log}))
	}
	c.last++
	id := c.config.Prefix + strconv.FormatUint(c.last, 10)
	c.open[id] = true
	return c.conn, id, nil
}

func (c *Calls) end(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
}

// abandon tells the peer that nobody waits for the answer any more, and the
// connection too, which would keep the call for ever.
func (c *Calls) abandon(ctx context.Context, id string) {
	if c.config.CancelMethod != "" {
		params := map[string]string{"requestId": id}
		if !c.config.BareCancel {
			params["reason"] = context.Cause(ctx).Error()
		}
		line, err := notification(c.config.CancelMethod, params)
		if err == nil {
			_ = c.config.Write(append(line, '\n')) // the connection is over: then nobody waits there either
		}
	}
	c.Answer(failedAnswer(id, "abandoned"))
}

// Answer hands in a message of the peer's that has the raw id of an answer, and
// reports whether it answers a request of ours: then it is none of anybody
// else's. One that comes late or twice is dropped.
func (c *Calls) Answer(rawID json.RawMessage, message []byte) bool {
	if at(rawID, 0) != '"' {
		return false
	}
	id := unquote(rawID)
	if len(id) < len(c.config.Prefix) || id[:len(c.config.Prefix)] != c.config.Prefix {
		return false
	}
	c.mu.Lock()
	waiting := c.open[id]
	delete(c.open, id)
	c.mu.Unlock()
	if !waiting {
		return true
	}
	message = cleanAnswer(id, message)
	select {
	case c.answers <- message:
	case <-c.done:
	}
	return true
}

// cleanAnswer gives the connection no more of the peer's answer than what counts:
// a message that it cannot decode would end it, and all calls with it.
func cleanAnswer(id string, message []byte) []byte {
	var raw rawMessage
	members(message, raw.setQuoted)
	name, value := `,"result":`, raw.result
	if raw.fault != nil && string(raw.fault) != "null" {
		name, value = `,"error":`, raw.fault
	}
	rawID, failed := failedAnswer(id, "the peer's answer is not a JSON-RPC response")
	clean := slices.Concat([]byte(`{"id":`), rawID, []byte(name), value, []byte(`}`))
	var r jsonrpc2.Response
	if value == nil || raw.twice != "" || json.Unmarshal(clean, &r) != nil {
		return failed
	}
	return clean
}

// failedAnswer is an answer that we give ourselves.
func failedAnswer(id, text string) (rawID json.RawMessage, message []byte) {
	rawID, _ = encode(id)
	message, _ = encode(struct {
		ID    json.RawMessage `json:"id"`
		Error *Fault          `json:"error"`
	}{rawID, &Fault{Code: CodeInternal, Message: text}})
	return rawID, message
}

// Close ends all open calls with ErrClosed.
func (c *Calls) Close() {
	c.mu.Lock()
	conn, first := c.conn, !c.closed
	c.closed = true
	c.mu.Unlock()
	if !first {
		return
	}
	close(c.done)
	if conn != nil {
		_ = conn.Close()
	}
}

// callStream is the connection's view of the peer.
type callStream struct{ calls *Calls }

// ReadObject gives the next answer to a request of ours.
func (s callStream) ReadObject(v any) error {
	select {
	case message := <-s.calls.answers:
		return json.Unmarshal(message, v)
	case <-s.calls.done:
		return io.EOF
	}
}

// WriteObject sends a request of ours.
func (s callStream) WriteObject(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a request: %w", err)
	}
	return s.calls.config.Write(append(line, '\n'))
}

// Close has nothing to close: the pipes are the peer's.
func (callStream) Close() error { return nil }

// noRequests is never called: requests of the peer go past the connection.
type noRequests struct{}

// Handle does nothing.
func (noRequests) Handle(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) {}

// callLog takes what the library has to say, which may quote a peer's message,
// without the message.
type callLog struct{ log zerolog.Logger }

// Printf logs the fixed part of a library message.
func (l callLog) Printf(format string, _ ...any) {
	l.log.Debug().Str("library", string(bytes.TrimSpace([]byte(format)))).Msg("jsonrpc2")
}
