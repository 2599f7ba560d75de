package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// focus is what a turn is about: the page, what of it is selected, what the
// person attached. It says where to look, never what is allowed.
type focus struct {
	rev            int64
	documentID     string
	objectIdentity string
	selection      json.RawMessage
	refs           []tools.Ref
	runID          string
}

// launchFocus is the focus before any client said one.
func launchFocus(base plugin.SessionConfig) focus {
	return focus{documentID: base.DocumentID, objectIdentity: base.ObjectIdentity, selection: base.Selection, refs: base.Refs}
}

// readFocus reads the object that a client says a focus with. One that names a
// page with anything but a string is an error, without the value in it: 5 is no
// page's id. Of the lists, what is odd is left out.
func readFocus(v gjson.Result) (focus, error) {
	if !v.IsObject() {
		return focus{}, errors.New("it is no object")
	}
	for _, name := range []string{"documentId", "objectIdentity", "runId"} {
		if m := v.Get(name); m.Type != gjson.String && m.Type != gjson.Null { // absent is Null
			return focus{}, fmt.Errorf("%s is no string", name)
		}
	}
	f := focus{
		rev:            v.Get("rev").Int(),
		documentID:     v.Get("documentId").String(),
		objectIdentity: v.Get("objectIdentity").String(),
		runID:          v.Get("runId").String(),
	}
	if s := v.Get("selection"); s.IsObject() || s.IsArray() {
		f.selection = json.RawMessage(strings.Clone(s.Raw))
	}
	if refs := v.Get("contextRefs"); refs.IsArray() {
		f.refs = readRefs(refs)
	}
	return f, nil
}

// readRefs reads a list of kind:id.
func readRefs(list gjson.Result) []tools.Ref {
	refs := []tools.Ref{}
	list.ForEach(func(_, v gjson.Result) bool {
		if kind, id, ok := strings.Cut(v.String(), ":"); ok && kind != "" && id != "" {
			refs = append(refs, tools.Ref{Kind: kind, ID: id})
		}
		return true
	})
	return refs
}

// Kinds of a prompt's blocks that link.
const (
	kindLink     = "resource_link"
	kindResource = "resource"
)

// maxLinks bounds how many links of a prompt are followed.
const maxLinks = 32

// linked finds the links to pages in a prompt's blocks, which is how a client
// that knows nothing of MNote says what it is about.
func linked(prompt gjson.Result, leads func(uri string) bool) (links []string) {
	if !prompt.IsArray() {
		return nil
	}
	prompt.ForEach(func(_, v gjson.Result) bool {
		block := place{0, v}
		var uri string
		switch block.text("type") {
		case kindLink:
			uri = block.text("uri")
		case kindResource:
			uri = block.text("resource", "uri")
		}
		if uri != "" && leads(uri) {
			links = append(links, strings.Clone(uri))
		}
		return len(links) < maxLinks
	})
	return links
}

// follow makes of a prompt's links what it is about: the first page, unless the
// client said one, with the others as what was attached, unless it said that.
func (f focus) follow(links []string, said bool, base plugin.SessionConfig) (focus, bool) {
	if !said && len(links) > 0 {
		f, said = pageOf(links[0], base)
	}
	if !said || f.refs != nil {
		return f, said
	}
	for _, uri := range links {
		page, _ := pageOf(uri, base)
		ref := tools.Ref{Kind: "page", ID: page.documentID}
		if ref.ID != f.documentID && !slices.Contains(f.refs, ref) {
			f.refs = append(f.refs, ref)
		}
	}
	return f, said
}

// pageOf reads a link to a page: mnote://page/{id}, mnote://{workspace}/{id} of
// this workspace, or a file below its root. A fragment is a block.
func pageOf(uri string, base plugin.SessionConfig) (focus, bool) {
	u, err := url.Parse(uri)
	if err != nil {
		return focus{}, false
	}
	var id string
	switch u.Scheme {
	case "mnote":
		if u.Host == "page" || base.WorkspaceID == "" || u.Host == base.WorkspaceID {
			id = strings.TrimPrefix(u.Path, "/")
		}
	case "file":
		id = below(u, base.RootURI)
	}
	f := focus{documentID: id}
	if u.Fragment != "" {
		f.selection, _ = json.Marshal(map[string]string{"blockId": u.Fragment})
	}
	return f, id != ""
}

// below gives the path of a file from the root, or "".
func below(file *url.URL, rootURI string) string {
	root, err := url.Parse(rootURI)
	if err != nil || root.Scheme != "file" || file.Host != root.Host {
		return ""
	}
	id, ok := strings.CutPrefix(file.Path, strings.TrimSuffix(root.Path, "/")+"/")
	if !ok || !pagelike(id) {
		return ""
	}
	return id
}

// pagelike reports whether a path can be a page's: a picture or a folder that a
// person attaches is not what the turn is about.
func pagelike(id string) bool {
	hidden := strings.HasPrefix(id, ".") || strings.Contains(id, "/.")
	return strings.EqualFold(path.Ext(id), ".md") && path.Clean(id) == id && !hidden
}

// fill puts a focus into what the pipeline is told of a call. The agent's own
// words for ids of session and run do not count.
func (f focus) fill(m *plugin.Meta) {
	m.DocumentID, m.ObjectIdentity = f.documentID, f.objectIdentity
	m.Selection, m.Refs = f.selection, f.refs
}

// shared is what two focuses have in common; the run and the revision stay.
func (f focus) shared(g focus) focus {
	if f.documentID != g.documentID || f.objectIdentity != g.objectIdentity {
		return focus{rev: f.rev, runID: f.runID}
	}
	if !bytes.Equal(f.selection, g.selection) {
		f.selection = nil
	}
	if !slices.Equal(f.refs, g.refs) {
		f.refs = nil
	}
	return f
}

// newer is the focus to go on with when another was said: the higher revision,
// of equals the later.
func newer(old, said focus) focus {
	if said.rev < old.rev {
		return old
	}
	return said
}
