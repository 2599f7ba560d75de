package localkernel

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

func (a answer) strings(list, member string) []string {
	var out []string
	items, _ := a.result[list].([]any)
	for _, i := range items {
		s, _ := i.(map[string]any)[member].(string)
		out = append(out, s)
	}
	return out
}

func TestPageGet(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"笔记/a.md": "---\nmnote:\n  wideLayout: true\n---\n# 题目\n\n正文\n\n- [x] 做完\n- 没做\n"})
	all := b.ok("mnote.page.get", "笔记/a.md", nil)
	for _, name := range []string{"bodySummary", "pageOptions", "blocks", "runtimeSupport", "revision", "contentHash"} {
		if _, has := all.result[name]; !has {
			t.Errorf("%s is missing: %s", name, all.raw)
		}
	}
	if all.result["title"] != "题目" || all.result["pageOptions"].(map[string]any)["wideLayout"] != true || all.Audit.Effect != tools.EffectRead {
		t.Errorf("%s", all.raw)
	}
	tests := []struct {
		args     map[string]any
		has, not []string
	}{
		{map[string]any{"includeBody": false}, []string{"blocks", "pageOptions"}, []string{"bodySummary", "body"}},
		{map[string]any{"includeOptions": false}, []string{"blocks", "bodySummary"}, []string{"pageOptions", "runtimeSupport"}},
		{map[string]any{"includeBlocks": false}, []string{"body", "bodySummary"}, []string{"blocks"}},
		{map[string]any{"includeBlocks": false, "includeBody": false}, []string{"revision", "pageOptions"}, []string{"blocks", "body", "bodySummary"}},
	}
	for _, tt := range tests {
		a := b.ok("mnote.page.get", "笔记/a.md", tt.args)
		for _, name := range tt.has {
			if _, has := a.result[name]; !has {
				t.Errorf("%v: %s is missing", tt.args, name)
			}
		}
		for _, name := range tt.not {
			if _, has := a.result[name]; has {
				t.Errorf("%v: %s is there", tt.args, name)
			}
		}
	}
	// An empty page has an empty list of blocks, not none.
	b.put("empty.md", "")
	if a := b.ok("mnote.page.get", "empty.md", nil); a.result["blocks"] == nil || a.revision() != 1 {
		t.Errorf("%s", a.raw)
	}
}

// TestB11: whatever the page, a reply is bounded, says how large the whole is,
// and the parts joined are the page.
func TestB11(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&many, "p%d\n\n", i)
	}
	table := "| 名称 | 数 |\n| --- | --- |\n" + strings.Repeat("| 一行表格的内容 | 12 |\n", 3000)
	pages := map[string]string{
		"line.md":  strings.Repeat("一二三四五六七八九十👩‍💻", 90_000),
		"many.md":  many.String(),
		"image.md": "# 图\n\n![](data:image/png;base64," + strings.Repeat("QUJD", 500_000) + ")\n",
		"table.md": table,
		"title.md": "# " + strings.Repeat("长", 100_000) + "\n",
		"quote.md": strings.Repeat("\"\\\x01<&>", 300_000),
	}
	b := begin(t, pages)
	for id, text := range pages {
		first := b.ok("mnote.page.get", id, nil)
		if len(first.raw) > 15_000 {
			t.Errorf("%s: a reply of %d bytes", id, len(first.raw))
		}
		if first.result["nextCursor"] == nil || first.result["total"] == nil {
			t.Errorf("%s: no cursor or no total: %.300s", id, first.raw)
		}
		var joined strings.Builder
		args := map[string]any{"includeBlocks": false, "includeOptions": false}
		limit := 30 // of the parts: enough to see how they join
		for range limit {
			part := b.ok("mnote.page.get", id, args)
			body := part.result["body"].(string)
			if len(part.raw) > 15_000 || !utf8.ValidString(body) {
				t.Fatalf("%s: a part of %d bytes", id, len(part.raw))
			}
			if id == "table.md" && !strings.HasSuffix(body, "\n") {
				t.Fatalf("%s: cut inside a row: …%q", id, body[max(0, len(body)-40):])
			}
			joined.WriteString(body)
			next, _ := part.result["nextCursor"].(string)
			if next == "" {
				break
			}
			args["cursor"] = next
		}
		if !strings.HasPrefix(text, joined.String()) || joined.Len() < min(len(text), 30_000) {
			t.Errorf("%s: %d bytes joined are not its beginning", id, joined.Len())
		}
	}
}

