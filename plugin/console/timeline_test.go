package console_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/console"
	"github.com/mnote-dev/mnote-host/tools"
)

func aRow(seq int64, session, tool, document string, effect tools.Effect) plugin.AuditRow {
	return plugin.AuditRow{
		Seq: seq, Time: noon.Add(time.Duration(seq-100) * time.Minute), Session: session, Run: "run_1", ToolCallID: fmt.Sprint("call_", seq),
		TraceID: "trace_1", Actor: "owner", Agent: "reasonix", Profile: "default", Workspace: "ws_1", Document: document, Tool: tool,
		Effect: effect, Scopes: []tools.Scope{"page.write"}, Duration: 1500 * time.Millisecond,
	}
}

// someRows are two sessions, one of them twice active, and a row of another
// workspace.
func someRows() []plugin.AuditRow {
	read := aRow(1, "s_one", "mnote.page.get", "a.md", tools.EffectRead)
	write := aRow(2, "s_one", "mnote.page.save", "a.md", tools.EffectWrite)
	write.CommandID = "cmd_2"
	write.Changed = []tools.ChangedFile{{Path: "a.md", Kind: "page"}}
	refused := aRow(3, "s_two", "mnote.page.save", "b.md", tools.EffectNone)
	refused.Code = tools.CodeConflict
	dry := aRow(4, "s_two", "mnote.page.save", "b.md", tools.EffectDryRun)
	replay := aRow(5, "s_one", "mnote.page.save", "a.md", tools.EffectWrite)
	replay.CommandID, replay.Replayed = "cmd_2", true
	elsewhere := aRow(6, "s_far", "mnote.page.save", "far.md", tools.EffectWrite)
	elsewhere.Workspace, elsewhere.CommandID = "ws_2", "cmd_6"
	return []plugin.AuditRow{read, write, refused, dry, replay, elsewhere}
}

func ordered(page string, texts ...string) bool {
	at := 0
	for _, t := range texts {
		i := strings.Index(page[at:], t)
		if i < 0 {
			return false
		}
		at += i + len(t)
	}
	return true
}

// The audit by session: who, what, on which page, what came of it; diff and
// undo for what this workspace's writes did.
func TestTimeline(t *testing.T) {
	t.Parallel()
	packs := []console.Category{{Packs: []console.Pack{aPack("p", "包", tools.Tool{Name: "mnote.page.save", Title: "保存正文"})}}}
	s := newSite(t, &fake{packs: packs, rows: someRows()}).signIn()
	_, page := s.get("/records")
	if !ordered(page, "s_one", "row-5", "row-2", "row-1", "s_two", "row-4", "row-3") {
		t.Errorf("not by session, newest first:\n%s", page)
	}
	wants(t, page, "谁: owner · reasonix · default", "2026-06-07 10:21:00 – 2026-06-07 10:25:00 UTC+00:00", "2 次写入", "1 次拒绝", "重放",
		"保存正文", "mnote_tool_conflict", `<time datetime="2026-06-07T10:25:00Z">10:25:00</time>`, "trace_1", "page.write", "1.5s",
		`data-src="/records/diff?command=cmd_2"`, `name="command" value="cmd_2"`, `aria-label="撤销 mnote.page.save 对 a.md 的写入"`)
	lacks(t, page, "far.md", "cmd_6")
	if n := strings.Count(page, `action="/records/undo"`); n != 1 {
		t.Errorf("%d writes can be undone, want the one that was no replay", n)
	}
	_, page = s.get("/records?where=all")
	wants(t, page, "far.md")
	if n := strings.Count(page, `action="/records/undo"`); n != 1 {
		t.Errorf("%d writes can be undone, another workspace's too", n)
	}
}

