package localkernel

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
)

// artifact is one line of a list.
type artifact struct {
	NodeID     string `json:"nodeId"`
	Kind       string `json:"kind"`
	DocumentID string `json:"documentId"`
	EdgeID     string `json:"edgeId"`
	Content    string `json:"content"`
	// Part says that the content is not the text's start.
	Part bool `json:"part,omitempty"`
	// Truncated says that the text goes on: with ContentCursor it is read.
	Truncated     bool   `json:"truncated,omitempty"`
	ContentCursor string `json:"contentCursor,omitempty"`
	Revision      int64  `json:"revision"`
	ContentHash   string `json:"contentHash"`
	CreatedAt     string `json:"createdAt"`
	UpdatedAt     string `json:"updatedAt"`
}

// artifactList is artifact.list's result.
type artifactList struct {
	Artifacts []artifact `json:"artifacts"`
	// Total is how many there are, where this is a part of them.
	Total      int       `json:"total,omitempty"`
	NextCursor string    `json:"nextCursor,omitempty"`
	Warnings   []warning `json:"warnings,omitempty"`
}

// listArtifacts lists a page's artifacts, newest first: as many as fit a reply,
// and of each as much text as leaves room for the others. With a cursor out of
// one of them it reads on in that one's text.
func listArtifacts(ctx context.Context, k *Kernel, c *call) (any, error) {
	id, key, err := k.artifactPage(c)
	if err != nil {
		return nil, err
	}
	out := artifactList{Artifacts: []artifact{}}
	if k.state == nil {
		return out, nil
	}
	var a struct {
		Kind   string `json:"kind"`
		Cursor string `json:"cursor"`
	}
	if err := c.decode(&a); err != nil {
		return nil, err
	}
	part, isPart, err := readArtifactPlace(a.Cursor, key)
	if err != nil {
		return nil, err
	}
	var last string
	if !isPart {
		if last, err = readArtifactCursor(a.Cursor, key); err != nil {
			return nil, err
		}
	}
	k.stateReady()
	err = k.state.View(ctx, func(tx *store.Tx) (err error) {
		if isPart {
			out, err = artifactPart(tx, id, key, part)
			return err
		}
		nodes, err := tx.Nodes(key, store.NodeKind(a.Kind))
		if err == nil {
			out, err = listNodes(tx, id, key, nodes, last)
		}
		return err
	})
	if slices.ContainsFunc(out.Artifacts, func(a artifact) bool { return a.Truncated }) {
		out.Warnings = []warning{{Reason: "truncated", Message: textArtifactCut.In(c.Lang)}}
	}
	if err != nil && k.readable(err) {
		return out, nil
	}
	return out, err
}

// minShare is how much of each artifact's text a list shows at least, in bytes.
const minShare = 1200

// artifactOf is a node's line, without its text.
func artifactOf(id vault.ID, n store.Node) artifact {
	return artifact{
		NodeID: n.ID, Kind: string(n.Kind), DocumentID: string(id), EdgeID: n.EdgeID, Revision: n.Revision, ContentHash: n.Hash,
		CreatedAt: n.Made.Format(time.RFC3339), UpdatedAt: n.Changed.Format(time.RFC3339),
	}
}

// listNodes lists the nodes behind the one that is said to be last seen. Where
// not all fit NextCursor says where to go on.
func listNodes(tx *store.Tx, id vault.ID, key string, nodes []store.Node, last string) (artifactList, error) {
	out := artifactList{Artifacts: []artifact{}}
	var shown store.Node // the last one
	room, share := maxReply, max(minShare, maxReply/max(1, len(nodes))/2)
	for _, n := range nodes {
		if last != "" && nodePlace(n) <= last {
			continue
		}
		text, err := textOf(tx, n.Hash)
		if err != nil {
			return out, err
		}
		a := artifactOf(id, n)
		a.show(text, 0, share, key)
		if room -= jsonSize(a) + 1; room < 0 && len(out.Artifacts) > 0 {
			out.NextCursor = placeCursor(artifactCursorMark, nodePlace(shown), key)
			break
		}
		out.Artifacts = append(out.Artifacts, a)
		shown = n
	}
	if len(out.Artifacts) < len(nodes) {
		out.Total = len(nodes)
	}
	return out, nil
}

// artifactCursorMark begins the cursor of a list of artifacts; its place is the
// last one that its reader has seen.
const artifactCursorMark = "a1"

// nodePlace orders the nodes of a list, newest first, in a word.
func nodePlace(n store.Node) string {
	return fmt.Sprintf("%016x-%s", math.MaxInt64-n.Made.UnixMicro(), n.ID)
}

func isNodePlace(place string) bool {
	made, id, ok := strings.Cut(place, "-")
	_, err := strconv.ParseUint(made, 16, 63)
	return ok && err == nil && len(made) == 16 && id != ""
}

func readArtifactCursor(cursor, key string) (place string, err error) {
	if cursor == "" {
		return "", nil
	}
	return readPlaceCursor(artifactCursorMark, cursor, key, isNodePlace)
}
