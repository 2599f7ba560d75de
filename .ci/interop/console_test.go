package interop

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// agent is an MCP client of a host process, as an agent's runtime is.
type agent struct {
	t *testing.T
	c *acpClient // MCP frames its messages as ACP does
}

func (b box) agent(t *testing.T, more ...string) agent {
	t.Helper()
	cmd := exec.Command(host, b.args(append(more, "--document", "Welcome.md")...)...)
	cmd.Env, cmd.Stderr = b.env(), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	a := agent{t, newACP(out, in)}
	hello := object{"protocolVersion": "2025-11-25", "capabilities": object{}, "clientInfo": object{"name": "interop", "version": "0"}}
	if err := a.c.call("initialize", hello, nil); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a agent) call(tool string, args object) envelope {
	a.t.Helper()
	var r struct {
		Content []struct{ Text string }
	}
	if err := a.c.call("tools/call", object{"name": tool, "arguments": args}, &r); err != nil {
		a.t.Fatal(err)
	}
	return parse(a.t, r.Content[0].Text)
}

func (a agent) append(text string) envelope {
	a.t.Helper()
	return a.call("mnote_page_save", object{"content": text, "mode": "append", "dryRun": false})
}

// code is "" for a success.
func (e envelope) code() string {
	if e.Error == nil {
		return ""
	}
	return e.Error.Code
}

var consoleLink = regexp.MustCompile(`http://\S+/open/\S+`)

// edit adds to a page as a person's editor would.
func (b box) edit(t *testing.T, page, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(b.notes, page), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// console starts `mnote-host console` and gives the one-time link it prints.
func (b box) console(t *testing.T) (link string) {
	t.Helper()
	link, _ = b.consoleAt(t, "127.0.0.1:0")
	return link
}

// consoleAt is console at an address of ours; stop ends it.
func (b box) consoleAt(t *testing.T, listen string) (link string, stop func()) {
	t.Helper()
	cmd := exec.Command(host, "console", "--workspace", b.notes, "--state", b.state, "--no-open", "--lang", "zh", "--listen", listen)
	cmd.Env, cmd.Stderr = b.env(), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	t.Cleanup(stop)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if link = consoleLink.FindString(lines.Text()); link != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return link, stop
		}
	}
	t.Fatal("the console prints no link")
	return "", nil
}

// open opens a browser window by a one-time link.
func open(br *browser, link string, more ...any) {
	br.t.Helper()
	br.do("open", append([]any{"url", link}, more...)...)
	br.wait("h1")
}

const (
	pagePack    = "#pack-mnote-current-page"
	packSwitch  = pagePack + "-switch"
	saveSwitch  = pagePack + "-mnote_page_save-switch"
	packTools   = pagePack + "-tools > summary"
	packSingles = pagePack + "-advanced > summary"
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

// TestConsoleForged: a page of another site, in the very browser that is
// signed in and knowing even the form's token, changes nothing; nor does one
// without a login.
func TestConsoleForged(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	br := newBrowser(t, b)
	link := b.console(t)
	open(br, link)
	base := link[:strings.Index(link, "/open/")]
	token := br.do("attribute", "on", `.pack input[name="form"]`, "name", "value").(string)
	action := base + "/packs/mnote-current-page"
	fields := fmt.Sprintf(`<input name="form" value="%s"><input name="on" value="false">`, html.EscapeString(token))
	body, _ := json.Marshal("form=" + token + "&on=false")
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>evil</title><form method="post" action="%s">%s<button>win</button></form>
<script>window.reach = () => fetch(%q, {method: "POST", mode: "no-cors", credentials: "include",
headers: {"Content-Type": "application/x-www-form-urlencoded"}, body: %s}).catch(() => 0)</script>`, action, fields, action, body)
	}))
	t.Cleanup(evil.Close)
	got := br.do("forge", "page", evil.URL, "action", action).(map[string]any)
	answers := got["answers"].([]any) // that to the fetch may be hidden even from the browser's driver
	for _, status := range answers {
		if status != float64(http.StatusForbidden) {
			t.Errorf("the forged form or fetch was answered %v", status)
		}
	}
	if len(answers) == 0 || !strings.Contains(got["text"].(string), "没有执行") {
		t.Errorf("the forged form was answered %v: %s", answers, got["text"])
	}
	br.do("goto", "url", "/")
	if !br.checked(packSwitch) {
		t.Error("the forged form switched it off")
	}
	r, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusForbidden {
		t.Errorf("the link works twice: %d", r.StatusCode)
	}
}
