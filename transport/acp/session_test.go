package acp

import (
	"slices"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin"
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

// A scope with a fault refuses every call with the member to mend and what is
// allowed there.
func TestUnreadableScope(t *testing.T) {
	t.Parallel()
	for scope, wants := range map[string][]string{
		`{"permissionLevel":"read","documents":["a.md"]}`: {`"documents"`, "documentIds"},
		`{"permissionLevel":"raed"}`:                      {"permissionLevel", "raed", "read"},
		`{"documentIds":["a.md"]}`:                        {"permissionLevel", "none read write"},
		`"read"`:                                          {"not a JSON object"},
		`{"permissionLevel":"read","documentIds":"a.md"}`: {"documentIds", "[]string"},
	} {
		r := newRig(t, nil)
		line := `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"_meta":{"mnote/scope":` + scope + `}}}`
		r.client.say(t, line+"\n")
		r.agent.hear(t)
		var s seat
		r.face.update(func(st *state) {
			for _, each := range st.tickets {
				s = seat{each}
			}
		})
		env := s.Call(t.Context(), "mnote_page_get", []byte(`{"documentId":"a.md"}`), plugin.Meta{})
		for _, want := range wants {
			if env.Error == nil || env.Error.Code != tools.CodePermissionDenied || !strings.Contains(env.Error.Message, want) {
				t.Errorf("%s: want %q, the call answers %+v", scope, want, env.Error)
			}
			if !strings.Contains(r.log.String(), strings.Trim(want, `"`)) {
				t.Errorf("%s: want %q, the log says %s", scope, want, r.log)
			}
		}
	}
}
