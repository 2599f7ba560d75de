package store

import (
	"fmt"
	"strconv"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// Source says who made a revision.
type Source string

// The sources of a revision.
const (
	SourceAgent    Source = "agent"
	SourceExternal Source = "external"
	SourceUndo     Source = "undo"
)

// Document is what was last seen at a path.
type Document struct {
	Path     string
	Revision int64
	// Hash is of the bytes, "" when the file was gone.
	Hash string
}

// Revision is one state of a document that was seen or written.
type Revision struct {
	Path      string
	Revision  int64
	Hash      string
	At        time.Time
	Source    Source
	Actor     string
	Session   string
	Trace     string
	CommandID string
	Summary   string
}

// keptFor is how long every revision is kept, whatever Keep says.
const keptFor = 30 * 24 * time.Hour

// Document finds what was last seen at a path.
func (t *Tx) Document(path string) (d Document, found bool, err error) {
	d.Path = path
	found, err = t.one(`SELECT revision, hash FROM document WHERE path = ?`, []any{path}, &d.Revision, &d.Hash)
	return d, found, err
}

// See notes what a path holds now, "" for nothing: where that differs from what
// was last seen somebody else changed it, and the document gets a revision with
// source external.
func (t *Tx) See(path, hash string) (Document, error) {
	d, found, err := t.Document(path)
	if err != nil || d.Hash == hash && (found || hash == "") {
		return d, err
	}
	return t.Revise(Revision{Path: path, Hash: hash, Source: SourceExternal})
}

// Revise gives a path its next revision. The revision's number and time are set
// here.
func (t *Tx) Revise(r Revision) (Document, error) {
	d, found, err := t.Document(r.Path)
	if err != nil {
		return d, err
	}
	if d.Revision++; !found {
		if d.Revision, err = t.firstRevision(); err != nil {
			return d, err
		}
	}
	d.Hash, r.Revision = r.Hash, d.Revision
	if err := t.exec(`INSERT INTO document (path, revision, hash) VALUES (?, ?, ?)
		ON CONFLICT (path) DO UPDATE SET revision = excluded.revision, hash = excluded.hash`, d.Path, d.Revision, d.Hash); err != nil {
		return d, err
	}
	return d, t.addRevision(r)
}

func (t *Tx) addRevision(r Revision) error {
	if err := t.exec(`INSERT INTO revision (path, revision, hash, at, source, actor, session, trace, command_id, summary)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.Path, r.Revision, r.Hash, micros(t.now), string(r.Source), r.Actor,
		r.Session, r.Trace, r.CommandID, r.Summary); err != nil {
		return fmt.Errorf("add revision %d: %w", r.Revision, err)
	}
	return t.pruneRevisions(r.Path, r.Revision)
}

// firstRevision gives the number that a document starts with in this file.
func (t *Tx) firstRevision() (int64, error) {
	var text string
	found, err := t.one(`SELECT value FROM meta WHERE name = 'first_revision'`, nil, &text)
	if err != nil {
		return 0, err
	}
	if found {
		return strconv.ParseInt(text, 10, 64)
	}
	first := int64(1)
	if t.s.config.FirstRevision != nil {
		first = t.s.config.FirstRevision()
	}
	return first, t.exec(`INSERT INTO meta (name, value) VALUES ('first_revision', ?)`, strconv.FormatInt(first, 10))
}

// Revisions lists a path's revisions below a number, newest first.
func (t *Tx) Revisions(path string, below int64, limit int) ([]Revision, error) {
	return each(t, scanRevision, `SELECT path, revision, hash, at, source, actor, session, trace, command_id, summary
		FROM revision WHERE path = ? AND revision < ? ORDER BY revision DESC LIMIT ?`, path, below, limit)
}

// RevisionAt finds one revision of a path.
func (t *Tx) RevisionAt(path string, number int64) (r Revision, found bool, err error) {
	list, err := each(t, scanRevision, `SELECT path, revision, hash, at, source, actor, session, trace, command_id, summary
		FROM revision WHERE path = ? AND revision = ?`, path, number)
	if err != nil || len(list) == 0 {
		return r, false, err
	}
	return list[0], true, nil
}

func scanRevision(row sqlite.Row, r *Revision) error {
	var at int64
	err := row.Scan(&r.Path, &r.Revision, &r.Hash, &at, &r.Source, &r.Actor, &r.Session, &r.Trace, &r.CommandID, &r.Summary)
	r.At = fromMicros(at)
	return err
}

// pruneEvery is how many revisions of a path come between two looks for old
// ones: a look costs more than the rows.
const pruneEvery = 16

// pruneRevisions forgets what is beyond Keep and was replaced more than 30 days
// ago: what the page was 30 days ago is needed to undo the first change since.
func (t *Tx) pruneRevisions(path string, newest int64) error {
	keep := int64(t.s.config.Keep)
	if newest%min(pruneEvery, keep) != 0 {
		return nil
	}
	old, err := each(t, func(row sqlite.Row, r *Revision) error { return row.Scan(&r.Revision, &r.Hash, &r.CommandID) },
		`SELECT revision, hash, command_id FROM revision WHERE path = ?1 AND revision <= ?2
			AND revision < (SELECT max(revision) FROM revision WHERE path = ?1 AND at < ?3)`,
		path, newest-keep, micros(t.now.Add(-keptFor)))
	if err != nil {
		return err
	}
	for _, r := range old {
		if err := t.forget(path, r); err != nil {
			return err
		}
	}
	return nil
}

// forget drops one revision, the command that made it, and their bytes.
func (t *Tx) forget(path string, r Revision) error {
	if err := t.exec(`DELETE FROM revision WHERE path = ? AND revision = ?`, path, r.Revision); err != nil {
		return err
	}
	var before, after string
	found, err := t.one(`DELETE FROM command WHERE id = ? RETURNING before, after`, []any{r.CommandID}, &before, &after)
	if err != nil {
		return err
	}
	gone := []string{r.Hash}
	if found {
		gone = append(gone, before, after)
	}
	for _, hash := range gone {
		if err := t.dropContent(hash); err != nil {
			return err
		}
	}
	return nil
}

// NextRevision gives the revision that the next change of a path will get.
func (t *Tx) NextRevision(path string) (int64, error) {
	d, found, err := t.Document(path)
	if err != nil || found {
		return d.Revision + 1, err
	}
	return t.firstRevision()
}
