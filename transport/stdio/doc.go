// Package stdio speaks JSON-RPC 2.0 over a pair of pipes, one JSON object a
// line.
//
// Frames reads and writes lines: a frame is one JSON object on one line. Peer is
// the other end of one connection: it keeps request ids as the bytes the peer
// sent, holds every request in flight in one table, cancels, orders, limits and
// drains, and writes through one writer. A fault is broken protocol: a JSON-RPC
// error. TakeOver keeps the real stdout for frames. Requests that the host
// itself opens go through a jsonrpc2.Conn that the loop feeds.
//
// It knows no method but the one that cancels, and nothing of tools.
package stdio
