package console_test

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/console"
	"github.com/mnote-dev/mnote-host/tools"
)

// aLibrary is the pack of seed 7-47 §7, and beside it one of each other kind.
func aLibrary() []console.Category {
	rag := aPack("mnote-knowledge-rag", "资料库问答",
		aTool("mnote.knowledge_rag.status", tools.KindRead, tools.StatusAvailable),
		aTool("mnote.knowledge_rag.query", tools.KindRead, tools.StatusDisabled),
		aTool("mnote.knowledge_rag.open_reference", tools.KindRead, tools.StatusAvailable))
	rag.Subtitle, rag.RequiresRefs, rag.Chips = "知识库 / LightRAG · 可回跳来源", []string{"folder"}, []plugin.Chip{plugin.ChipReadOnly, plugin.ChipPartlyOff}
	rag.Tools[2].RequiresWritePermission, rag.Tools[2].Scopes = true, []tools.Scope{"knowledge_rag.read", "evidence.read"}
	off := aPack("mnote-current-page", "当前页读取", aTool("mnote.page.save", tools.KindWrite, tools.StatusDisabledByPack))
	off.Enabled, off.Chips = false, []plugin.Chip{plugin.ChipOff}
	native := aPack("mnote-local-file", "本地文件编辑")
	native.NativeAgentTools, native.Chips = true, []plugin.Chip{plugin.ChipGuidance}
	planned := aPack("mnote-mindmap", "思维导图", aTool("mnote.mindmap.fetch", tools.KindRead, tools.StatusPlanned))
	planned.Planned, planned.Enabled, planned.Chips = true, false, []plugin.Chip{plugin.ChipPlanned}
	fixed := aPack("other", "其他", aTool("mnote.free.look", tools.KindRead, tools.StatusAvailable))
	fixed.Toggleable = false
	chat := console.Pack{Pack: capabilities.Pack{ID: "mnote-chat-only", Title: "纯聊天", Enabled: true, Toggleable: true, UIKind: "chat"}, Chips: []plugin.Chip{plugin.ChipMode}}
	return []console.Category{
		{Name: "mnote", Title: "MNote", Packs: []console.Pack{rag, off, native}},
		{Name: "resource", Title: "资源", Packs: []console.Pack{planned}},
		{Name: "other", Title: "其他", Packs: []console.Pack{fixed, chat}},
	}
}

// row is the part of the page that shows one pack.
func row(t *testing.T, page, id string) string {
	t.Helper()
	_, after, ok := strings.Cut(page, `id="pack-`+id+`">`)
	if !ok {
		t.Fatalf("no row of %s: %s", id, page)
	}
	if next := strings.Index(after, `<li class="pack`); next >= 0 {
		after = after[:next]
	}
	return after
}

// A row is what seed 7-47 §4.1 says: title, subtitle with the number of tools
// and what it needs, chips, the main switch, and the tools with kind and state.
func TestPackRows(t *testing.T) {
	t.Parallel()
	s := newSite(t, &fake{packs: aLibrary()}).signIn()
	_, page := s.get("/")
	rag := row(t, page, "mnote-knowledge-rag")
	wants(t, rag, "资料库问答", "知识库 / LightRAG · 可回跳来源 · 3 个工具 · 需要 文件夹", ">只读<", ">部分工具关闭<",
		`role="switch" aria-checked="true"`, `action="/packs/mnote-knowledge-rag"`, `name="on" value="false"`,
		"mnote.knowledge_rag.query", "已单独关闭", "读, 需要写权限", "<code>knowledge_rag.read</code> <code>evidence.read</code>", "高级")
	if strings.Count(rag, `action="/tools/`) != 3 {
		t.Errorf("not every tool has its switch: %s", rag)
	}
	wants(t, rag, `action="/tools/mnote.knowledge_rag.query" data-inline><input type="hidden" name="form" value="`)
	off := row(t, page, "mnote-current-page")
	wants(t, off, ">已关闭<", `aria-checked="false"`, `name="on" value="true"`, "随能力关闭", "写")
	lacks(t, off, `action="/tools/`)
	native := row(t, page, "mnote-local-file")
	wants(t, native, "agent 自带工具", "MNote 不提供工具", `role="switch"`)
	planned := row(t, page, "mnote-mindmap")
	wants(t, planned, "尚未实现，不能打开")
	lacks(t, planned, "<form")
	fixed := row(t, page, "other")
	wants(t, fixed, "不能开关", `action="/tools/mnote.free.look"`)
	lacks(t, fixed, `action="/packs/`)
	wants(t, row(t, page, "mnote-chat-only"), "一种对话模式，不用工具")
	for _, leak := range []string{"mnote.evidence", "mnote.index", "mnote-local-index"} {
		lacks(t, page, leak)
	}
}

