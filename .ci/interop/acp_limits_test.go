package interop

import (
	"strings"
	"testing"
	"time"
)

// TestHermesOwnServer: a server of our name in Hermes's own configuration wins
// over the one that a session is given, which is then never started. The host
// says so on stderr, with what to do.
func TestHermesOwnServer(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	m := newModel(t, step{text: "done"})
	w := b.wrap(t, b.hermesEnv(b.hermesHome(t, m.URL, "")), []string{"--client", "hermes"}, hermesACP()...)
	w.initialize(t)
	w.open(t, "session/new", "", b.notes, pageOne).turn(t, "hello", pageOne)
	const hint = "remove mcp_servers.mnote there"
	for end := time.Now().Add(time.Minute); !strings.Contains(w.stderr.String(), hint); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("stderr does not tell of it: %s", w.stderr)
		}
	}
}
