// Package interop drives mnote-host with programs that no one here wrote, as
// their users would: the MCP Inspector, Reasonix, Hermes. It is a module of its
// own, so that go.mod stays the product's.
package interop
