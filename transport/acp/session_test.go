package acp

import (
	"slices"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

// What the MCP face asks of a session is answered as the grant and the turn
// stand: which pages there are to complete, whether it may write.
func TestSeat(t *testing.T) {
	t.Parallel()
	grant := tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{"a.md", "b.md"}}
	r, _ := opened(t, func(c *Config) { c.Base.Grant = &grant })
	var s seat
	r.face.update(func(st *state) { s = seat{st.sessions["s1"]} })
	known := func(want ...string) {
		t.Helper()
		if got := s.KnownDocuments(); !slices.Equal(got, want) {
			t.Errorf("the known pages are %q, want %q", got, want)
		}
	}
	known("a.md", "b.md") // the launch's page is outside
	r.prompt(t, 2, `"prompt":[],"_meta":{"mnote/context":{"documentId":"b.md"}}`)
	known("b.md", "a.md")
	r.prompt(t, 3, `"prompt":[],"_meta":{"mnote/context":{"documentId":"secret.md"}}`)
	known("b.md", "a.md") // the first prompt's turn is still the current one
	r.agent.say(t, `{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`+"\n")
	r.client.hear(t)
	known("a.md", "b.md")
	if s.ReadOnly() || s.Lang() != tools.EN {
		t.Errorf("read only: %v, in %s", s.ReadOnly(), s.Lang())
	}
	r.client.say(t, `{"jsonrpc":"2.0","id":4,"method":"_mnote/scope/update","params":{"sessionId":"s1","scope":{"permissionLevel":"read","documentIds":["a.md"]}}}`+"\n")
	r.client.hear(t)
	known("a.md")
	if !s.ReadOnly() {
		t.Error("narrowed to reading, it may still write")
	}
}
