// Package stdio speaks JSON-RPC 2.0 over a pair of pipes, one JSON object a
// line, and knows how a process that does so begins and ends.
//
// Frames reads and writes lines: a frame is one JSON object on one line. Who
// serves frames Reads them; who passes them on Looks at the head of each and
// lets it Pass, held or not. Peer is the other end of one connection: it keeps
// request ids as the bytes the peer sent, holds every request in flight in one
// table, cancels, orders, limits and drains, and writes through one writer: who
// finds it free writes what is ready. A fault is broken protocol: a JSON-RPC
// error. Calls are the requests that the host itself opens; they go through a
// jsonrpc2.Conn that sees nothing else.
//
// TakeOver keeps the real stdout for frames. Life says what ends the process: a
// signal, or the end of the one that started it. Shield closes a process that
// holds secrets to others of its user.
//
// It knows no method but the one that cancels, and nothing of tools.
package stdio
