package localkernel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// TestUnknownBlockMembers: what a block of a save says beyond what we know is
// refused, and all that page.get gives is taken back.
func TestUnknownBlockMembers(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "---\nt: 1\n---\n# H\n\n```go\nx\n```\n\n- [x] a\n  - b\n\ntext\n"})
	save := func(block map[string]any) map[string]any {
		return map[string]any{"content": []any{map[string]any{"text": "x"}, block}, "mode": "append"}
	}
	for name, block := range map[string]map[string]any{
		"/content/1/attrs":   {"text": "y", "attrs": map[string]any{"level": 2}},
		"/content/1/content": {"type": "paragraph", "content": []any{map[string]any{"type": "text", "text": "y"}}},
		"/content/1":         {"Text": "y"},
		"/content/1/level":   {"type": "heading", "text": "y", "level": 1e30},
		"/content/1/level ":  {"type": "heading", "text": "y", "level": 7},
	} {
		a := b.refused(tools.CodeInvalidArgs, "", "mnote.page.save", "a.md", save(block))
		path := strings.TrimSpace(name)
		first := a.Error.Details["violations"].([]any)[0].(map[string]any)
		if first["path"] != path || !strings.Contains(a.Error.Message, path) {
			t.Errorf("%s: %s", path, a.raw)
		}
		if strings.HasSuffix(path, "level") && !strings.Contains(a.Error.Message, "from 1 to 6") {
			t.Errorf("no range: %s", a.raw)
		}
	}
	got := b.ok("mnote.page.get", "a.md", nil)
	back := b.ok("mnote.page.save", "a.md", map[string]any{"content": got.result["blocks"], "mode": "replace", "expectedRevision": got.revision()})
	if changed := back.result["changed"].([]any); len(changed) != 0 {
		t.Errorf("%s", back.raw)
	}
}

// TestNumbersOutOfRange: the message names the range; a whole number in another
// spelling is one.
func TestNumbersOutOfRange(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "text\n"})
	for _, tt := range []struct {
		tool, argument, value string
		least                 int
	}{
		{"mnote.page.get", "maxChars", "1e30", 1}, {"mnote.page.get", "maxChars", "1e999", 1}, {"mnote.page.get", "maxChars", "99999999999999999999", 1},
		{"mnote.doc.list", "limit", "1e17", 1}, {"mnote.doc.history", "limit", "1e17", 1},
		{"mnote.doc.restore", "revision", "1e19", 1}, {"mnote.page.update_title", "expectedRevision", "-1e30", 0},
	} {
		args := map[string]any{tt.argument: json.RawMessage(tt.value)}
		if tt.argument == "expectedRevision" {
			args["title"] = "t"
		}
		a := b.refused(tools.CodeInvalidArgs, "", tt.tool, "a.md", args)
		if want := fmt.Sprintf("/%s: the number is out of range (allowed: an integer from %d to 9007199254740991)", tt.argument, tt.least); !strings.Contains(a.Error.Message, want) {
			t.Errorf("%s %s: %s", tt.tool, tt.value, a.raw)
		}
	}
	for _, value := range []string{"1e3", "500.0", "9007199254740991"} {
		b.ok("mnote.page.get", "a.md", map[string]any{"maxChars": json.RawMessage(value)})
	}
	b.refused(tools.CodeInvalidArgs, "", "mnote.page.get", "a.md", map[string]any{"maxChars": json.RawMessage("1.5")})
	b.refused(tools.CodeInvalidArgs, "", "mnote.page.get", "a.md", map[string]any{"maxChars": 0})
}

