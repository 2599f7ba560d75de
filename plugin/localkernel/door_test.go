package localkernel

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// through sends a call by a door.
func (b *bench) through(d Door, request map[string]any) answer {
	b.tb.Helper()
	body, err := json.Marshal(request)
	b.must(err)
	r := httptest.NewRequest(http.MethodPost, "http://localhost/api/hermes/tools/mnote/call", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	b.Through(d).ServeHTTP(w, r)
	var a answer
	b.must(json.Unmarshal(w.Body.Bytes(), &a.Envelope))
	a.raw = w.Body.Bytes()
	return a
}

// TestPersonsUndo: switches bind agents. The person's own undo passes by the
// person's door; no word of a request opens that door, and nothing else passes
// through it.
func TestPersonsUndo(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	done := b.ok("mnote.page.save", "a.md", appended("y"))
	b.toggle("capabilities", map[string]any{"id": currentPage, "enabled": false})

	undo := b.request("mnote.command.undo", "", map[string]any{"commandId": done.commandID()})
	for name, value := range map[string]any{
		"person": true, "Person": true, "door": "person", "agentId": "cli", "actorId": "console", "by": "console", "byPerson": true,
	} {
		request := map[string]any{}
		for k, v := range undo {
			request[k] = v
		}
		request[name] = value
		if a := b.send(request); a.OK || a.Error.Code != tools.CodeDisabled {
			t.Errorf("an agent's undo with %s passes: %s", name, a.raw)
		}
	}
	if a := b.through(Door{Turned: func(context.Context, Turn) {}}, undo); a.OK {
		t.Errorf("through a door that is no person's: %s", a.raw)
	}
	for _, tool := range []string{"mnote.page.get", "mnote.page.save", "mnote.doc.restore"} {
		if a := b.through(Door{Person: true}, b.request(tool, "a.md", nil)); a.OK || a.Error.Code != tools.CodeDisabled {
			t.Errorf("%s passes a person's door: %s", tool, a.raw)
		}
	}
	if a := b.through(Door{Person: true}, undo); !a.OK {
		t.Errorf("%s", a.raw)
	}
	b.holds("a.md", "x\n")
}

// TestTurnsAreHeard: what is switched through a door is told to whoever made it,
// a refusal is not.
func TestTurnsAreHeard(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	var got []Turn
	h := b.Through(Door{Turned: func(_ context.Context, t Turn) { got = append(got, t) }})
	put := func(path, body string) {
		r := httptest.NewRequest(http.MethodPut, "http://localhost/api/hermes/client/"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	put("capabilities/toggle", `{"id": "mnote-chat-only", "enabled": false}`)
	put("skills/toggle", `{"id": "mnote-local-file", "enabled": true}`)
	put("skills/toggle", `{"id": "mnote-local-index", "enabled": true}`)
	put("tools/toggle", `{"name": "mnote_page_save", "enabled": false, "profile": "bob"}`)
	put("tools/toggle", `{"name": "mnote.nope", "enabled": false}`)
	put("capabilities/toggle", `{"id": "nope", "enabled": false}`)
	put("capabilities/reset", `{}`)
	want := []Turn{
		{What: "mnote-chat-only"}, {What: "mnote-local-file", On: true}, {What: "mnote.page.save", Profile: "bob"}, {On: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestLostSwitches: with switches.db gone nothing is on, in a host that runs too,
// and every view says why; reset is the person's word that all may be on.
func TestLostSwitches(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	b.toggle("capabilities", map[string]any{"id": "mnote-chat-only", "enabled": false})
	b.ok("mnote.page.get", "a.md", nil)
	files, err := filepath.Glob(filepath.Join(b.state, "switches.db*"))
	b.must(err)
	for _, f := range files {
		b.must(os.Remove(f))
	}
	for _, k := range []*bench{b, b.on(b.open())} {
		r := k.refused(tools.CodeDisabled, capabilities.ReasonLost, "mnote.page.get", "a.md", nil)
		if !strings.Contains(string(r.raw), "capabilities reset") {
			t.Errorf("%s", r.raw)
		}
		k.refused(tools.CodeDisabled, "", "mnote.context.get", "a.md", nil)
	}
	m, err := direct{b}.Manifest(t.Context(), "")
	b.must(err)
	snap := capabilities.NewSnapshot(m, "mcp")
	if n := len(snap.Tools()); n != 0 {
		t.Errorf("%d tools are advertised", n)
	}
	if tool, _ := snap.Resolve("mnote_page_save"); true {
		if on, reason := snap.Switched(tool); on || reason != capabilities.ReasonLost {
			t.Errorf("the manifest says %v, %s", on, reason)
		}
	}
	if p, _ := snap.Pack(currentPage); !p.Lost || p.Enabled {
		t.Errorf("%+v", p)
	}

	b.toggle("capabilities", map[string]any{"id": "mnote-chat-only", "enabled": true})
	b.refused(tools.CodeDisabled, capabilities.ReasonLost, "mnote.page.get", "a.md", nil) // one said anew, the rest not
	b.toggle("capabilities", map[string]any{"id": currentPage, "enabled": false})
	b.refused(tools.CodeDisabled, capabilities.ReasonCapability, "mnote.page.save", "a.md", appended("y"))
	if w := (direct{b}).serve(http.MethodPut, "/api/hermes/client/capabilities/reset", map[string]any{}); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	b.ok("mnote.page.get", "a.md", nil)
}
