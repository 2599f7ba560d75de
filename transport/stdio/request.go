package stdio

import (
	"context"
	"encoding/json"
)

// Request is one request or notification from the peer.
type Request struct {
	// ID is the id exactly as sent; nil for a notification.
	ID     json.RawMessage
	Method string
	// Params is the raw params member, or nil; a null counts as absent.
	Params json.RawMessage
}

// Reply is what a Handler answers: a result or a fault, never both. Result must
// be valid JSON; Peer puts it on the wire as it stands, so nobody may change
// its bytes afterwards.
type Reply struct {
	Result json.RawMessage
	Fault  *Fault
	// Written, when set, is called once the reply's bytes were written to the
	// pipe; it is not called for a dropped reply. It runs on the writer: be quick.
	Written func()
}

// Handler serves what the peer sends.
type Handler interface {
	// Inline reports whether the request is served on the read loop, before the
	// next frame is read (initialize). All others get a goroutine each. What runs
	// on the read loop must not Call: the answer would wait behind it.
	Inline(method string) bool
	// Request serves one request. ctx ends when the peer cancels it or the
	// connection is over; the reply to a cancelled request is dropped. Notify
	// and Call with this ctx reach the peer before the reply does.
	Request(ctx context.Context, r Request) Reply
	// Notification serves one notification, on the read loop: be quick.
	Notification(ctx context.Context, r Request)
}
