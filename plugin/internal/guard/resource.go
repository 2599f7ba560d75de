package guard

import (
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// The argument names that make a tool a resource tool, and the words of their
// object identities (seed 7-28).
const (
	MindmapField = "mindmapId"
	AssetField   = "assetId"

	mindmapWord = "mindmap"
	officeWord  = "onlyoffice"
)

// Resource refuses a mind map or office asset that the grant does not list, by
// id or by object identity. Without a grant the owner's own folder is granted,
// and nothing else.
func Resource(b Bounds, r Reach) error {
	if !r.Resource {
		return nil
	}
	if r.MindmapID == "" && r.AssetID == "" {
		return b.resource("", r.ObjectIdentity)
	}
	if r.MindmapID != "" {
		if err := b.resource(r.MindmapID, identity(mindmapWord, r.DocumentID, r.MindmapID)); err != nil {
			return err
		}
	}
	if r.AssetID != "" {
		return b.resource(r.AssetID, identity(officeWord, r.DocumentID, r.AssetID))
	}
	return nil
}

func (b Bounds) resource(id, identity string) error {
	if b.Grant == nil && b.LocalRoot || b.Grant != nil && b.Grant.AllowsResource(id, identity) {
		return nil
	}
	return tools.Errorf(tools.CodeResourceDenied, tools.Text{
		ZH: "这次授权不包括这个资源",
		EN: "this grant does not list that resource",
	}).With("reason", "resource")
}

// identity gives the object identity of a resource, or "" where a colon in one
// of the ids would let it be read as another's.
func identity(word, documentID, id string) string {
	if documentID == "" || strings.Contains(documentID+id, ":") {
		return ""
	}
	return "resource:" + word + ":" + documentID + ":" + id
}
