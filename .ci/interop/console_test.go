package interop

import (
	"strings"
	"testing"
)

// TestConsoleCapabilities: 能力 in a real browser: the switch, expanding, a
// single tool, the language, each in force for a running agent at once.
func TestConsoleCapabilities(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	a := b.agent(t)
	br := newBrowser(t, b)
	open(br, b.console(t))
	br.accessible("能力")
	br.shot("packs-zh-light")
	if got := br.text(pagePack + " .facts"); !strings.Contains(got, "个工具") || !strings.Contains(got, "需要 页面") {
		t.Errorf("the subtitle is %q", got)
	}

	if got := a.call("mnote_page_get", object{}); got.code() != "" {
		t.Fatalf("at first: %+v", got)
	}
	br.click(packSwitch)
	br.wait(packSwitch + `[aria-checked="false"]`)
	br.wait(pagePack + " .chip-off")
	if got := a.call("mnote_page_get", object{}); got.code() != "mnote_tool_disabled" || got.Error.Details["reason"] != "capability" {
		t.Errorf("switched off in the page: %+v", got)
	}
	if said := br.text("#said"); !strings.Contains(said, "已关闭：当前页读取") {
		t.Errorf("a screen reader is told %q", said)
	}
	if at := br.do("focused"); at != packSwitch[1:] {
		t.Errorf("the focus went to %v", at)
	}
	br.do("press", "key", "Space") // by keyboard, where the focus stayed
	br.wait(packSwitch + `[aria-checked="true"]`)
	if got := a.call("mnote_page_get", object{}); got.code() != "" {
		t.Errorf("on again: %+v", got)
	}

	singleTool(t, br, a)
	inEnglish(t, br, a)
	br.accessible("Capabilities")
	br.quiet("capabilities")
}

// singleTool expands the pack and switches one of its tools off.
func singleTool(t *testing.T, br *browser, a agent) {
	t.Helper()
	br.click(packTools)
	if !br.visible(pagePack + " table") {
		t.Error("the tools are not shown")
	}
	if br.visible(saveSwitch) {
		t.Error("single switches stand outside 高级")
	}
	br.click(packSingles)
	br.click(saveSwitch)
	br.wait(saveSwitch + `[aria-checked="false"]`)
	br.wait(pagePack + " .chip-partly_off")
	if !br.visible(saveSwitch) {
		t.Error("what was open closed itself")
	}
	if got := a.append("no"); got.code() != "mnote_tool_disabled" || got.Error.Details["reason"] != "tool" {
		t.Errorf("the tool switched off in the page: %+v", got)
	}
	br.accessible("能力, expanded")
	br.shot("packs-zh-expanded")
	tree := br.do("tree", "on", pagePack).(string)
	for _, want := range []string{`switch "当前页读取" [checked]`, `switch "保存正文 mnote.page.save"`, `heading "当前页读取"`} {
		if !strings.Contains(tree, want) {
			t.Errorf("a screen reader does not meet %s:\n%s", want, tree)
		}
	}
}

// inEnglish changes the language and switches the tool on again.
func inEnglish(t *testing.T, br *browser, a agent) {
	t.Helper()
	br.click("a.lang")
	br.wait(`html[lang="en"]`)
	if got := br.text("h1") + "|" + br.text(pagePack+" .chip-partly_off"); got != "Capabilities|some tools off" {
		t.Errorf("in English it reads %q", got)
	}
	br.click(packTools)
	br.click(packSingles)
	br.click(saveSwitch)
	br.wait(saveSwitch + `[aria-checked="true"]`)
	if got := a.append("yes"); got.code() != "" {
		t.Errorf("on again: %+v", got)
	}
}

// TestConsoleCutOff: a page left open while its console is away says so, does
// nothing meanwhile, and tells how to come back.
func TestConsoleCutOff(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	br := newBrowser(t, b)
	link, stop := b.consoleAt(t, "127.0.0.1:0")
	open(br, link)
	stop()
	br.wait("#link:has-text('连接断了')")
	br.wait(packSwitch + `[aria-disabled="true"]`)
	at := br.do("place", "on", packSwitch).(map[string]any)
	br.do("clickAt", "x", at["x"].(float64)+5, "y", at["y"].(float64)+5)
	if !br.checked(packSwitch) {
		t.Error("it was switched with nobody there")
	}
	br.accessible("cut off")
	br.shot("cut-off-zh")
	address := strings.TrimPrefix(link[:strings.Index(link, "/open/")], "http://")
	b.consoleAt(t, address)
	br.wait("#link:has-text('mnote-host console')")
	if br.do("attribute", "on", packSwitch, "name", "aria-disabled") != "true" {
		t.Error("its buttons are those of a login that is no more")
	}
}

// TestConsoleWithoutScript: every page and switch works with scripts off.
func TestConsoleWithoutScript(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	a := b.agent(t)
	a.append("To be undone.")
	br := newBrowser(t, b)
	open(br, b.console(t), "script", false)
	br.click(packSwitch)
	br.wait(packSwitch + `[aria-checked="false"]`)
	if got := br.text("[data-note]"); !strings.Contains(got, "已关闭：当前页读取") {
		t.Errorf("the page says %q", got)
	}
	if got := a.call("mnote_page_get", object{}); got.code() != "mnote_tool_disabled" {
		t.Errorf("switched off: %+v", got)
	}
	br.click(packSwitch)
	br.wait(packSwitch + `[aria-checked="true"]`)
	br.click(`nav a[href="/records"]`)
	br.click(".row.outcome-write details.lazy > summary")
	br.click(".row.outcome-write details.lazy a")
	if got := br.text("pre.diff .add >> nth=-1"); !strings.Contains(got, "+To be undone.") {
		t.Errorf("the diff adds %q", got)
	}
	br.do("goto", "url", "/records")
	br.click(`.row.outcome-write form[action="/records/undo"] button`)
	br.wait("[data-note]")
	if strings.Contains(b.page(t, "Welcome.md"), "To be undone.") {
		t.Error("the undo did nothing")
	}
	br.quiet("without script")
}
