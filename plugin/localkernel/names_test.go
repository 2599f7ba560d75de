package localkernel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// TestTwinNames: of two files whose names differ in their Unicode form only none
// is read or written by a name that means both, and the list says so.
func TestTwinNames(t *testing.T) {
	t.Parallel()
	const composed, apart = "caf\u00e9.md", "cafe\u0301.md"
	b := begin(t, map[string]string{composed: "one\n", apart: "two\n", "x.md": "x\n"})
	if b.text(composed) == b.text(apart) {
		return // this file system keeps one form only
	}
	for _, name := range []string{composed, apart} {
		for tool, args := range map[string]map[string]any{
			"mnote.page.get": nil, "mnote.doc.history": nil, "mnote.page.save": appended("new"),
			"mnote.block.insert": {"content": "new"}, "mnote.page.update_title": {"title": "new"},
		} {
			a := b.refused(tools.CodeResourceDenied, "ambiguous_name", tool, name, args)
			if !strings.Contains(a.Error.Message, "rename one") {
				t.Errorf("%s", a.raw)
			}
		}
		if a := b.call("mnote.doc.create", "", map[string]any{"path": name, "content": "new"}); a.OK {
			t.Errorf("%s", a.raw)
		}
	}
	b.holds(composed, "one\n")
	b.holds(apart, "two\n")
	list := b.ok("mnote.doc.list", "", nil)
	want := []any{map[string]any{"reason": "ambiguous_name", "count": 2.0, "message": "names that differ in their Unicode form only"}}
	if d := cmp.Diff(want, list.result["skipped"]); d != "" || len(list.strings("entries", "documentId")) != 1 {
		t.Errorf("%s\n%s", d, list.raw)
	}
	alone := begin(t, map[string]string{apart: "two\n"})
	for _, name := range []string{composed, apart} {
		alone.ok("mnote.page.save", name, appended("new"))
	}
	alone.holds(apart, "two\n\nnew\n\nnew\n")
}

// TestListSkipped: files that no id can stand for are counted by reason, without
// their names, and not beside a grant.
func TestListSkipped(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "a\n", "d/b.md": "b\n"})
	if !b.writeRaw("nul.md", "x") || !b.writeRaw("d/CON.md", "x") || !b.writeRaw("evil\n<b>.md", "x") {
		return // this system has no such names
	}
	a := b.ok("mnote.doc.list", "", nil)
	want := []any{
		map[string]any{"reason": "control", "count": 1.0, "message": "it has control characters"},
		map[string]any{"reason": "reserved", "count": 2.0, "message": "a name is reserved by some system"},
	}
	if d := cmp.Diff(want, a.result["skipped"]); d != "" || strings.Contains(string(a.raw), "evil") {
		t.Errorf("%s\n%s", d, a.raw)
	}
	grant := with("accessScope", map[string]any{"permissionLevel": "write", "documentIds": []string{"a.md"}, "capabilityScope": []string{"doc.read"}})
	if a := b.call("mnote.doc.list", "", nil, grant); !a.OK || a.result["skipped"] != nil {
		t.Errorf("%s", a.raw)
	}
}

// TestIgnoreFileUnread: where the ignore file cannot be read everything is
// hidden, and every refusal says why.
func TestIgnoreFileUnread(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"private/a.md": "a\n", "keep.md": "k\n", ".mnoteignore": "p\x00r\x00i\x00v\x00a\x00t\x00e\x00/\x00\n\x00"})
	for tool, args := range map[string]map[string]any{
		"mnote.doc.list": nil, "mnote.page.get": nil, "mnote.page.save": appended("new"), "mnote.doc.create": {"path": "new.md"},
	} {
		document := ""
		if strings.HasPrefix(tool, "mnote.page") {
			document = "keep.md"
		}
		a := b.refused(tools.CodeKernelUnavailable, "ignore_file", tool, document, args)
		if !strings.Contains(a.Error.Message, "UTF-8") {
			t.Errorf("%s", a.raw)
		}
	}
	b.put(".mnoteignore", "\xff\xfep\x00r\x00i\x00v\x00a\x00t\x00e\x00/\x00\n\x00")
	if got := strings.Join(b.ok("mnote.doc.list", "", nil).strings("entries", "documentId"), " "); got != "keep.md" {
		t.Errorf("listed %s", got)
	}
}
