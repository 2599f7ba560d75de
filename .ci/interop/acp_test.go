package interop

import (
	"strings"
	"testing"
)

// TestReasonixACP: inside the real Reasonix the model finds MNote, reads the page
// in focus, writes with a permission asked and granted, is refused outside of
// its scope; the person moves on during a turn, which keeps its page and can see
// the other, and between two, and the next call uses the new page.
func TestReasonixACP(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.pages(t)
	before := b.page(t, pageOne)
	var s acpSession
	m := newModel(t,
		step{tool: "use_capability", args: fixed(object{"action": "search", "query": "note page"})},
		capability("mnote_page_get", fixed(object{})),
		capability("mnote_page_save", func(results []string) any {
			return object{"content": []any{object{"text": "From inside."}}, "mode": "append", "dryRun": false, "expectedRevision": parse(t, results[1]).Result["revision"]}
		}),
		capability("mnote_page_get", fixed(object{"documentId": pageOther})),
		capability("mnote_context_get", func([]string) any { return s.moves(t, 2, pageTwo) }),
		step{text: "first turn done"},
		capability("mnote_page_get", fixed(object{})),
		step{text: "second turn done"},
		capability("mnote_page_get", fixed(object{})),
		step{text: "third turn done"},
	)
	env := b.reasonixEnv(b.reasonixHome(t, m, nil))
	w := b.wrap(t, env, []string{"--confirm", "writes"}, reasonixBin(), "acp")
	w.initialize(t)
	s = w.open(t, "session/new", "", b.notes, pageOne, pageTwo)
	s.turn(t, "please read this page", pageOne)

	results := m.results()
	if len(results) != 5 {
		t.Fatalf("the model saw %d results: %q\n%s", len(results), results, w.stderr)
	}
	if !strings.Contains(results[0], "mnote_page_get") {
		t.Errorf("the search found %q", results[0])
	}
	if got := titleOf(t, results[1]); got != pageOne {
		t.Errorf("the page read is %q", got)
	}
	if written := parse(t, results[2]); !written.OK || w.asked != 1 {
		t.Errorf("the write answered %+v after %d questions", written, w.asked)
	}
	if got := b.page(t, pageOne); got != before+"\nFrom inside.\n" {
		t.Errorf("the page is now %q", got)
	}
	if denied := parse(t, results[3]); denied.OK || denied.Error.Code != "mnote_tool_permission_denied" {
		t.Errorf("outside of the scope: %+v", denied)
	}

	checkMoved(t, results[4])

	s.turn(t, "and now", "")
	if results = m.results(); titleOf(t, results[len(results)-1]) != pageTwo {
		t.Errorf("after moving on the model saw %q", results[len(results)-1])
	}
	s.moves(t, 3, pageOne)
	s.turn(t, "and back", "")
	if results = m.results(); titleOf(t, results[len(results)-1]) != pageOne {
		t.Errorf("after moving back the model saw %q", results[len(results)-1])
	}
	b.nothingWritten(t, "canary-token-Zx81")
}

// TestReasonixScopes: with --single-scope=off two sessions of one Reasonix have
// two scopes, and neither ever reads the other's page.
func TestReasonixScopes(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.pages(t)
	var steps []step
	for range 2 {
		for _, doc := range []string{pageOne, pageTwo} {
			steps = append(steps, capability("mnote_page_get", fixed(object{"documentId": doc})))
		}
		steps = append(steps, step{text: "done"})
	}
	m := newModel(t, steps...)
	w := b.wrap(t, b.reasonixEnv(b.reasonixHome(t, m, nil)), []string{"--single-scope", "off"}, reasonixBin(), "acp")
	w.initialize(t)
	one := w.open(t, "session/new", "", b.notes, pageOne)
	two := w.open(t, "session/new", "", b.notes, pageTwo)
	for s, own := range map[acpSession]int{one: 0, two: 1} {
		before := m.count()
		s.turn(t, "read both", "")
		results := m.since(before)
		if len(results) != 2 {
			t.Fatalf("the model saw %q\n%s", results, w.stderr)
		}
		for i, shown := range results {
			env := parse(t, shown)
			if env.OK != (i == own) {
				t.Errorf("session %d asked for page %d and saw %+v", own, i, env)
			}
		}
	}
}
