package localkernel

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// TestB09: titles in any script make distinct, safe names; nothing is
// overwritten; every page keeps its title.
func TestB09(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	long := strings.Repeat("很长的标题", 59)
	titles := []string{"会议纪要一", "会议纪要二", "🗒️", "CON", "a/b", "..", long, long + "尾", ".hidden", "~tilde", " ~ x", "nul.txt", "50%2e", "Café", "a\\b", "# 不是标题", "- list", "[x](y)", "```"}
	names := map[string]string{}
	for _, title := range titles {
		a := b.ok("mnote.doc.create", "", map[string]any{"title": title, "content": "正文 of " + title[:min(len(title), 9)] + "\n"})
		id := a.result["documentId"].(string)
		if other, taken := names[strings.ToLower(id)]; taken {
			t.Errorf("%q and %q are both %s", title, other, id)
		}
		names[strings.ToLower(id)] = title
		if strings.Contains(id, "/") || strings.HasPrefix(id, ".") || len(id) > 200 || a.result["created"] != true || *a.Audit.DocumentID != id {
			t.Errorf("%q: %s", title, a.raw)
		}
		got := b.ok("mnote.page.get", id, nil)
		if want := strings.TrimSpace(title); got.result["title"] != want && title != long && title != long+"尾" {
			t.Errorf("%q is titled %q: %q", title, got.result["title"], b.text(id))
		}
	}
	again := b.ok("mnote.doc.create", "", map[string]any{"title": "会议纪要一", "content": "other text"})
	if id := again.result["documentId"]; id != "会议纪要一 2.md" {
		t.Errorf("a second page of one title is %v", id)
	}
	if list := b.ok("mnote.doc.list", "", nil); len(list.strings("entries", "documentId")) != len(titles)+1 {
		t.Errorf("%s", list.raw)
	}
}

// TestB12: a creation whose answer was lost is sent again, with its key and
// without: one page. The key with another page is a conflict.
func TestB12(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	key := with("idempotencyKey", "k")
	args := map[string]any{"title": "批次", "content": "一\n"}
	first := b.ok("mnote.doc.create", "", args, key)
	if again := b.ok("mnote.doc.create", "", args, key); !again.Audit.Replayed || again.result["documentId"] != first.result["documentId"] {
		t.Errorf("%s", again.raw)
	}
	for range 3 {
		if again := b.ok("mnote.doc.create", "", args); again.result["created"] != false || again.result["documentId"] != first.result["documentId"] {
			t.Errorf("%s", again.raw)
		}
	}
	b.refused(tools.CodeIdempotencyConflict, "", "mnote.doc.create", "", map[string]any{"title": "批次", "content": "二\n"}, key)
	if list := b.ok("mnote.doc.list", "", nil).strings("entries", "documentId"); len(list) != 1 {
		t.Errorf("ghost pages: %v", list)
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"there.md": "mine\n"})
	create := func(args map[string]any) answer { return b.call("mnote.doc.create", "", args) }
	a := create(map[string]any{"path": "财务/新/季度.md", "content": "# Q\n"})
	if !a.OK || a.revision() != 1 || a.Audit.ChangedFiles[0].Path != "财务/新/季度.md" {
		t.Fatalf("%s", a.raw)
	}
	b.holds("财务/新/季度.md", "# Q\n")
	// The same page again, with a key of its own, is no second page.
	a = create(map[string]any{"path": "财务/新/季度.md", "content": "# Q\n"})
	if !a.OK || a.result["created"] != false || a.revision() != 1 {
		t.Errorf("%s", a.raw)
	}
	twice := map[string]any{"title": "同名", "content": "x"}
	first, second := create(twice), create(twice)
	if second.result["created"] != false || first.result["documentId"] != second.result["documentId"] {
		t.Errorf("%s\n%s", first.raw, second.raw)
	}
	for _, path := range []string{"there.md", "THERE.md"} {
		b.refused(tools.CodeConflict, "exists", "mnote.doc.create", "", map[string]any{"path": path, "content": "other"})
	}
	b.holds("there.md", "mine\n")
	for _, args := range []map[string]any{{}, {"title": " "}, {"path": "x.txt"}, {"path": "x"}, {"content": "x"}} {
		b.refused(tools.CodeInvalidArgs, "", "mnote.doc.create", "", args)
	}
	// A page that came back where one was deleted goes on counting.
	b.must(removeAll(b.path("财务/新/季度.md")))
	if a = create(map[string]any{"path": "财务/新/季度.md", "content": "# R\n"}); a.revision() != 3 {
		t.Errorf("%s", a.raw)
	}
}

