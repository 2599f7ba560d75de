package store

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// Intent is a write under way: all that it takes to finish it, by whoever finds
// it.
type Intent struct {
	ID int64 `json:"-"`
	// Path is the document's, Disk the same as spelled on the disk, Temp the
	// temp file's name beside it.
	Path string `json:"-"`
	Disk string `json:"-"`
	Temp string `json:"-"`
	// Before and After are content hashes; "" is no file.
	Before string `json:"-"`
	After  string `json:"-"`

	Key      Key      `json:"key"`
	Body     string   `json:"body"`
	PlanID   string   `json:"planId,omitempty"`
	Command  Command  `json:"command"`
	Revision Revision `json:"revision"`
	Answer   []byte   `json:"answer"`
	// Sweep is how many of the path's folders, the last ones, go with the file
	// where they are empty then.
	Sweep int `json:"sweep,omitempty"`
}

// AddIntent notes a write before it happens, and takes its key.
func (t *Tx) AddIntent(i Intent) (int64, error) {
	rest, err := json.Marshal(i)
	if err != nil {
		return 0, err
	}
	if err := t.PutDedupe(i.Key, Dedupe{Body: i.Body, State: KeyOpen}); err != nil {
		return 0, err
	}
	var id int64
	_, err = t.one(`INSERT INTO intent (path, disk, temp, before, after, rest) VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
		[]any{i.Path, i.Disk, i.Temp, i.Before, i.After, rest}, &id)
	return id, err
}

// Intents lists the writes under way at a path.
func (t *Tx) Intents(path string) ([]Intent, error) {
	return each(t, scanIntent, `SELECT id, path, disk, temp, before, after, rest FROM intent WHERE path = ? ORDER BY id`, path)
}

// HasIntents reports whether a write is under way at a path.
func (t *Tx) HasIntents(path string) (bool, error) {
	var one int
	return t.one(`SELECT 1 FROM intent WHERE path = ? LIMIT 1`, []any{path}, &one)
}

// OpenIntents lists the writes under way at all paths.
func (t *Tx) OpenIntents() ([]Intent, error) {
	return each(t, scanIntent, `SELECT id, path, disk, temp, before, after, rest FROM intent ORDER BY id`)
}

// IntentOf finds the write under way that took a key.
func (t *Tx) IntentOf(k Key) (i Intent, found bool, err error) {
	open, err := t.OpenIntents()
	at := slices.IndexFunc(open, func(i Intent) bool { return i.Key == k })
	if err != nil || at < 0 {
		return i, false, err
	}
	return open[at], true, nil
}

// Intent finds one by its id; settled ones are gone.
func (t *Tx) Intent(id int64) (i Intent, found bool, err error) {
	list, err := each(t, scanIntent, `SELECT id, path, disk, temp, before, after, rest FROM intent WHERE id = ?`, id)
	if err != nil || len(list) == 0 {
		return i, false, err
	}
	return list[0], true, nil
}

func scanIntent(row sqlite.Row, i *Intent) error {
	var rest []byte
	if err := row.Scan(&i.ID, &i.Path, &i.Disk, &i.Temp, &i.Before, &i.After, &rest); err != nil {
		return err
	}
	if err := json.Unmarshal(rest, i); err != nil {
		return fmt.Errorf("intent %d: %w", i.ID, err)
	}
	return nil
}

// Finish makes a write that happened known: the document's revision, the
// command, the key's answer; its intent and its plan are spent.
func (t *Tx) Finish(i Intent) (Document, error) {
	d, err := t.Revise(i.Revision)
	if err != nil {
		return d, err
	}
	if err := t.AddCommand(i.Command); err != nil {
		return d, err
	}
	if i.PlanID != "" {
		if err := t.UsePlan(i.PlanID); err != nil {
			return d, err
		}
	}
	if err := t.PutDedupe(i.Key, Dedupe{Body: i.Body, State: KeyDone, Answer: i.Answer}); err != nil {
		return d, err
	}
	return d, t.dropIntent(i.ID)
}

// Drop forgets a write that did not happen; its key is free again.
func (t *Tx) Drop(i Intent) error {
	if err := t.DropDedupe(i.Key); err != nil {
		return err
	}
	return t.forgetIntent(i)
}

// Doubt ends a write of which nobody can say whether it happened: its key is
// answered with a conflict from now on. The bytes before it stay in the history.
func (t *Tx) Doubt(i Intent) error {
	if err := t.PutDedupe(i.Key, Dedupe{Body: i.Body, State: KeyDoubt}); err != nil {
		return err
	}
	return t.forgetIntent(i)
}

// forgetIntent drops an intent and the bytes that it would have written.
func (t *Tx) forgetIntent(i Intent) error {
	if err := t.dropIntent(i.ID); err != nil {
		return err
	}
	return t.dropContent(i.After)
}

func (t *Tx) dropIntent(id int64) error { return t.exec(`DELETE FROM intent WHERE id = ?`, id) }
