package guard

import (
	"net/url"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/mnote-dev/mnote-host/tools"
)

// folds says whether this platform's file systems ignore case as a rule.
const folds = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// Root refuses a call where the session's root does not lie in the grant's. It
// compares words only: links are for the kernel to resolve.
func Root(b Bounds) error {
	if b.Grant == nil || b.Grant.RootURI == "" || b.RootURI == "" || Within(b.Grant.RootURI, b.RootURI) {
		return nil
	}
	return outside()
}

// Path refuses an id that would lead out of the root where ids are paths below
// it. It touches no disk.
func Path(b Bounds, ids ...string) error {
	if !b.LocalRoot {
		return nil
	}
	for _, id := range ids {
		switch {
		case leaves(id) && hasDots(id):
			return dotted()
		case leaves(id):
			return outside()
		}
	}
	return nil
}

// dotted refuses a path with .. in it, wherever that leads: through a link it is
// not where it seems.
func dotted() error {
	return tools.Errorf(tools.CodeResourceDenied, tools.Text{
		ZH: "路径中有 .. 段；请用工作区根目录下的直接路径，例如 财务/季度.md",
		EN: "the path has .. in it; name things by their plain path from the workspace's root, such as finance/q1.md",
	}).With("reason", "root")
}

func outside() error {
	return tools.Errorf(tools.CodeResourceDenied, tools.Text{
		ZH: "路径越出了工作区；请用相对工作区根目录的路径，例如 财务/季度.md",
		EN: "the path leaves the workspace; name things by their path from its root, such as finance/q1.md",
	}).With("reason", "root")
}

// Within reports whether a root, as a URI or an absolute path, is the other one
// or lies below it: after percent-decoding, Unicode NFC, cleaning of dots, and
// case folding where the platform folds. What cannot be read lies nowhere.
func Within(root, uri string) bool { return within(root, uri, folds) }

func within(root, uri string, fold bool) bool {
	outer, ok := place(root, fold)
	inner, okInner := place(uri, fold)
	if !ok || !okInner {
		return false
	}
	return inner == outer || strings.HasPrefix(inner, strings.TrimSuffix(outer, "/")+"/")
}

var (
	schemeForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`) })
	driveForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/?[A-Za-z]:(/|$)`) })
)

// place gives the one form of a root that two spellings of it share: an
// absolute path with slashes, a drive as /c:, a Windows share as //host/share,
// or scheme://host/path for what is no file.
func place(s string, fold bool) (string, bool) {
	if s == "" || strings.ContainsRune(s, 0) {
		return "", false
	}
	prefix, p, ok := split(s)
	if !ok || strings.ContainsRune(p, 0) {
		return "", false
	}
	windows := strings.HasPrefix(prefix, "//") || driveForm().MatchString(p)
	p = path.Clean("/" + strings.TrimPrefix(norm.NFC.String(p), "/"))
	if fold || windows {
		p = folded(p)
	}
	return prefix + p, true
}

// split takes a root apart into what stands before its path and the path,
// decoded.
func split(s string) (prefix, p string, ok bool) {
	if !schemeForm().MatchString(s) {
		return splitPath(s)
	}
	u, err := url.Parse(s)
	if err != nil || u.Opaque != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", "", false
	}
	host := strings.ToLower(u.Host)
	switch {
	case u.Scheme != "file":
		return u.Scheme + "://" + host, u.Path, true
	case host == "" || host == "localhost":
		return "", slashed(u.Path), true
	}
	return "//" + host, slashed(u.Path), true
}

// splitPath takes a bare path apart; a relative one is no root.
func splitPath(s string) (prefix, p string, ok bool) {
	p = slashed(s)
	if rest, share := strings.CutPrefix(p, "//"); share {
		host, tail, _ := strings.Cut(rest, "/")
		return "//" + strings.ToLower(host), "/" + tail, host != ""
	}
	return "", p, strings.HasPrefix(p, "/") || driveForm().MatchString(p)
}

// slashed turns a Windows path's separators; in any other path a backslash is a
// letter.
func slashed(s string) string {
	turned := strings.ReplaceAll(s, `\`, "/")
	if driveForm().MatchString(turned) || strings.HasPrefix(s, `\\`) {
		return turned
	}
	return s
}

// leaves reports whether an id leads out of the root it is to lie under, by
// itself or once percent-decoded. Both separators count everywhere: an id that
// is harmless here must be so on the next machine.
func leaves(id string) bool {
	if decoded, err := url.PathUnescape(id); err == nil && decoded != id && climbs(decoded) {
		return true
	}
	return climbs(id)
}

func climbs(id string) bool {
	turned := strings.ReplaceAll(id, `\`, "/")
	return strings.ContainsRune(id, 0) ||
		strings.HasPrefix(turned, "/") ||
		driveForm().MatchString(turned) || strings.HasPrefix(strings.ToLower(turned), "file:") || hasDots(id)
}

// hasDots reports whether one of a path's names is two dots.
func hasDots(id string) bool {
	return slices.Contains(strings.Split(strings.ReplaceAll(id, `\`, "/"), "/"), "..")
}