// TestCreateRefusals: what cannot be a page says why, and leaves nothing behind.
func TestCreateRefusals(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{".mnoteignore": "drafts/\n", "~old/x.md": "x\n"})
	for _, tt := range []struct {
		name    string
		args    map[string]any
		code    tools.Code
		reason  string
		message string // part of the English one
	}{
		{"a hidden folder", map[string]any{"path": ".h/x.md"}, tools.CodeResourceDenied, "ignored", "not part of the workspace"},
		{"node_modules", map[string]any{"path": "a/node_modules/x.md"}, tools.CodeResourceDenied, "ignored", "not part of the workspace"},
		{"an ignored folder", map[string]any{"path": "drafts/new/x.md"}, tools.CodeResourceDenied, "ignored", "not part of the workspace"},
		{"a hidden file", map[string]any{"path": ".x.md"}, tools.CodeResourceDenied, "ignored", "not part of the workspace"},
		{"a control character", map[string]any{"path": "a\u0085b.md"}, tools.CodeResourceDenied, "control", ""},
		{"an override", map[string]any{"path": "a\u202edm.md"}, tools.CodeResourceDenied, "bidi", ""},
		{"an isolate in a folder", map[string]any{"path": "a\u2066/x.md"}, tools.CodeResourceDenied, "bidi", ""},
		{"a leading space", map[string]any{"path": "new/ x.md"}, tools.CodeResourceDenied, "space", ""},
		{"a folder with a space behind", map[string]any{"path": "new /x.md"}, tools.CodeResourceDenied, "space", ""},
		{"a leading tilde", map[string]any{"path": "~x.md"}, tools.CodeResourceDenied, "tilde", ""},
		{"a long title", map[string]any{"title": strings.Repeat("长", 301)}, tools.CodeInvalidArgs, "title_too_long", "the limit is 300"},
		{"a title of two lines", map[string]any{"title": "a\nb", "path": "x.md"}, tools.CodeInvalidArgs, "title_invalid", ""},
		{"NUL in the title", map[string]any{"title": "a\x00b"}, tools.CodeInvalidArgs, "control_character", "/title has the control character U+0000 in line 1 at character 2"},
		{"NUL in the content", map[string]any{"title": "t", "content": "one\ntwo\x00"}, tools.CodeInvalidArgs, "control_character", "/content has the control character U+0000 in line 2 at character 4"},
		{"a frontmatter that cannot take the title", map[string]any{"title": "t", "path": "x.md", "content": "---\na: \"open\n---\ntext\n"}, tools.CodeInvalidBlock, "frontmatter_invalid", ""},
	} {
		a := b.refused(tt.code, tt.reason, "mnote.doc.create", "", tt.args)
		if !strings.Contains(a.Error.Message, tt.message) {
			t.Errorf("%s: %s", tt.name, a.raw)
		}
	}
	b.refused(tools.CodeInvalidArgs, "title_too_long", "mnote.page.update_title", "~old/x.md", map[string]any{"title": strings.Repeat("长", 301)})
	b.refused(tools.CodeInvalidArgs, "control_character", "mnote.artifact.create_summary", "~old/x.md", map[string]any{"summary": "a\x01"})
	if list, _ := os.ReadDir(b.dir); len(list) != 2 {
		t.Errorf("something was left: %v", list)
	}
	b.ok("mnote.doc.create", "", map[string]any{"path": "~old/y.md", "content": "in a folder that is there\n"})
}

// TestCreateTitle: a title is never dropped without a word.
func TestCreateTitle(t *testing.T) {
	t.Parallel()
	b := begin(t, nil)
	for content, want := range map[string]string{
		"text\n":                                 "# T\n\ntext\n",
		"# T\n\ntext\n":                          "# T\n\ntext\n",
		"---\ntags: [a]\n---\ntext\n":            "---\ntitle: T\ntags: [a]\n---\ntext\n",
		"---\ntitle: other # c\n---\ntext\n":     "---\ntitle: T # c\n---\ntext\n",
		"---\ntags: [a]\n---\n# H\n\ntext\n":     "---\ntitle: T\ntags: [a]\n---\n# H\n\ntext\n",
		"+++\ntags = [\"a\"]\n+++\ntext\n":       "+++\ntitle = \"T\"\ntags = [\"a\"]\n+++\ntext\n",
		"---\ntitle: T\n---\n# H\n":              "---\ntitle: T\n---\n# H\n",
		"# Another heading\n\nof the text\n":     "# Another heading\n\nof the text\n",
		"\ufeff---\r\ntags: [a]\r\n---\r\nx\r\n": "---\r\ntitle: T\r\ntags: [a]\r\n---\r\nx\r\n",
	} {
		path := fmt.Sprintf("p%d.md", serial.Add(1))
		a := b.ok("mnote.doc.create", "", map[string]any{"path": path, "title": "T", "content": content})
		b.holds(path, want)
		if dropped := a.result["title"] != "T"; dropped != (len(a.strings("warnings", "reason")) == 1) || dropped != strings.HasPrefix(content, "# A") {
			t.Errorf("%q: %s", content, a.raw)
		} else if dropped && !strings.Contains(a.strings("warnings", "message")[0], "title was not used") {
			t.Errorf("%s", a.raw)
		}
	}
}

