package interop

import (
	"fmt"
	"strings"
	"testing"
)

// TestConsolePlans: 计划 in a real browser: what waits appears by itself with its
// diff; approved, the agent's same call passes once; declined, it is refused.
func TestConsolePlans(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	a := b.agent(t, "--confirm", "writes")
	br := newBrowser(t, b)
	open(br, b.console(t))
	br.click(`nav a[href="/plans"]`)
	br.wait(`nav a[aria-current="page"][href="/plans"]`)
	if br.visible("#waiting") {
		t.Error("something waits already")
	}
	asked := a.append("Please agree.")
	if asked.code() != "mnote_tool_confirmation_required" {
		t.Fatalf("the agent was answered %+v", asked)
	}
	br.wait(".plan")
	br.wait("#waiting:text('1')")
	if got := br.text(".plan pre.diff .add >> nth=-1"); !strings.Contains(got, "+Please agree.") {
		t.Errorf("the plan adds %q", got)
	}
	br.accessible("计划")
	br.shot("plans-zh")
	before := b.page(t, "Welcome.md")
	br.wait(".plan button.yes:not([aria-disabled])")
	br.click(".plan button.yes")
	br.wait(".plan [data-note]")
	if got := br.text(".plan [data-note]"); !strings.Contains(got, "Welcome.md") || br.text(".plan .stand button") != "收回同意" {
		t.Errorf("approved, the card says %q", got)
	}
	if got := a.append("Please agree."); got.code() != "" {
		t.Errorf("approved, the agent is answered %+v", got)
	}
	if got := b.page(t, "Welcome.md"); got != before+"\nPlease agree.\n" {
		t.Errorf("the page is %q", got)
	}
	if again := a.append("Please agree."); again.code() != "mnote_tool_confirmation_required" {
		t.Errorf("a yes passed twice: %+v", again)
	}
	br.wait("#fresh")
	br.click("#fresh")
	br.wait(".plan:not(.over) button[value='no']:not([aria-disabled])")
	br.click(".plan:not(.over) button[value='no']")
	br.wait("[data-note]:has-text('已拒绝')")
	if got := a.append("Please agree."); got.code() != "mnote_tool_confirmation_declined" {
		t.Errorf("declined, the agent is answered %+v", got)
	}
	br.click("#over > summary")
	br.accessible("计划, answered")
	br.shot("plans-zh-over")
	br.quiet("plans")
}

// TestConsolePlansStay: what an agent asks for while a person reads never slides
// under their mouse: cards stay, the new ones are announced, and a press right
// after a change does nothing.
func TestConsolePlansStay(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	a := b.agent(t, "--confirm", "writes")
	br := newBrowser(t, b)
	open(br, b.console(t), "locale", "en-US")
	br.do("goto", "url", "/plans")
	good := a.append("The good one.")
	br.wait(".plan button.yes:not([aria-disabled])")
	yes := fmt.Sprintf("#yes-%v", good.Error.Details["planId"])
	at := br.do("place", "on", yes).(map[string]any)
	a.append("The evil one.")
	br.wait("#fresh")
	if got := br.text("#fresh"); !strings.HasPrefix(got, "1 new") {
		t.Errorf("announced is %q", got)
	}
	if now := br.do("place", "on", yes).(map[string]any); now["x"] != at["x"] || now["y"] != at["y"] {
		t.Errorf("the button moved from %v to %v", at, now)
	}
	if n := br.count(".plan"); n != 1 {
		t.Errorf("%d cards are shown, nobody asked for another", n)
	}
	br.do("clickAt", "x", at["x"].(float64)+5, "y", at["y"].(float64)+5)
	br.wait(".plan [data-note]")
	if got := br.text(".plan [data-note]"); !strings.Contains(got, "approved: mnote_page_save · Welcome.md") {
		t.Errorf("the card says %q", got)
	}
	if got := a.append("The good one."); got.code() != "" {
		t.Errorf("the one that was pressed is answered %+v", got)
	}
	if got := a.append("The evil one."); got.code() != "mnote_tool_confirmation_required" {
		t.Errorf("the one that came while the person read is answered %+v", got)
	}
	br.accessible("plans, announced")
	br.click("#fresh")
	br.wait(".plan:not(.over) button.yes")
	br.quiet("plans that stay")
}

// TestConsolePlanHidesNothing: a text far to the right of a line, and what goes
// away of a long page, are seen on a small screen too.
func TestConsolePlanHidesNothing(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	a := b.agent(t, "--confirm", "writes")
	b.edit(t, "Welcome.md", "\n"+strings.Repeat("A paragraph that goes away, with words enough to make the diff a long one.\n\n", 300)+"IBAN: the last\n")
	a.append("fix a typo" + strings.Repeat(" ", 300) + "HIDDEN: send it all")
	read := a.call("mnote_page_get", object{"includeBody": false})
	a.call("mnote_page_save", object{"content": "All gone. " + strings.Repeat("word", 100), "mode": "replace", "dryRun": false, "expectedRevision": read.Result["revision"]})
	br := newBrowser(t, b)
	open(br, b.console(t), "locale", "en-US")
	br.do("goto", "url", "/plans")
	br.do("width", "pixels", 400)
	if got := br.text("pre.diff .add:has-text('fix a typo')"); !strings.Contains(got, "fix a typo<space×300>HIDDEN") {
		t.Errorf("the line reads %q", got)
	}
	long := "pre.diff:has(.del:has-text('IBAN: the last'))"
	br.wait(long)
	if br.count("text=NOT shown") != 0 {
		t.Error("the whole is there and it is said that it is not")
	}
	for _, on := range []string{"pre.diff >> nth=0", long} {
		if over := br.do("hidden", "on", on).(float64); over > 0 {
			t.Errorf("%s: %v pixels are out of sight", on, over)
		}
	}
	br.accessible("plans, 400 pixels")
	br.shot("plans-en-400")
}
