package interop

import (
	"fmt"
	"strings"
	"testing"
)

// TestConsoleRecords: 记录 in a real browser: what an agent does appears by
// itself, its diff opens, undo brings the bytes back, filters narrow.
func TestConsoleRecords(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	a := b.agent(t)
	br := newBrowser(t, b)
	open(br, b.console(t), "scheme", "dark", "locale", "en-US")
	br.click(`nav a[href="/records"]`)
	br.wait(`nav a[aria-current="page"][href="/records"]`)
	before := b.page(t, "Welcome.md")
	a.call("mnote_page_get", object{})
	written := a.append("A line from the agent.")
	stale := a.call("mnote_page_save", object{"content": "Stale.", "mode": "append", "dryRun": false, "expectedRevision": 1})
	if written.code() != "" || stale.code() != "mnote_tool_conflict" {
		t.Fatalf("the agent was answered %+v, %+v", written, stale)
	}
	br.wait(".row.outcome-refused") // nobody loaded the page again
	br.wait(".row.outcome-write")
	if got := br.text(".session .facts"); !strings.Contains(got, "owner · mcp · default") || !strings.Contains(got, "1 written · 1 refused") {
		t.Errorf("the session reads %q", got)
	}
	br.click(".row.outcome-write details.lazy > summary")
	br.wait(".row.outcome-write pre.diff")
	if got := br.text(".row.outcome-write pre.diff .add >> nth=-1"); !strings.Contains(got, "+A line from the agent.") {
		t.Errorf("the diff adds %q", got)
	}
	br.accessible("records, dark")
	br.shot("records-en-dark")

	br.click(`.row.outcome-write form[action="/records/undo"] button:not([aria-disabled])`)
	br.wait("[data-note]")
	if got := br.text("[data-note]"); !strings.Contains(got, "undone: "+written.Audit.CommandID) {
		t.Errorf("the page says %q", got)
	}
	if got := b.page(t, "Welcome.md"); got != before {
		t.Errorf("after the undo the page is %q", got)
	}
	if got := br.text(".session:first-of-type .row .page"); got != "Welcome.md" {
		t.Errorf("the undo is told to have been on %q", got)
	}
	// What is undone says so and is not undone twice; what a person changed since is
	// not undone at all, and the page says why.
	br.wait(".row.outcome-write .badge:text-is('undone')")
	if n := br.count(fmt.Sprintf(`form:has(input[value=%q])`, written.Audit.CommandID)); n != 0 {
		t.Errorf("a write that is undone has %d buttons", n)
	}
	second := a.append("Another line.")
	b.edit(t, "Welcome.md", "A person's own line.\n")
	on := fmt.Sprintf(`form:has(input[value=%q]) button:not([aria-disabled])`, second.Audit.CommandID)
	br.wait(on)
	br.click(on)
	br.wait(".note.bad")
	if said := br.text("#said"); strings.Contains(said, "@@") || !strings.Contains(said, "changed after this write") {
		t.Errorf("a screen reader is told %q", said)
	}
	if got := br.text(".note.bad"); !strings.Contains(got, "changed after this write") || !strings.Contains(got, "mnote_tool_conflict") {
		t.Errorf("a second undo says %q", got)
	}
	br.accessible("records, refused")
	br.shot("records-en-undo-refused")

	br.do("select", "on", `select[name="outcome"]`, "text", "write")
	br.click(".filter button")
	br.do("wait", "on", `select[name="outcome"] option[value="write"][selected]`, "state", "attached")
	if n := br.count(".row:not(.outcome-write)"); n != 0 || br.count(".row") != 3 {
		t.Errorf("filtered for writes: %d rows, %d of them others", br.count(".row"), n)
	}
	br.quiet("records")
}