// TestFailedCreateLeavesNoFolder: the folders that were made for it go again.
func TestFailedCreateLeavesNoFolder(t *testing.T) {
	t.Parallel()
	for _, step := range []vault.Step{vault.StepFolder, vault.StepTemp, vault.StepHalf, vault.StepSynced} {
		b := begin(t, map[string]string{"kept/.keep": ""}, func(o *Options) {
			o.hook = func(s vault.Step) error {
				if s == step {
					return &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
				}
				return nil
			}
		})
		b.refused(tools.CodeKernelUnavailable, "storage", "mnote.doc.create", "", map[string]any{"path": "kept/new/deep/x.md", "content": "x"})
		if list, err := os.ReadDir(b.path("kept")); err != nil || len(list) != 1 {
			t.Errorf("failed at %s, left behind: %v, %v", step, list, err)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	files := map[string]string{"m.mindmap.json": "{}", "r.docx": "x", "note.txt": "x", ".hidden/x.md": "x", "dir/deep/x.md": "# Deep\n", "a.md": "# 题目\n"}
	for i := range 120 {
		files[fmt.Sprintf("many/p%03d.md", i)] = fmt.Sprintf("# Page %d\n", i)
	}
	b := begin(t, files)
	b.ok("mnote.page.save", "a.md", appended("x"))
	top := b.ok("mnote.doc.list", "", map[string]any{"depth": 1})
	if got := strings.Join(top.strings("entries", "documentId"), " "); got != "a.md dir m.mindmap.json many r.docx" {
		t.Errorf("the root holds %s", got)
	}
	if got := strings.Join(top.strings("entries", "kind"), " "); got != "page folder mindmap folder office" {
		t.Errorf("their kinds are %s", got)
	}
	first := top.result["entries"].([]any)[0].(map[string]any)
	if first["title"] != "题目" || number(first["revision"]) != 2 || first["modifiedAt"] == "" {
		t.Errorf("%v", first)
	}
	var all []string
	args := map[string]any{"folder": "many", "limit": 50}
	for parts := 0; ; parts++ {
		a := b.ok("mnote.doc.list", "", args)
		if len(a.raw) > 15_000 || parts > 10 {
			t.Fatalf("part %d of %d bytes", parts, len(a.raw))
		}
		all = append(all, a.strings("entries", "title")...)
		next, _ := a.result["nextCursor"].(string)
		if next == "" {
			break
		}
		args["cursor"] = next
	}
	if len(all) != 120 || all[0] != "Page 0" || all[119] != "Page 119" {
		t.Errorf("%d titles: %s … %s", len(all), all[0], all[len(all)-1])
	}
	b.refused(tools.CodeInvalidArgs, "cursor_invalid", "mnote.doc.list", "", map[string]any{"cursor": "nonsense"})
	b.refused(tools.CodeInvalidArgs, "cursor_invalid", "mnote.doc.list", "", map[string]any{"folder": "dir", "cursor": args["cursor"]})
	b.refused(tools.CodeDocumentNotFound, "", "mnote.doc.list", "", map[string]any{"folder": "nope"})
}

// FuzzListCursor: a cursor from outside is refused or leads to an id of the
// workspace; one of ours comes back as it was.
func FuzzListCursor(f *testing.F) {
	f.Add(listCursor("财务/季度.md"), "a.md")
	f.Add("l1.Li4vLi4vZXRjL2hvc3Rz", "../x.md")
	f.Fuzz(func(t *testing.T, cursor, path string) {
		if id, err := readListCursor(cursor); err == nil {
			if again, err := vault.ParseID(string(id)); err != nil || again != id {
				t.Errorf("%q leads to %q", cursor, id)
			}
		}
		id, err := vault.ParseID(path)
		if err != nil {
			return
		}
		if got, err := readListCursor(listCursor(id)); err != nil || got != id {
			t.Errorf("the cursor of %q gives %q, %v", id, got, err)
		}
	})
}

// TestCreateTellsOfNoIgnoredFile: whether a file that .mnoteignore lists is there
// makes no difference to who would make a page of its name, in any case.
func TestCreateTellsOfNoIgnoredFile(t *testing.T) {
	t.Parallel()
	list := map[string]string{".mnoteignore": "private.md\nsecret/\n"}
	with := begin(t, map[string]string{".mnoteignore": list[".mnoteignore"], "private.md": "mine\n", "secret/a.md": "mine too\n"})
	without := begin(t, list)
	for _, args := range []map[string]any{
		{"path": "private.md", "content": "x"}, {"path": "Private.md", "content": "x"}, {"path": "PRIVATE.md", "content": "mine\n"},
		{"title": "Private", "content": "x"}, {"path": "Secret/a.md", "content": "x"}, {"path": "SECRET/new/b.md", "content": "x"},
	} {
		for _, change := range []func(map[string]any){dryRun, func(map[string]any) {}} {
			here := with.refused(tools.CodeResourceDenied, "ignored", "mnote.doc.create", "", args, change)
			nowhere := without.refused(tools.CodeResourceDenied, "ignored", "mnote.doc.create", "", args, change)
			if here.Error.Message != nowhere.Error.Message {
				t.Errorf("%v: %s\n%s", args, here.raw, nowhere.raw)
			}
		}
	}
	with.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "Private.md", nil)
	with.holds("private.md", "mine\n")
	with.holds("secret/a.md", "mine too\n")
	if names, _ := os.ReadDir(without.dir); len(names) != 1 {
		t.Errorf("something was made: %v", names)
	}
}
