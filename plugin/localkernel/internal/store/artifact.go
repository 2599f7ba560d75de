package store

import (
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// NodeKind is what an artifact is.
type NodeKind string

// The kinds of an artifact.
const (
	NodeSummary NodeKind = "summary"
	NodeAINote  NodeKind = "ai_note"
)

// Node is one artifact with its reference edge to the page.
type Node struct {
	ID   string
	Kind NodeKind
	Path string
	// Hash is of its text; "" when it was taken back.
	Hash     string
	Revision int64
	Made     time.Time
	Changed  time.Time
	Actor    string
	EdgeID   string
}

const nodeColumns = `SELECT n.id, n.kind, n.path, n.hash, n.revision, n.made, n.changed, n.actor, coalesce(e.id, '')
	FROM node n LEFT JOIN edge e ON e.node = n.id `

func scanNode(row sqlite.Row, n *Node) error {
	var made, changed int64
	err := row.Scan(&n.ID, &n.Kind, &n.Path, &n.Hash, &n.Revision, &made, &changed, &n.Actor, &n.EdgeID)
	n.Made, n.Changed = fromMicros(made), fromMicros(changed)
	return err
}

func scanString(row sqlite.Row, s *string) error { return row.Scan(s) }

// Summary finds a page's summary, one that was taken back included.
func (t *Tx) Summary(path string) (n Node, found bool, err error) {
	return t.node(`WHERE n.path = ? AND n.kind = 'summary'`, path)
}

// Node finds an artifact by its id, one that was taken back included.
func (t *Tx) Node(id string) (n Node, found bool, err error) { return t.node(`WHERE n.id = ?`, id) }

func (t *Tx) node(where, arg string) (n Node, found bool, err error) {
	list, err := each(t, scanNode, nodeColumns+where, arg)
	if err != nil || len(list) == 0 {
		return n, false, err
	}
	return list[0], true, nil
}

// Nodes lists a page's artifacts, newest first; kind "" is all.
func (t *Tx) Nodes(path string, kind NodeKind) ([]Node, error) {
	return each(t, scanNode, nodeColumns+`WHERE n.path = ?1 AND (?2 = '' OR n.kind = ?2) AND n.hash <> ''
		ORDER BY n.made DESC, n.id`, path, string(kind))
}

// PutNode keeps an artifact with its edge: a new one, or a new state of one.
// Without a hash it is taken back; its edge then leads to nothing and counts
// for nothing, until the artifact comes back.
func (t *Tx) PutNode(n Node) error {
	if err := t.exec(`INSERT INTO node (id, kind, path, hash, revision, made, changed, actor) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, revision = excluded.revision, changed = excluded.changed, actor = excluded.actor`,
		n.ID, string(n.Kind), n.Path, n.Hash, n.Revision, micros(t.now), micros(t.now), n.Actor); err != nil {
		return err
	}
	return t.exec(`INSERT INTO edge (id, node, path, kind) VALUES (?, ?, ?, 'reference') ON CONFLICT (node) DO NOTHING`,
		n.EdgeID, n.ID, n.Path)
}