func TestCursors(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": strings.Repeat("paragraph\n\n", 5000)})
	a := b.ok("mnote.page.get", "a.md", map[string]any{"maxChars": 200})
	cursor := a.result["nextCursor"]
	b.refused(tools.CodeInvalidArgs, "cursor_invalid", "mnote.page.get", "a.md", map[string]any{"cursor": "nonsense"})
	b.put("a.md", strings.Repeat("other text\n\n", 5000))
	b.refused(tools.CodeConflict, "cursor_stale", "mnote.page.get", "a.md", map[string]any{"cursor": cursor})
}

// TestOutsideEdits: any program's change is a revision at the next access.
func TestOutsideEdits(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "one\n"})
	revisions := []int64{b.ok("mnote.page.get", "a.md", nil).revision()}
	for _, text := range []string{"one\n", "two\n", "two\n", "one\n"} {
		b.put("a.md", text)
		revisions = append(revisions, b.ok("mnote.page.get", "a.md", nil).revision())
	}
	b.must(removeAll(b.path("a.md")))
	b.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "a.md", nil)
	b.put("a.md", "one\n")
	revisions = append(revisions, b.ok("mnote.page.get", "a.md", nil).revision())
	if got := fmt.Sprint(revisions); got != "[1 1 2 2 3 5]" {
		t.Errorf("revisions %s; a change, a deletion and a return each count once", got)
	}
	history := b.ok("mnote.doc.history", "a.md", nil)
	if got := strings.Join(history.strings("revisions", "source"), " "); got != "external external external external external" {
		t.Errorf("sources: %s", got)
	}
}

// TestB16: a refused call is an envelope with ok=false and its code, and a read
// is never answered with another file.
func TestB16(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"disk/yes.md": "CANARY\n", "p.md": "---\nmnote:\n  protectEditing: true\n---\nx\n", "ro.md": "x\n"})
	b.must(chmod(b.path("ro.md"), 0o444))
	save := map[string]any{"content": paragraphs("x"), "mode": "append"}
	tests := []struct {
		code     tools.Code
		document string
		change   func(map[string]any)
	}{
		{tools.CodeDocumentNotFound, "disk/nope.md", dryRun},
		{tools.CodeDocumentNotFound, "disk/Yes.md", dryRun},
		{tools.CodeDocumentNotFound, "yes.md", dryRun},
		{tools.CodePermissionDenied, "disk/yes.md", with("capabilityScope", []string{"page.read"})},
		{tools.CodePermissionDenied, "disk/yes.md", with("accessScope", map[string]any{"permissionLevel": "read"})},
		{tools.CodePermissionDenied, "disk/yes.md", with("workspaceId", "ws_aaaaaaaaaaaaaaaa")},
		{tools.CodeConflict, "disk/yes.md", with("args", map[string]any{"content": paragraphs("x"), "expectedRevision": 99})},
		{tools.CodePermissionDenied, "ro.md", dryRun},
		{tools.CodePageProtected, "p.md", dryRun},
		{tools.CodeMissingContext, "", dryRun},
		{tools.CodeMissingContext, "disk/yes.md", with("workspaceId", "")},
	}
	for _, tt := range tests {
		a := b.refused(tt.code, "", "mnote.page.save", tt.document, save, tt.change)
		if strings.Contains(string(a.raw), "CANARY") {
			t.Errorf("%s %s: %s", tt.code, tt.document, a.raw)
		}
	}
	a := b.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "disk/nope.md", nil)
	if strings.Contains(string(a.raw), "yes.md") {
		t.Errorf("a failed read names another file: %s", a.raw)
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	raw, _ := json.Marshal(b.request("mnote.page.get", "a.md", nil))
	zh := direct{b}.serve("POST", "/api/hermes/tools/mnote/call", json.RawMessage(raw))
	en := direct{b}.serve("POST", "/api/hermes/tools/mnote/call", json.RawMessage(raw), "Accept-Language", "en-GB,zh;q=0.5")
	if !strings.Contains(zh.Body.String(), "没有这个文档") || !strings.Contains(en.Body.String(), "no such document") {
		t.Errorf("zh: %s\nen: %s", zh.Body, en.Body)
	}
}
