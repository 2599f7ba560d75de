package localkernel

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

func granted(scope map[string]any) func(map[string]any) { return with("accessScope", scope) }

func TestGrants(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	b := begin(t, map[string]string{"a.md": "x\n", "pub/b.md": "x\n"}, func(o *Options) {
		o.Now, o.ActorID = func() time.Time { return now }, "user_1"
	})
	root := "file://" + filepath.ToSlash(b.dir)
	get := func(document string, change ...func(map[string]any)) answer {
		return b.call("mnote.page.get", document, nil, change...)
	}
	tests := []struct {
		name   string
		answer answer
		code   tools.Code
	}{
		{"no grant is the owner", get("a.md"), ""},
		{"a member only", get("a.md", with("actorId", "user_2")), tools.CodePermissionDenied},
		{"none", get("a.md", granted(map[string]any{"permissionLevel": "none"})), tools.CodePermissionDenied},
		{"an unknown level", get("a.md", granted(map[string]any{"permissionLevel": "admin"})), tools.CodePermissionDenied},
		{"an empty grant", get("a.md", granted(map[string]any{})), tools.CodePermissionDenied},
		{"read", get("a.md", granted(map[string]any{"permissionLevel": "read"})), ""},
		{"expired", get("a.md", granted(map[string]any{"permissionLevel": "read", "expiresAt": "2026-11-30T09:00:00Z"})), tools.CodePermissionDenied},
		{"not yet expired", get("a.md", granted(map[string]any{"permissionLevel": "read", "expiresAt": "2026-11-30T09:00:01Z"})), ""},
		{"another workspace", get("a.md", granted(map[string]any{"permissionLevel": "read", "workspaceId": "ws_x"})), tools.CodePermissionDenied},
		{"a scope missing", get("a.md", granted(map[string]any{"permissionLevel": "read", "capabilityScope": []string{"doc.read"}})), tools.CodePermissionDenied},
		{"a scope there", get("a.md", granted(map[string]any{"permissionLevel": "read", "capabilityScope": []string{"page.read"}})), ""},
		{"documents", get("a.md", granted(map[string]any{"permissionLevel": "read", "documentIds": []string{"a.md"}})), ""},
		{"other documents", get("a.md", granted(map[string]any{"permissionLevel": "read", "documentIds": []string{"pub/b.md"}})), tools.CodeDocumentNotFound},
		{"no documents", get("a.md", granted(map[string]any{"permissionLevel": "read", "documentIds": []string{}})), tools.CodeDocumentNotFound},
		{"the root", get("a.md", granted(map[string]any{"permissionLevel": "read", "rootUri": root})), ""},
		{"above the root", get("a.md", granted(map[string]any{"permissionLevel": "read", "rootUri": "file://" + filepath.ToSlash(filepath.Dir(b.dir))})), ""},
		{"below the root, outside", get("a.md", granted(map[string]any{"permissionLevel": "read", "rootUri": root + "/pub"})), tools.CodeDocumentNotFound},
		{"below the root, inside", get("pub/b.md", granted(map[string]any{"permissionLevel": "read", "rootUri": root + "/pub"})), ""},
		{"a neighbour's root", get("a.md", granted(map[string]any{"permissionLevel": "read", "rootUri": root + "x"})), tools.CodeDocumentNotFound},
		{"a root that is none", get("a.md", granted(map[string]any{"permissionLevel": "read", "rootUri": "https://example.org/"})), tools.CodeDocumentNotFound},
		{"a write for read", b.call("mnote.page.save", "a.md", appended("x"), granted(map[string]any{"permissionLevel": "read"})), tools.CodePermissionDenied},
		{"its dry run", b.call("mnote.page.save", "a.md", appended("x"), dryRun, granted(map[string]any{"permissionLevel": "read"})), ""},
		{"its dry run when shared", b.call("mnote.page.save", "a.md", appended("x"), dryRun, granted(map[string]any{"permissionLevel": "read", "shared": true})), tools.CodePermissionDenied},
		{"a call without its scope", get("a.md", with("capabilityScope", []string{})), tools.CodePermissionDenied},
	}
	for _, tt := range tests {
		if code := tools.Code(""); tt.answer.Error != nil {
			if code = tt.answer.Error.Code; code != tt.code {
				t.Errorf("%s: %s", tt.name, tt.answer.raw)
			}
		} else if tt.code != "" {
			t.Errorf("%s: want %s: %s", tt.name, tt.code, tt.answer.raw)
		}
	}
	// A member that stands twice would be read by two readers as two grants.
	raw, _ := json.Marshal(b.request("mnote.page.get", "a.md", nil))
	for _, twice := range []string{
		`{"accessScope":{"permissionLevel":"none","permissionLevel":"write"},`,
		`{"accessScope":{"permissionLevel":"none","PermissionLevel":"write"},`,
		`{"documentId":"pub/b.md",`,
		`{"DocumentId":"pub/b.md",`,
	} {
		w := direct{b}.serve("POST", "/api/hermes/tools/mnote/call", json.RawMessage(twice+string(raw[1:])))
		if w.Code != 400 {
			t.Errorf("%s… gives %d %s", twice, w.Code, w.Body)
		}
	}
}

