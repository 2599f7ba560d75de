// Package acp stands between an ACP client and an ACP agent, on stdio both
// ways, and gives the agent's sessions MNote's tools.
//
// It passes bytes, not messages: a pump for each direction looks at the head of
// a line and writes the same bytes on. Only the requests that set up a session
// are edited, by inserting raw bytes; no id is ever remapped and nothing is
// reordered. What the host itself has to say to the client goes through an
// outbox, and what the client says to the host alone (methods _mnote/…) to a
// desk.
//
// The inserted MCP server is a relay (Attach): it copies bytes between the
// agent and a socket of this process, where a ticket says whose session the
// connection belongs to. Scope, focus and the kernel's token never leave this
// process. A turn is one prompt; the focus that it began with is its focus to
// the end.
//
// The package knows no tool, no guard and no MCP: who serves MCP on a relay's
// connection comes in as a function.
package acp