// Switches do what they say, come back to their row, and tell what happened; a
// refusal is told in its own words, a fault without them.
func TestSwitches(t *testing.T) {
	t.Parallel()
	f := &fake{packs: aLibrary()}
	s := newSite(t, f).signIn()
	status, page := s.post("/packs/mnote-knowledge-rag", url.Values{"on": {"false"}})
	if status != http.StatusOK {
		t.Fatalf("answers %d", status)
	}
	wants(t, page, "已关闭：资料库问答")
	_, page = s.post("/tools/mnote.knowledge_rag.query", url.Values{"on": {"true"}, "at": {"pack-mnote-knowledge-rag"}})
	wants(t, page, "已打开工具 mnote.knowledge_rag.query（配置档 default）")
	want := []string{"pack mnote-knowledge-rag false", "tool mnote.knowledge_rag.query true"}
	if got := f.changes(); !slices.Equal(got, want) {
		t.Errorf("did %v, want %v", got, want)
	}
	noRedirect := *s
	noRedirect.browser = &http.Client{Jar: s.browser.Jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r := noRedirect.send("POST", "/packs/mnote-knowledge-rag", url.Values{"on": {"true"}, "form": {s.token()}})
	if to := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/?note=") || !strings.HasSuffix(to, "#pack-mnote-knowledge-rag") {
		t.Errorf("leads %d to %s", r.StatusCode, to)
	}
	f.fault = tools.Errorf(tools.CodeConflict, tools.Text{ZH: "能力不能开关", EN: "the capability cannot be switched"})
	token := formToken.FindStringSubmatch(page)[1]
	_, page = s.post("/packs/mnote-mindmap", url.Values{"on": {"true"}, "form": {token}})
	wants(t, page, "能力不能开关 (mnote_tool_conflict)", `class="note bad"`)
	f.fault = errors.New("secret-path /home/u/x.db is locked")
	_, page = s.post("/packs/mnote-mindmap", url.Values{"on": {"true"}, "form": {token}})
	wants(t, page, "出错了")
	lacks(t, page, "secret-path")
}

// Where switches were lost, and only there, the page offers all of them at once.
func TestReset(t *testing.T) {
	t.Parallel()
	f := &fake{packs: aLibrary()}
	s := newSite(t, f).signIn()
	_, page := s.get("/")
	lacks(t, page, `action="/reset"`)
	f.packs = lostSwitches()
	_, page = s.get("/")
	wants(t, page, `action="/reset"`, "开关的记录丢失了", "全部打开")
	status, page := s.post("/reset", url.Values{"profile": {"default"}})
	wants(t, page, "所有开关：开")
	if want := []string{"reset"}; status != http.StatusOK || !slices.Equal(f.changes(), want) {
		t.Errorf("answers %d and did %v, want %v", status, f.changes(), want)
	}
	token := formToken.FindStringSubmatch(page)[1]
	f.fault = tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "开关写不了", EN: "the switches cannot be written"})
	_, page = s.post("/reset", url.Values{"form": {token}})
	wants(t, page, "开关写不了", `class="note bad"`)
}

// lostSwitches is a library whose switches nobody knows any more.
func lostSwitches() []console.Category {
	p := aPack("p", "包", tools.Tool{Name: "mnote.page.save", Title: "保存正文", Status: tools.StatusDisabledByPack})
	p.Enabled, p.Lost, p.Chips = false, true, []plugin.Chip{plugin.ChipLost}
	return []console.Category{{Packs: []console.Pack{p}}}
}

// Every page is there in both languages: as the browser wants it, as the person
// picked it, and kept.
func TestLanguages(t *testing.T) {
	t.Parallel()
	s := newSite(t, &fake{packs: aLibrary()}).signIn()
	for _, c := range []struct{ path, accept, want, not string }{
		{"/", "", `<html lang="zh-Hans">`, "Capabilities"},
		{"/", "en-GB,en;q=0.9,zh;q=0.1", `<html lang="en">`, "跳到正文"},
		{"/", "fr, zh-CN;q=0.5", `<html lang="zh-Hans">`, "skip to content"},
		{"/records", "en", "Records", "跳到正文"},
		{"/plans", "en", "nothing waits for you", "跳到正文"},
		{"/?lang=xx", "", `<html lang="zh-Hans">`, "Capabilities"},
		{"/records?lang=en", "zh", `<html lang="en">`, "跳到正文"},
		{"/plans", "zh", `<html lang="en">`, "跳到正文"}, // kept
		{"/?lang=zh", "en", `<html lang="zh-Hans">`, "skip to content"},
	} {
		_, page := s.get(c.path, "Accept-Language", c.accept)
		wants(t, page, c.want)
		lacks(t, page, c.not)
	}
	_, page := s.get("/records?session=s1&lang=en")
	wants(t, page, `href="/records?lang=zh&amp;session=s1"`)
}