func TestTimelineFilters(t *testing.T) {
	t.Parallel()
	s := newSite(t, &fake{rows: someRows()}).signIn()
	rows := func(query string) (seqs []string) {
		_, page := s.get("/records?" + query)
		for _, part := range strings.Split(page, `id="row-`)[1:] {
			seq, _, _ := strings.Cut(part, `"`)
			seqs = append(seqs, seq)
		}
		slices.Sort(seqs)
		return seqs
	}
	for query, want := range map[string]string{
		"": "1 2 3 4 5", "session=s_two": "3 4", "document=a.md": "1 2 5", "tool=mnote.page.get": "1", "outcome=write": "2 5",
		"outcome=refused": "3", "outcome=dry_run": "4", "outcome=read": "1", "outcome=nonsense": "", "where=all": "1 2 3 4 5 6",
		"session=s_one&outcome=read": "1", "since=1h": "", "since=24h": "1 2 3 4 5", "after=4": "1 2 3", "after=x": "1 2 3 4 5", "after=-3": "1 2 3 4 5",
		"session=%3Cscript%3E": "",
	} {
		if got := strings.Join(rows(query), " "); got != want {
			t.Errorf("%s: rows %s, want %s", query, got, want)
		}
	}
	_, page := s.get("/records?session=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E")
	lacks(t, page, "<script>alert")
	_, page = s.get("/records?outcome=write&since=24h&where=all")
	wants(t, page, `<option value="write" selected>`, `<option value="24h" selected>`, `value="all" checked`)
}

// A long history comes in pages; nothing is lost between them.
func TestTimelinePages(t *testing.T) {
	t.Parallel()
	var rows []plugin.AuditRow
	for i := range 250 {
		rows = append(rows, aRow(int64(i+1), fmt.Sprint("s_", i/10), "mnote.page.get", "a.md", tools.EffectRead))
	}
	s := newSite(t, &fake{rows: rows}).signIn()
	seen := map[string]bool{}
	path, pages := "/records?outcome=read", 0
	for path != "" {
		_, page := s.get(path)
		for _, part := range strings.Split(page, `id="row-`)[1:] {
			seq, _, _ := strings.Cut(part, `"`)
			if seen[seq] {
				t.Errorf("row %s is shown twice", seq)
			}
			seen[seq] = true
		}
		pages++
		path = ""
		if _, link, ok := strings.Cut(page, `<a href="/records?`); ok && strings.Contains(page, `rel="next"`) {
			for _, href := range strings.Split(link, `<a href="`) {
				if strings.Contains(href, `rel="next"`) {
					path, _, _ = strings.Cut(href, `"`)
					path = strings.ReplaceAll(path, "&amp;", "&")
				}
			}
		}
	}
	if len(seen) != 250 || pages != 3 {
		t.Errorf("%d rows on %d pages", len(seen), pages)
	}
}

// Undo is a call like any other; its refusal is told with both sides of what
// was changed.
func TestUndo(t *testing.T) {
	t.Parallel()
	f := &fake{rows: someRows()}
	s := newSite(t, f).signIn()
	_, page := s.post("/records/undo", url.Values{"command": {"cmd_2"}, "at": {"row-2"}})
	wants(t, page, "已撤销 cmd_2")
	f.undo = func(string) tools.Envelope {
		return tools.Envelope{Error: tools.Errorf(tools.CodeConflict, tools.Text{ZH: "之后又被修改", EN: "changed since"}).
			With("threeWay", map[string]any{"undo": map[string]any{"unifiedDiff": "-new\n+old\n"}, "since": map[string]any{"unifiedDiff": "+later\n"}})}
	}
	_, page = s.post("/records/undo", url.Values{"command": {"cmd_2"}})
	wants(t, page, "之后又被修改 (mnote_tool_conflict)", "撤销会做的改动", `<span class="del">-new`, "之后又有的改动", `<span class="add">+later`)
	if got := f.changes(); !slices.Equal(got, []string{"undo cmd_2 zh", "undo cmd_2 zh"}) {
		t.Errorf("did %v", got)
	}
}