// TestB21: outside the grant there is nothing: no name, no title, no count, no
// text, and no difference between what is hidden and what is not there.
func TestB21(t *testing.T) {
	t.Parallel()
	files := map[string]string{"pub/open.md": "# Open\n\n[[secret-3-CANARY]]\n", "pub/other.md": "# Other\n"}
	for i := range 50 {
		files[fmt.Sprintf("private/secret-%d-CANARY.md", i)] = fmt.Sprintf("---\ntags: [CANARY%d]\n---\n# CANARY title %d\n\nCANARY body\n", i, i)
	}
	files["CANARY-folder/x.md"], files["pub-CANARY.md"] = "x\n", "x\n"
	delete(files, "nothing")
	b := begin(t, files)
	b.put("pub/open.md", "# Open\n\ntext\n")
	hidden := "private/secret-1-CANARY.md"
	b.ok("mnote.artifact.create_summary", hidden, map[string]any{"summary": "CANARY summary"})
	done := b.ok("mnote.page.save", hidden, appended("CANARY more"))
	grants := []map[string]any{
		{"permissionLevel": "write", "documentIds": []string{"pub/open.md", "pub/other.md"}},
		{"permissionLevel": "write", "rootUri": "file://" + filepath.ToSlash(b.dir) + "/pub"},
	}
	refs := with("contextRefs", []map[string]string{{"kind": "page", "id": hidden}, {"kind": "file", "id": "CANARY.txt"}, {"kind": "folder", "id": "private-CANARY"}, {"kind": "page", "id": "pub/open.md"}})
	for _, g := range grants {
		calls := []answer{
			b.call("mnote.doc.list", "pub/open.md", nil, granted(g)),
			b.call("mnote.doc.list", "pub/open.md", map[string]any{"depth": 1}, granted(g)),
			b.call("mnote.doc.list", "pub/open.md", map[string]any{"folder": "private"}, granted(g)),
			b.call("mnote.context.get", "pub/open.md", nil, granted(g), refs),
			b.call("mnote.context.list_refs", "pub/open.md", nil, granted(g), refs),
			b.call("mnote.page.get", "pub/open.md", nil, granted(g)),
			b.call("mnote.artifact.list", "pub/open.md", nil, granted(g)),
			b.call("mnote.command.undo", "pub/open.md", map[string]any{"commandId": done.commandID()}, granted(g)),
			b.call("mnote.doc.create", "pub/open.md", map[string]any{"path": "pub/new.md"}, granted(g)),
		}
		for _, a := range calls {
			if strings.Contains(string(a.raw), "CANARY") {
				t.Errorf("%s under %v: %s", a.ToolName, g, a.raw)
			}
		}
		if got := calls[4].strings("refs", "id"); len(got) != 1 || got[0] != "pub/open.md" {
			t.Errorf("refs under %v: %s", g, calls[4].raw)
		}
		if got := strings.Join(calls[0].strings("entries", "documentId"), " "); !strings.HasSuffix(got, "pub/open.md pub/other.md") {
			t.Errorf("list under %v: %s", g, got)
		}
		if a := calls[8]; a.OK || a.Error.Code != tools.CodePermissionDenied {
			t.Errorf("create under %v: %s", g, a.raw)
		}
		for tool, args := range map[string]map[string]any{
			"mnote.page.get": nil, "mnote.page.save": appended("x"), "mnote.page.update_title": {"title": "x"}, "mnote.block.get": {"blockId": "b_x"},
			"mnote.doc.history": nil, "mnote.doc.restore": {"revision": 1}, "mnote.artifact.list": nil,
			"mnote.artifact.create_summary": {"summary": "x"}, "mnote.artifact.create_ai_note": {"content": "x"},
		} {
			there := b.call(tool, hidden, args, granted(g))
			gone := b.call(tool, "private/nothing-CANARY.md", args, granted(g))
			a, _ := json.Marshal(there.Error)
			z, _ := json.Marshal(gone.Error)
			if there.OK || string(a) != string(z) || there.Error.Code != tools.CodeDocumentNotFound {
				t.Errorf("%s under %v: hidden %s, absent %s", tool, g, a, z)
			}
		}
	}
	known := b.call("mnote.command.undo", "pub/open.md", map[string]any{"commandId": done.commandID()}, granted(grants[0]))
	unknown := b.call("mnote.command.undo", "pub/open.md", map[string]any{"commandId": "nothing"}, granted(grants[0]))
	if a, z := fmt.Sprint(known.Error), fmt.Sprint(unknown.Error); a != z {
		t.Errorf("undo tells a hidden command %s from none %s", a, z)
	}
}