// A page that cannot read its records says so, and stays a page.
func TestFaults(t *testing.T) {
	t.Parallel()
	f := &fake{fault: tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "没有状态文件夹", EN: "no state folder"})}
	s := newSite(t, f).signIn()
	for _, path := range []string{"/", "/records", "/plans", "/records/diff?command=x"} {
		_, page := s.get(path)
		wants(t, page, "没有状态文件夹", "</html>")
	}
	if status, page := s.get("/nowhere"); status != http.StatusNotFound || !strings.Contains(page, "这里什么也没有") {
		t.Errorf("%d %s", status, page)
	}
}

// The page is whole without script, and nothing in it is inline or from
// elsewhere.
func TestNothingInline(t *testing.T) {
	t.Parallel()
	f := &fake{packs: aLibrary(), rows: someRows(), plans: somePlans(t)}
	s := newSite(t, f).signIn()
	for _, path := range []string{"/", "/records", "/plans", "/records/diff?command=x"} {
		_, page := s.get(path)
		for _, inline := range []string{"<style", "style=", "onclick", "javascript:", "http://", "https://", "//cdn"} {
			if strings.Contains(page, inline) {
				t.Errorf("%s holds %q", path, inline)
			}
		}
		if strings.Count(page, "<script") != 1 || !strings.Contains(page, `<script src="/assets/console.js?v=`) {
			t.Errorf("%s has other scripts", path)
		}
		if strings.Count(page, "<h1>") != 1 {
			t.Errorf("%s has no single heading", path)
		}
	}
}

// A single tool's switch holds for one profile: the page says which, leads to
// the others, and its forms stay in the one that is shown.
func TestProfiles(t *testing.T) {
	t.Parallel()
	f := &fake{packs: aLibrary(), profiles: []string{"bob", "default"}}
	s := newSite(t, f).signIn()
	_, page := s.get("/?lang=en")
	wants(t, page, "switch holds for the profile default alone", `<a href="/?profile=bob">bob</a>`)
	_, page = s.get("/?profile=bob&lang=zh")
	wants(t, page, "只对配置档 bob 有效", `name="profile" value="bob"`)
	_, page = s.post("/tools/mnote.free.look", url.Values{"on": {"false"}, "profile": {"bob"}})
	wants(t, page, "配置档 bob", `name="profile" value="bob"`)
	_, page = s.post("/tools/mnote.free.look", url.Values{"on": {"false"}, "profile": {"made up"}})
	wants(t, page, "配置档 default")
	if got, want := f.changes(), []string{"tool mnote.free.look false for bob", "tool mnote.free.look false"}; !slices.Equal(got, want) {
		t.Errorf("did %v, want %v", got, want)
	}
}

// Each language has its own words, and the manifest's Chinese titles stand on a
// Chinese page alone.
func TestWordsOfTheLanguage(t *testing.T) {
	t.Parallel()
	packs := aLibrary()
	packs[0].Packs[0].Tools = append(packs[0].Packs[0].Tools, aTool("mnote.knowledge_rag.soon", tools.KindRead, tools.StatusPlanned))
	s := newSite(t, &fake{packs: packs, rows: someRows(), plans: somePlans(t)}).signIn()
	han := regexp.MustCompile(`\p{Han}`)
	for _, path := range []string{"/", "/records", "/plans"} {
		_, page := s.get(path + "?lang=en")
		page = strings.ReplaceAll(page, ">中文<", "><")
		if found := han.FindStringIndex(page); found != nil {
			t.Errorf("%s in English reads %q", path, page[max(0, found[0]-80):found[1]+40])
		}
	}
	_, page := s.get("/?lang=zh")
	wants(t, row(t, page, "mnote-knowledge-rag"), "3 个工具，另有 1 个尚未实现 · 需要 文件夹", "<summary>工具（3 个工具，另有 1 个尚未实现）</summary>")
	lacks(t, page, "需要 folder")
}
