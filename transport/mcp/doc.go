// Package mcp is the MCP face: it turns the words of the Model Context Protocol
// into calls of a session and envelopes back into results.
//
// A Face serves one connection in both generations of the protocol at once. The
// legacy era shakes hands (initialize, 2024-11-05 … 2025-11-25); in the modern
// one (2026-07-28) every request carries its version and its client's
// abilities, and nothing is remembered from one to the next. A surface is all
// that a client may list of one snapshot: each list is built once, then only
// copied out. A method is hot when it is on the way of every start or call; the
// others are answered by one table. A subscription is a modern client's wish to
// hear of changes. MCP's "capabilities" of the handshake are spelled abilities
// here. Probe is the other side: a small client for doctor, status and try.
//
// The protocol's words are mcp-go's; its server is in the tests only, as what our
// answers are held against.
//
// The package knows no guard, no kernel and no tool by name but the few
// constants of capabilities.
package mcp
