package acp

import (
	"encoding/json"
	"net/url"
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

// readFocus reads the object that a client says a focus with. What is odd in it
// is left out.
func readFocus(v gjson.Result) (focus, bool) {
	if !v.IsObject() {
		return focus{}, false
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
	return f, true
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

// linked finds the first page that a prompt's blocks link to, which is how a
// client that knows nothing of MNote says what it is about.
func linked(prompt gjson.Result, base plugin.SessionConfig) (f focus, ok bool) {
	if !prompt.IsArray() {
		return focus{}, false
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
		f, ok = pageOf(uri, base)
		return !ok
	})
	return f, ok
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
	if !ok {
		return ""
	}
	return id
}

// fill puts a focus into what the pipeline is told of a call. The agent's own
// words for ids of session and run do not count.
func (f focus) fill(m *plugin.Meta) {
	m.DocumentID, m.ObjectIdentity = f.documentID, f.objectIdentity
	m.Selection, m.Refs = f.selection, f.refs
}

// newer is the focus to go on with when another was said: the higher revision,
// of equals the later.
func newer(old, said focus) focus {
	if said.rev < old.rev {
		return old
	}
	return said
}
