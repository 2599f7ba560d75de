package localkernel

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// access is what a grant lets a call reach in this workspace. A nil grant is
// the owner's own session: everything.
type access struct {
	grant *tools.Grant
	// ids are the grant's documents in NFC; nil is not narrowed.
	ids []string
	// folder narrows to what lies below it; "" is the root.
	folder string
	// nowhere: the grant's root is another place altogether.
	nowhere bool
}

// accessOf reads a grant for a workspace that is known by some roots.
func accessOf(g *tools.Grant, roots []string) access {
	a := access{grant: g}
	if g == nil {
		return a
	}
	if g.DocumentIDs != nil {
		a.ids = []string{}
		for _, id := range g.DocumentIDs {
			a.ids = append(a.ids, norm.NFC.String(id))
		}
	}
	if g.RootURI != "" {
		a.nowhere = true
		granted, ok := filePath(g.RootURI)
		for _, root := range roots {
			if folder, in := below(granted, root); ok && in {
				a.folder, a.nowhere = folder, false
				break
			}
		}
	}
	return a
}

// filePath gives the path of a file URI.
func filePath(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	p := u.Path
	if len(p) > 2 && p[0] == '/' && p[2] == ':' { // file:///C:/notes
		p = p[1:]
	}
	return filepath.FromSlash(p), true
}

// below places a granted path against the workspace's root: at or above it
// narrows nothing ("" ), a folder in it narrows to that, else it is not in.
func below(granted, root string) (folder string, in bool) {
	if rel, err := filepath.Rel(granted, root); err == nil && filepath.IsLocal(rel) {
		return "", true
	}
	rel, err := filepath.Rel(root, granted)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return norm.NFC.String(filepath.ToSlash(rel)), true
}

// narrowed reports whether some documents of the workspace are out of reach.
func (a access) narrowed() bool { return a.ids != nil || a.folder != "" || a.nowhere }

// reaches reports whether a document lies within the grant.
func (a access) reaches(id vault.ID) bool {
	return !a.nowhere && (a.ids == nil || slices.Contains(a.ids, string(id))) &&
		(a.folder == "" || strings.HasPrefix(string(id), a.folder+"/"))
}
