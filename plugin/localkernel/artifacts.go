package localkernel

import (
	"bytes"
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
)

// artifact is one line of a list.
type artifact struct {
	NodeID      string `json:"nodeId"`
	Kind        string `json:"kind"`
	DocumentID  string `json:"documentId"`
	EdgeID      string `json:"edgeId"`
	Content     string `json:"content"`
	Truncated   bool   `json:"truncated,omitempty"`
	Revision    int64  `json:"revision"`
	ContentHash string `json:"contentHash"`
	CreatedAt   string `json:"createdAt"`
	UpdatedAt   string `json:"updatedAt"`
}

// artifactList is artifact.list's result.
type artifactList struct {
	Artifacts []artifact `json:"artifacts"`
	// Total is how many there are, where not all fit.
	Total int `json:"total,omitempty"`
}

// listArtifacts lists a page's artifacts, newest first: as many as fit a reply,
// and of each as much text as leaves room for the others.
func listArtifacts(ctx context.Context, k *Kernel, c *call) (any, error) {
	id, key, err := k.artifactPage(c)
	if err != nil {
		return nil, err
	}
	out := artifactList{Artifacts: []artifact{}}
	if k.state == nil {
		return out, nil
	}
	var kind string
	_ = json.Unmarshal(c.args["kind"], &kind) // the schema says it is one of two words
	k.stateReady()
	err = k.state.View(ctx, func(tx *store.Tx) error {
		nodes, err := tx.Nodes(key, store.NodeKind(kind))
		if err != nil {
			return err
		}
		out, err = listNodes(tx, id, nodes)
		return err
	})
	if err != nil && k.readable(err) {
		return out, nil
	}
	return out, err
}

func listNodes(tx *store.Tx, id vault.ID, nodes []store.Node) (artifactList, error) {
	out := artifactList{Artifacts: []artifact{}}
	room := maxReply
	share := max(200, maxReply/max(1, len(nodes))/2)
	for _, n := range nodes {
		text, err := textOf(tx, n.Hash)
		if err != nil {
			return out, err
		}
		a := artifact{
			NodeID: n.ID, Kind: string(n.Kind), DocumentID: string(id), EdgeID: n.EdgeID, Revision: n.Revision, ContentHash: n.Hash,
			CreatedAt: n.Made.Format(time.RFC3339), UpdatedAt: n.Changed.Format(time.RFC3339),
		}
		a.Content, a.Truncated = head(text, share)
		if room -= jsonSize(a); room < 0 {
			out.Total = len(nodes)
			break
		}
		out.Artifacts = append(out.Artifacts, a)
	}
	return out, nil
}

// head cuts a text at a character.
func head(text []byte, limit int) (string, bool) {
	text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	if len(text) <= limit {
		return string(text), false
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return string(text[:limit]), true
}
