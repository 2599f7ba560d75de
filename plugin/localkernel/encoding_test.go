package localkernel

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

// TestNotUTF8: a page in another encoding is read with a warning, and no write
// mixes UTF-8 into it; what was there before stays reachable.
func TestNotUTF8(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"gbk.md":    "# \xb1\xca\xbc\xc7\n\n\xd6\xd0\xce\xc4\n",
		"latin1.md": "---\ntitle: t\n---\n# Caf\xe9\n\nfin\n",
		"binary.md": "\xff\x00\x01\x02\n\n\x80\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := begin(t, map[string]string{name: text})
			page := b.ok("mnote.page.get", name, nil)
			warned := page.result["warnings"].([]any)[0].(map[string]any)
			if warned["reason"] != "encoding" || !strings.Contains(warned["message"].(string), "UTF-8") || !strings.Contains(string(page.raw), "�") {
				t.Errorf("%s", page.raw)
			}
			ids := page.strings("blocks", "id")
			id := ids[len(ids)-1]
			if one := b.ok("mnote.block.get", name, map[string]any{"blockId": id}); one.result["warnings"] == nil {
				t.Errorf("%s", one.raw)
			}
			for tool, args := range map[string]map[string]any{
				"mnote.page.save":           {"content": paragraphs("new"), "mode": "append"},
				"mnote.page.update_title":   {"title": "new"},
				"mnote.page.update_options": {"options": map[string]any{"showToc": true}},
				"mnote.block.insert":        {"content": "new", "after": id},
				"mnote.block.update":        {"content": "new", "blockId": id},
				"mnote.block.delete":        {"blockId": id},
				"mnote.block.move":          {"blockId": id, "after": id},
			} {
				for _, change := range []func(map[string]any){with("agentId", "mcp"), dryRun} {
					r := b.refused(tools.CodeInvalidArgs, "encoding", tool, name, args, change)
					if !strings.Contains(r.Error.Message, "save it as UTF-8") {
						t.Errorf("%s", r.raw)
					}
				}
			}
			b.holds(name, text)
			b.put(name, "whole\n")
			b.ok("mnote.page.save", name, replaced(2, "new"))
			restored := b.ok("mnote.doc.restore", name, map[string]any{"revision": 1, "expectedRevision": 3})
			b.holds(name, text)
			if got := restored.strings("warnings", "reason"); !slices.Equal(got, []string{"encoding"}) {
				t.Errorf("%s", restored.raw)
			}
		})
	}
}

// TestRestoreOverNoUTF8: a restore may replace a page that is not UTF-8 by now,
// so that there is a way back from damage. Plan and answer say so, nothing is
// mixed, and what was there comes back by an undo or by one more restore.
func TestRestoreOverNoUTF8(t *testing.T) {
	t.Parallel()
	for name, damaged := range map[string]string{
		"gbk": "# \xb1\xca\xbc\xc7\n\n\xd6\xd0\xce\xc4\n", "latin1": "Caf\xe9\n", "utf-16": "\xff\xfea\x00\n\x00", "cut": "one\n\n\xe4\xb8",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := begin(t, map[string]string{"a.md": "one\n"})
			b.ok("mnote.page.get", "a.md", nil)
			b.put("a.md", damaged)
			dry, args := b.planned("mnote.doc.restore", "a.md", map[string]any{"revision": 1})
			b.holds("a.md", damaged)
			wet := b.ok("mnote.doc.restore", "a.md", args)
			b.holds("a.md", "one\n")
			for _, a := range []answer{dry, wet} {
				if got := a.strings("warnings", "reason"); !slices.Equal(got, []string{"replaces_encoding"}) || !strings.Contains(string(a.raw), "every byte") {
					t.Errorf("%s", a.raw)
				}
			}
			undone := b.undo(wet)
			b.holds("a.md", damaged)
			b.undo(undone)
			b.holds("a.md", "one\n")
			b.ok("mnote.doc.restore", "a.md", map[string]any{"revision": 2, "expectedRevision": 5})
			b.holds("a.md", damaged)
		})
	}
}

// TestOptionsOfAnotherType: a frontmatter that is valid is not said to be
// invalid where its member of ours holds something else.
func TestOptionsOfAnotherType(t *testing.T) {
	t.Parallel()
	for text, said := range map[string]string{
		"---\nmnote: hello\n---\nx\n":               "`mnote` holds text where an object",
		"---\nmnote: [a]\n---\nx\n":                 "`mnote` holds a list where an object",
		"---\nmnote:\n  showToc: 7\n---\nx\n":       "`mnote.showToc` holds a number where a boolean",
		"+++\nmnote = 3\n+++\nx\n":                  "`mnote` holds a number where an object",
		"+++\n[mnote]\nshowToc = \"yes\"\n+++\nx\n": "`mnote.showToc` holds text where a boolean",
	} {
		b := begin(t, map[string]string{"a.md": text})
		a := b.refused(tools.CodeInvalidBlock, "frontmatter_type", "mnote.page.update_options", "a.md", map[string]any{"options": map[string]any{"showToc": true}})
		if !strings.Contains(a.Error.Message, said) || !strings.Contains(a.Error.Message, "is valid") {
			t.Errorf("%s", a.raw)
		}
		page := b.ok("mnote.page.get", "a.md", nil)
		if !strings.Contains(string(page.raw), said) {
			t.Errorf("%s", page.raw)
		}
		b.holds("a.md", text)
	}
}

// writeRaw puts bytes under a name that only some systems can hold.
func (b *bench) writeRaw(name, text string) bool {
	return os.WriteFile(b.path(name), []byte(text), 0o644) == nil
}
