package localkernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

const canary = "CANARY-7391"

// pathArgs are the path-like arguments of every tool: a call with the path in
// that place.
func pathArgs(b *bench) map[string]func(path string) answer {
	calls := map[string]func(string) answer{}
	for _, e := range ownCatalogue().tools {
		if e.Status != tools.StatusAvailable {
			continue
		}
		tool := string(e.Name)
		for _, name := range []string{"documentId", "path", "folder"} {
			if e.known[name] {
				calls[tool+" "+name] = func(path string) answer { return b.callWith(tool, name, path) }
			}
		}
	}
	return calls
}

// fitting gives a tool arguments that its schema takes.
func fitting(tool string) map[string]any {
	return map[string]map[string]any{
		"mnote.skill.read": {"skillId": "mnote-current-page"}, "mnote.page.save": appended("x"), "mnote.page.update_title": {"title": "x"},
		"mnote.page.update_options": {"options": map[string]any{"showToc": true}}, "mnote.block.get": {"blockId": "b_x"},
		"mnote.block.insert": {"content": "x"}, "mnote.block.update": {"blockId": "b_x", "content": "x"}, "mnote.block.delete": {"blockId": "b_x"},
		"mnote.block.move": {"blockId": "b_x", "after": "b_y"}, "mnote.doc.restore": {"revision": 1}, "mnote.artifact.create_summary": {"summary": "x"},
		"mnote.artifact.create_ai_note": {"content": "x"},
	}[tool]
}

// TestB18: every path-like argument of every tool refuses what is no path of
// the workspace, and the canary outside stays as it is.
func TestB18(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"vault/a.md": "x\n"})
	b.put("canary.md", canary)
	b.dir = filepath.Join(b.dir, "vault")
	b.Kernel = b.open()
	paths := []string{
		"../canary.md", "a/../../canary.md", "..", "./a.md", "/etc/hosts", b.path("a.md"), `C:\x.md`, `\\srv\s\x.md`, "%2e%2e/canary.md", "..%2fcanary.md",
		"%252e%252e/canary.md", "x.md\x00.txt", "x.md%00.txt", "NUL", "con.md", "file:///etc/hosts", "file://" + b.path("../canary.md"), `..\canary.md`,
		strings.Repeat("a/", 2000) + "x.md", "a\nb.md",
	}
	calls := pathArgs(b)
	if len(calls) < 18 {
		t.Fatalf("only %d path-like arguments", len(calls))
	}
	for name, call := range calls {
		for _, path := range paths {
			a := call(path)
			if strings.HasPrefix(name, "mnote.context.") && a.OK { // there the document is no more than a hint
				if strings.Contains(string(a.Result), canary) {
					t.Errorf("%s %q: %s", name, path, a.raw)
				}
				continue
			}
			if a.OK || a.Error.Code != tools.CodeResourceDenied && a.Error.Code != tools.CodeInvalidArgs {
				t.Errorf("%s %q: %s", name, path, a.raw)
			}
		}
		for _, hidden := range []string{".mnote/workspace.json", ".mnote/a.md", ".git/a.md", "node_modules/a.md", "a/.x.md"} {
			if a := call(hidden); a.OK && !strings.HasPrefix(name, "mnote.context.") {
				t.Errorf("%s %q: %s", name, hidden, a.raw)
			}
		}
	}
	if got, _ := os.ReadFile(b.path("../canary.md")); string(got) != canary {
		t.Errorf("the canary is %q", got)
	}
	if entries, _ := os.ReadDir(b.dir); len(entries) != 1 {
		t.Errorf("something was made: %v", entries)
	}
}

// TestB19: links that leave the folder lead nowhere, by any tool.
func TestB19(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "canary.md"), []byte(canary+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := begin(t, map[string]string{"real.md": "real\n", "private.md": canary + "\n"})
	for name, target := range map[string]string{
		"out.md": filepath.Join(outside, "canary.md"), "outdir": outside, "loop.md": "loop.md", "in.md": "real.md", "alias.md": "private.md",
	} {
		b.must(os.Symlink(target, b.path(name)))
	}
	for name, call := range pathArgs(b) {
		for _, path := range []string{"out.md", "outdir", "outdir/canary.md", "outdir/new.md", "loop.md"} {
			a := call(path)
			if strings.Contains(string(a.raw), canary) || a.OK && !strings.HasPrefix(name, "mnote.context.") {
				t.Errorf("%s %q: %s", name, path, a.raw)
			}
		}
	}
	// A link inside is followed: read and written where it leads, and it stays.
	b.ok("mnote.page.save", "in.md", appended("more"))
	b.holds("real.md", "real\n\nmore\n")
	if info, err := os.Lstat(b.path("in.md")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if got := b.ok("mnote.page.get", "real.md", nil).revision(); got != 2 {
		t.Errorf("the page has two histories: revision %d", got)
	}
	// A granted link to a page that is not granted is not granted.
	only := granted(map[string]any{"permissionLevel": "write", "documentIds": []string{"alias.md"}})
	a := b.refused(tools.CodeDocumentNotFound, "", "mnote.page.get", "alias.md", nil, only)
	z := b.refused(tools.CodeDocumentNotFound, "", "mnote.page.save", "alias.md", appended("x"), only)
	if strings.Contains(string(a.raw)+string(z.raw), canary) {
		t.Errorf("%s %s", a.raw, z.raw)
	}
	list := b.ok("mnote.doc.list", "", nil)
	if got := strings.Join(list.strings("entries", "documentId"), " "); got != "alias.md in.md private.md real.md" {
		t.Errorf("the list shows %s", got)
	}
	b.must(os.Link(b.path("private.md"), b.path("hard.md")))
	b.ok("mnote.page.get", "hard.md", nil)
	b.refused(tools.CodePermissionDenied, "read_only", "mnote.page.save", "hard.md", appended("x"))
	if got, _ := os.ReadFile(filepath.Join(outside, "canary.md")); string(got) != canary+"\n" {
		t.Errorf("the canary is %q", got)
	}
}