// TestCursorOfAnotherPage: it is not said that the page changed.
func TestCursorOfAnotherPage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("words of a long page\n\n", 600)
	b := begin(t, map[string]string{"a.md": "# A\n\n" + long, "b.md": "# B\n\n" + long})
	next := func(id string) string { return b.ok("mnote.page.get", id, nil).result["nextCursor"].(string) }
	a, other := next("a.md"), next("b.md")
	b.ok("mnote.page.get", "a.md", map[string]any{"cursor": a})
	b.refused(tools.CodeInvalidArgs, "cursor_other_page", "mnote.page.get", "a.md", map[string]any{"cursor": other})
	b.refused(tools.CodeInvalidArgs, "cursor_invalid", "mnote.page.get", "a.md", map[string]any{"cursor": "x" + a})
	b.refused(tools.CodeInvalidArgs, "cursor_invalid", "mnote.page.get", "a.md", map[string]any{"cursor": listCursor("a.md")})
	b.refused(tools.CodeInvalidArgs, "cursor_invalid", "mnote.doc.list", "", map[string]any{"cursor": a})
	b.put("a.md", "# A\n\nchanged\n\n"+long)
	b.refused(tools.CodeConflict, "cursor_stale", "mnote.page.get", "a.md", map[string]any{"cursor": a})
}

// asciiWords are English words of more than one letter.
var asciiWords = regexp.MustCompile(`[a-z]{2,}( [a-z]+)+`)

// TestChineseMessagesAreWhole: a Chinese message has no English phrase in it.
func TestChineseMessagesAreWhole(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "text\n"})
	said := map[string]tools.Text{}
	for _, reason := range []string{
		"empty", "encoding", "nul", "control", "bidi", "space", "tilde", "absolute", "unc", "drive", "uri", "backslash", "percent", "dot",
		"parent", "reserved", "too_long", "link", "mode", "folder", "hard_link",
	} {
		for _, err := range []error{&vault.Denied{Reason: reason}, &vault.ReadOnly{Reason: reason}} {
			e := tools.AsError(coded(err))
			said[fmt.Sprint(err)] = tools.Text{ZH: e.In(tools.ZH).Message, EN: e.In(tools.EN).Message}
		}
	}
	for name, request := range map[string]map[string]any{
		"unknown argument": b.request("mnote.page.get", "a.md", map[string]any{"nope": 1}),
		"no dryRun":        b.request("mnote.page.save", "a.md", appended("x")),
		"no session":       b.request("mnote.page.get", "a.md", nil),
		"a number":         b.request("mnote.page.get", "a.md", map[string]any{"maxChars": 1e30}),
		"a block":          b.request("mnote.page.save", "a.md", map[string]any{"content": []any{map[string]any{"nope": 1}}, "mode": "append"}),
		"options":          b.request("mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"ShowToc": true}}),
		"differs":          b.request("mnote.page.get", "a.md", map[string]any{"documentId": "b.md"}),
		"an empty text":    b.request("mnote.artifact.create_summary", "a.md", map[string]any{"summary": " "}),
		"a link":           b.request("mnote.page.get", "../a.md", nil),
	} {
		switch name {
		case "no dryRun":
			delete(request, "dryRun")
		case "no session":
			request["sessionId"] = ""
		}
		said[name] = b.both(request)
	}
	for name, text := range said {
		plain := strings.NewReplacer("mnote-host", "", "MNote", "").Replace(text.ZH)
		if english := asciiWords.FindString(plain); english != "" || text.ZH == "" || strings.Contains(plain, ": ") {
			t.Errorf("%s: %q has %q", name, text.ZH, english)
		}
		if strings.ContainsFunc(strings.ReplaceAll(text.EN, "财务", ""), func(r rune) bool { return r >= 0x4e00 && r < 0x9fff }) {
			t.Errorf("%s: %q is not English", name, text.EN)
		}
	}
}

// both sends a request that is refused in each language, and gives the messages.
func (b *bench) both(request map[string]any) (text tools.Text) {
	b.tb.Helper()
	for lang, into := range map[string]*string{"zh": &text.ZH, "en": &text.EN} {
		var env tools.Envelope
		_, raw := b.postIn(lang, request)
		b.must(json.Unmarshal(raw, &env))
		if env.Error == nil {
			b.tb.Fatalf("not refused: %s", raw)
		}
		*into = env.Error.Message
	}
	return text
}
