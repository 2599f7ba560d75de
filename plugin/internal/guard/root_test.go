package guard

import (
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, root, uri string
		fold, want      bool
	}{
		{"equal", "file:///home/u/notes", "file:///home/u/notes", false, true},
		{"closing slash", "file:///home/u/notes/", "file:///home/u/notes", false, true},
		{"below", "file:///home/u/notes", "file:///home/u/notes/a/b", false, true},
		{"above", "file:///home/u/notes/a", "file:///home/u/notes", false, false},
		{"beside, with its name as head", "file:///home/u/notes", "file:///home/u/notes2", false, false},
		{"whole disk", "file:///", "file:///home/u", false, true},
		{"a path for a URI", "file:///home/u/notes", "/home/u/notes", false, true},
		{"localhost", "file:///home/u/notes", "file://localhost/home/u/notes", false, true},
		{"scheme in capitals", "file:///home/u/notes", "FILE:///home/u/notes", false, true},
		{"dots inside", "file:///home/u/notes", "file:///home/u/notes/a/../b", false, true},
		{"dots that leave", "file:///home/u/notes", "file:///home/u/notes/../secret", false, false},
		{"dots, percent-encoded", "file:///home/u/notes", "file:///home/u/notes/%2e%2e/secret", false, false},
		{"slash, percent-encoded", "file:///home/u/notes", "file:///home/u/notes%2f..%2fsecret", false, false},
		{"percent-encoded letters", "file:///home/u/%E7%AC%94%E8%AE%B0", "file:///home/u/笔记", false, true},
		{"percent in a bare path is a letter", "/home/u/100%25", "/home/u/100%", false, false},
		{"NFD against NFC", "file:///home/u/caf\u00e9", "file:///home/u/cafe\u0301", false, true},
		{"case where it counts", "file:///home/u/Notes", "file:///home/u/notes", false, false},
		{"case where it folds", "file:///home/u/Notes", "file:///home/u/notes/A", true, true},
		{"case of a letter outside of ASCII", "file:///home/u/Übung", "file:///home/u/ÜBUNG", true, true},
		{"two letters are not one", "file:///home/u/straße", "file:///home/u/STRASSE", true, false},
		{"drive", "file:///C:/Users/u", `c:\users\U\notes`, false, true},
		{"another drive", "file:///C:/Users/u", "file:///D:/Users/u", false, false},
		{"drive, colon encoded", "file:///C:/Users/u", "file:///c%3A/Users/u", false, true},
		{"share", `\\srv\notes`, "file://SRV/Notes/a", false, true},
		{"another share", `\\srv\notes`, `\\srv\secret`, false, false},
		{"another server", "file://srv/notes", "file://evil/notes", false, false},
		{"a share is no path", "file:///srv/notes", "file://srv/notes", false, false},
		{"slashes for a share", "//srv/notes", `\\srv\notes\a`, false, true},
		{"backslash on a path is a letter", "/home/u", `/home/u\..\x`, false, false},
		{"cloud root", "mnote://ws_1/pages", "mnote://ws_1/pages/a", false, true},
		{"another workspace", "mnote://ws_1/pages", "mnote://ws_2/pages", false, false},
		{"another scheme", "file:///pages", "https://pages", false, false},
		{"relative", "file:///home/u", "home/u", false, false},
		{"relative URI", "file:///home/u", "file:home/u", false, false},
		{"dot", "file:///home/u", ".", false, false},
		{"empty", "file:///home/u", "", false, false},
		{"no root at all", "", "file:///home/u", false, false},
		{"NUL", "file:///home/u", "file:///home/u/a%00b", false, false},
		{"query", "file:///home/u", "file:///home/u?x=1", false, false},
		{"fragment", "file:///home/u", "file:///home/u#x", false, false},
		{"user", "https://h/home", "https://u:p@h/home", false, false},
		{"bad escape", "file:///home/u", "file:///home/u/%zz", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := within(c.root, c.uri, c.fold); got != c.want {
				t.Errorf("within(%q, %q) = %v", c.root, c.uri, got)
			}
		})
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bounds Bounds
		passes bool
	}{
		"owner":             {Bounds{RootURI: "file:///n"}, true},
		"grant names none":  {Bounds{RootURI: "file:///n", Grant: &tools.Grant{}}, true},
		"session has none":  {Bounds{Grant: &tools.Grant{RootURI: "file:///n"}}, true},
		"same":              {Bounds{RootURI: "file:///n", Grant: &tools.Grant{RootURI: "file:///n/"}}, true},
		"below":             {Bounds{RootURI: "file:///n/a", Grant: &tools.Grant{RootURI: "file:///n"}}, true},
		"above":             {Bounds{RootURI: "file:///n", Grant: &tools.Grant{RootURI: "file:///n/a"}}, false},
		"a root of no form": {Bounds{RootURI: "n", Grant: &tools.Grant{RootURI: "file:///n"}}, false},
	} {
		if err := Root(c.bounds); (err == nil) != c.passes {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The inputs of case B18, as far as the host sees them: none leads out of the
// root, and a page with an odd name is still a page.
func TestPath(t *testing.T) {
	t.Parallel()
	local := Bounds{LocalRoot: true}
	for _, id := range []string{
		"../x.md", "a/../../x.md", "a/../x.md", "..", "/etc/hosts", `C:\x.md`, "c:/x.md", `\\srv\s\x.md`, `\x.md`,
		"%2e%2e/x.md", "%2E%2e%2fx.md", "a%2f..%2f..%2fx.md", "%2fetc/hosts", "..%5cx.md",
		"x.md\x00.txt", "x.md%00.txt", "file:///etc/hosts", "FILE:x.md", `a\..\..\x.md`,
	} {
		if err := Path(local, id); tools.AsError(err).Code != tools.CodeResourceDenied {
			t.Errorf("%q: %v", id, err)
		}
		if err := Path(Bounds{}, id); err != nil {
			t.Errorf("%q is only an id where the root is not local: %v", id, err)
		}
	}
	for id, said := range map[string]string{"fold/../fold/p.md": "has .. in it", "../x.md": "has .. in it", "/etc/hosts": "leaves the workspace"} {
		if err := Path(local, "x.md", id); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q: %v, want that it %s", id, err, said)
		}
	}
	for _, id := range []string{
		"", "x.md", "财务/季度.md", "a..b.md", "...", "..hidden.md", "a/...md", "100%.md", "50%2.md", "a%20b.md", "profile:x.md",
	} {
		if err := Path(local, "x.md", id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// Whatever the spelling, nothing that lies within a root climbs out of it.
func FuzzWithin(f *testing.F) {
	for _, seed := range []string{"file:///n/a", "/n/%2e%2e/a", `\\srv\n`, "c:/n", "mnote://w/n", "/n/./a//b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if !within("file:///n", uri, false) {
			return
		}
		p, ok := place(uri, false)
		if !ok || p != "/n" && !strings.HasPrefix(p, "/n/") || strings.Contains(p+"/", "/../") || strings.ContainsRune(p, 0) {
			t.Errorf("%q lies within /n as %q", uri, p)
		}
	})
}

// What passes as a path below a root stays below it, on every platform's
// reading of it.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a/b.md", "%2e%2e/x", `a\..\b`, "c:/x", "x%00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if leaves(id) {
			return
		}
		slashes := strings.ReplaceAll(id, `\`, "/")
		if strings.HasPrefix(slashes, "/") || strings.ContainsRune(id, 0) {
			t.Errorf("%q starts anew", id)
		}
		for part := range strings.SplitSeq(slashes, "/") {
			if part == ".." {
				t.Errorf("%q climbs", id)
			}
		}
	})
}