// TestOutsideTheGrantNothingIsTold: for each path-like argument of each tool the
// answer outside the grant is one and the same, whether there is a page, a
// folder, a link to anywhere, or nothing. Advice on a name is told of the name
// alone: it names what the grant reaches, whatever stands at the asked path.
func TestOutsideTheGrantNothingIsTold(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"pub/a.md": "x\n", "pub/sub/deep.md": "x\n", "private.md": "x\n", "sub/b.md": "x\n", "sub/empty/.keep": ""})
	for name, target := range map[string]string{
		"out.md": filepath.Join(t.TempDir(), "x.md"), "outdir": t.TempDir(), "loop.md": "loop.md", "loopdir": "loopdir",
		"indir": "sub", "in.md": "private.md", "granted.md": "pub/a.md", "granteddir": "pub", "pub/peek.md": "../private.md", "pub/peekdir": "../sub",
	} {
		b.must(os.Symlink(filepath.FromSlash(target), b.path(name)))
	}
	outside := []string{
		"nosuch", "nosuch.md", "sub", "sub/b.md", "sub/empty", "sub/nosuch.md", "private.md", "nosuch/x.md", "out.md", "outdir", "outdir/x.md",
		"loop.md", "loopdir", "loopdir/x.md", "indir", "indir/b.md", "in.md", "granted.md", "granteddir",
	}
	namedLikeGranted := []string{"granteddir/a.md", "nosuch/a.md", "sub/a.md"}
	grants := map[string]map[string]any{
		"documents": {"permissionLevel": "write", "documentIds": []string{"pub/a.md", "pub/peek.md", "pub/peekdir/b.md"}},
		"folder":    {"permissionLevel": "write", "rootUri": "file://" + filepath.ToSlash(b.dir) + "/pub"},
		"nothing":   {"permissionLevel": "write", "documentIds": []string{}},
	}
	asked := 0
	for _, e := range ownCatalogue().tools {
		for _, argument := range []string{"documentId", "path", "folder"} {
			if e.Status != tools.StatusAvailable || !e.known[argument] {
				continue
			}
			for name, g := range grants {
				for _, paths := range [][]string{outside, namedLikeGranted} {
					told := map[string][]string{}
					for _, path := range paths {
						a := b.callWith(string(e.Name), argument, path, granted(g))
						said, _ := json.Marshal([]any{a.OK, a.result, a.Error})
						told[string(said)] = append(told[string(said)], path)
						asked++
					}
					if len(told) != 1 {
						t.Errorf("%s %s under %s tells apart: %v", e.Name, argument, name, told)
					}
				}
			}
		}
	}
	if asked < 18*len(grants)*len(outside) {
		t.Errorf("only %d calls", asked)
	}
	for name, g := range grants {
		list := b.ok("mnote.doc.list", "", nil, granted(g))
		got := strings.Join(list.strings("entries", "documentId"), " ")
		if want := map[string]string{"documents": "pub pub/a.md", "folder": "pub/a.md pub/sub pub/sub/deep.md", "nothing": ""}[name]; got != want {
			t.Errorf("the list under %s is %s", name, got)
		}
		b.refused(tools.CodeDocumentNotFound, "", "mnote.doc.list", "", map[string]any{"folder": "pub/peekdir"}, granted(g))
	}
}

