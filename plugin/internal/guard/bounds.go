package guard

import (
	"cmp"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// Bounds are what a session may reach, as its spawner said.
type Bounds struct {
	WorkspaceID string
	ActorID     string
	RootURI     string
	// LocalRoot says that the root is this user's own folder, so that ids are
	// paths below it.
	LocalRoot bool
	// Grant is nil in the owner's own session.
	Grant *tools.Grant
}

// Reach is what one call wants.
type Reach struct {
	Tool tools.Tool
	// Packs are the packs of the tool.
	Packs  []capabilities.Pack
	DryRun bool
	// DocumentID is the document the call goes to, or "".
	DocumentID string
	// Resource says that the tool is about a mind map or an office asset, and
	// MindmapID and AssetID which one.
	Resource           bool
	MindmapID, AssetID string
	// ObjectIdentity is the resource in focus; it stands in for ids that the
	// tool does not ask for.
	ObjectIdentity string
}

// Authorise is step 5 less the session's limits: the first guard that refuses
// has the word.
func Authorise(b Bounds, r Reach, now time.Time) error {
	return cmp.Or(
		Expiry(b.Grant, now),
		Workspace(b),
		Level(b.Grant, r),
		WritePermission(b.Grant, r),
		ReadOnlyPacks(r),
		Scopes(b.Grant, r.Tool),
		SharedRead(b.Grant, r),
		Document(b, r.DocumentID),
		Resource(b, r),
		Root(b),
		Path(b, r.DocumentID, r.MindmapID, r.AssetID),
	)
}