// A diff is shown whole or says that it is not, and hides nothing from the eye.
func TestDiff(t *testing.T) {
	t.Parallel()
	f := &fake{diffs: map[string]string{
		"c": "--- before\n+++ after\n@@ -1 +1 @@\n-old\r\n+new \u202egnp\n same\n--- a list\n", "same": "", "big": strings.Repeat("+界界界\n", 100_000),
		"html": "+<img src=x onerror=alert(1)>\n",
	}}
	s := newSite(t, f).signIn()
	_, page := s.get("/records/diff?command=c")
	wants(t, page, `<span class="file">--- before`, `<span class="file">+++ after`, `<span class="hunk">@@`, `<span class="del">-old␍`,
		`<span class="add">+new &lt;U+202E&gt;gnp`, "<span> same", `<span class="del">--- a list`)
	_, page = s.get("/records/diff?command=same")
	wants(t, page, "内容没有变化")
	_, page = s.get("/records/diff?command=big")
	wants(t, page, `<span class="cut">…`)
	if len(page) > 8<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	_, page = s.get("/records/diff?command=html")
	lacks(t, page, "<img")
	if status, page := s.get("/records/diff?command=none"); status != 404 || !strings.Contains(page, "没有这个命令") {
		t.Errorf("%d %s", status, page)
	}
}

// A write that is undone is told so and has no button; the undo itself has one.
func TestUndoneWrite(t *testing.T) {
	t.Parallel()
	rows := someRows()
	undo := aRow(7, "s_one", "mnote.command.undo", "a.md", tools.EffectWrite)
	undo.CommandID = "cmd_7"
	s := newSite(t, &fake{rows: append(rows, undo), undone: map[string]string{"cmd_2": "cmd_7"}}).signIn()
	_, page := s.get("/records?lang=en")
	_, write, _ := strings.Cut(page, `id="row-2"`)
	write, _, _ = strings.Cut(write, "</li>")
	wants(t, write, `<span class="badge">undone</span>`, "cmd_7", `data-src="/records/diff?command=cmd_2"`)
	lacks(t, write, "/records/undo")
	if n := strings.Count(page, `action="/records/undo"`); n != 1 || !strings.Contains(page, `name="command" value="cmd_7"`) {
		t.Errorf("%d writes can be undone", n)
	}
}

// How a person spoke is told on the row.
func TestSpokenOnTheRow(t *testing.T) {
	t.Parallel()
	yes, no := aRow(1, "s", "mnote.page.save", "a.md", tools.EffectWrite), aRow(2, "s", "mnote.page.save", "a.md", tools.EffectNone)
	yes.Agreed, no.Agreed, no.Code = "console", "client", tools.CodeConfirmationDeclined
	s := newSite(t, &fake{rows: []plugin.AuditRow{yes, no}}).signIn()
	_, page := s.get("/records?lang=en")
	wants(t, page, "agreed in the console", "declined in the client")
	_, page = s.get("/records?lang=zh")
	wants(t, page, "在控制台同意", "在客户端里拒绝")
}

// Reads of one page that follow one another are one line, which opens; a long
// path is cut in its middle and whole in its title.
func TestReadsFold(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("folder/", 20) + "page.md"
	rows := []plugin.AuditRow{
		aRow(1, "s", "mnote.page.get", "a.md", tools.EffectRead), aRow(2, "s", "mnote.block.get", "a.md", tools.EffectRead),
		aRow(3, "s", "mnote.page.save", long, tools.EffectWrite), aRow(4, "s", "mnote.page.get", "a.md", tools.EffectRead),
	}
	s := newSite(t, &fake{rows: rows}).signIn()
	_, page := s.get("/records?lang=en")
	if n := strings.Count(page, `class="row outcome-read fold"`); n != 1 {
		t.Errorf("%d folds", n)
	}
	wants(t, page, `id="fold-1"`, "2 times", `id="row-1"`, `id="row-2"`, `title="`+long+`"`, "…")
	lacks(t, page, ">"+long+"<")
}

// A person reads words and no names: of what was switched, and of why a call was
// refused.
func TestSwitchesAndRefusalsInWords(t *testing.T) {
	t.Parallel()
	refused := aRow(8, "s_1", "mnote.page.save", "a.md", tools.EffectNone)
	refused.Code = tools.CodeConfirmationRequired
	f := &fake{packs: aLibrary(), rows: []plugin.AuditRow{aRow(7, "s_1", "mnote.capability.reset", "", tools.EffectNone), refused}}
	_, page := newSite(t, f).signIn().get("/records?lang=zh")
	for _, want := range []string{"所有开关恢复成出厂的样子", `<code class="code" title="mnote_tool_confirmation_required">等人同意</code>`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
}