// callWith calls a tool with a path in one of its arguments.
func (b *bench) callWith(tool, argument, path string, change ...func(map[string]any)) answer {
	b.tb.Helper()
	if argument == "documentId" {
		return b.call(tool, path, fitting(tool), change...)
	}
	return b.call(tool, "", map[string]any{argument: path}, change...)
}

func TestContext(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "# 题目\n", "b.md": "# B\n"})
	a := b.ok("mnote.context.get", "a.md", nil, with("selection", map[string]any{"text": "题"}))
	if a.result["title"] != "题目" || a.result["focus"] != "a.md" || a.result["readOnly"] != false || a.result["workspaceId"] != b.id ||
		a.result["accessScope"].(map[string]any)["permissionLevel"] != "write" || a.result["selection"].(map[string]any)["text"] != "题" {
		t.Errorf("%s", a.raw)
	}
	if got := a.result["skillPreferences"].(map[string]any)["mnote"].(map[string]any)["mnote-current-page"]; got != true {
		t.Errorf("%s", a.raw)
	}
	r := b.ok("mnote.context.get", "", nil, granted(map[string]any{"permissionLevel": "read"}))
	if r.result["readOnly"] != true || !strings.Contains(r.result["notice"].(string), "只读") || r.result["documentId"] != nil {
		t.Errorf("%s", r.raw)
	}
	for shared, says := range map[bool]string{false: "only make dry runs", true: "dry runs are refused too"} {
		r := b.ok("mnote.context.get", "", nil, granted(map[string]any{"permissionLevel": "read", "shared": shared}))
		if !strings.Contains(r.result["notice"].(string), says) {
			t.Errorf("shared %v: %s", shared, r.raw)
		}
	}
	moved := with("pendingFocus", "b.md")
	if got := b.ok("mnote.context.get", "a.md", nil, moved).result; got["focus"] != "a.md" || got["pendingFocus"] != "b.md" {
		t.Errorf("the person moves on in mid-turn: %v", got)
	}
	for name, change := range map[string]func(map[string]any){
		"not moved": with("pendingFocus", ""), "no page": with("pendingFocus", "../c.md"), "gone": with("pendingFocus", "none.md"),
		"out of reach": granted(map[string]any{"permissionLevel": "read", "documentIds": []string{"a.md"}}),
	} {
		if got, has := b.ok("mnote.context.get", "a.md", nil, moved, change).result["pendingFocus"]; has {
			t.Errorf("%s: %v is pending", name, got)
		}
	}
	refs := b.ok("mnote.context.list_refs", "a.md", nil, with("selection", "x"), with("contextRefs", []map[string]string{
		{"kind": "page", "id": "a.md"}, {"kind": "page", "id": "../up.md"}, {"kind": "mindmap", "id": "m"}, {"kind": "spell", "id": "s"},
	}))
	if got := strings.Join(refs.strings("refs", "kind"), " "); got != "page mindmap selection" {
		t.Errorf("%s", refs.raw)
	}
}
