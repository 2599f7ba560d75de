package store

import (
	"strconv"
	"time"
)

// KeyState says how far a key's write is.
type KeyState string

// The states of a key.
const (
	KeyOpen  KeyState = "open"
	KeyDone  KeyState = "done"
	KeyDoubt KeyState = "doubt"
)

// Key names one write by its caller.
type Key struct {
	Actor   string `json:"actor"`
	Profile string `json:"profile"`
	Tool    string `json:"tool"`
	Key     string `json:"key"`
}

// Dedupe is what is known of a key.
type Dedupe struct {
	// Body is the hash of the document and the arguments.
	Body   string
	State  KeyState
	Answer []byte
}

// answersKept is how long an answer is kept; afterwards only its hash is, for
// hashesKept.
const (
	answersKept = 7 * 24 * time.Hour
	hashesKept  = 90 * 24 * time.Hour
)

// Dedupe finds a key.
func (t *Tx) Dedupe(k Key) (d Dedupe, found bool, err error) {
	found, err = t.one(`SELECT body, state, answer FROM dedupe WHERE actor = ? AND profile = ? AND tool = ? AND key = ?`,
		[]any{k.Actor, k.Profile, k.Tool, k.Key}, &d.Body, &d.State, &d.Answer)
	return d, found, err
}

// PutDedupe notes a key, and now and then forgets what is past its time.
func (t *Tx) PutDedupe(k Key, d Dedupe) error {
	if err := t.exec(`INSERT INTO dedupe (actor, profile, tool, key, body, state, answer, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET body = excluded.body, state = excluded.state, answer = excluded.answer, at = excluded.at`,
		k.Actor, k.Profile, k.Tool, k.Key, d.Body, string(d.State), nonNil(d.Answer), micros(t.now)); err != nil {
		return err
	}
	due, err := t.due("dedupe_pruned", time.Hour)
	if err != nil || !due {
		return err
	}
	if err := t.exec(`DELETE FROM dedupe WHERE at < ?`, micros(t.now.Add(-hashesKept))); err != nil {
		return err
	}
	return t.exec(`UPDATE dedupe SET answer = x'' WHERE at < ? AND answer <> x''`, micros(t.now.Add(-answersKept)))
}

// due reports whether something named was last done longer ago than every, and
// notes that it is done now.
func (t *Tx) due(name string, every time.Duration) (bool, error) {
	var done int64
	_, err := t.one(`SELECT CAST(value AS INTEGER) FROM meta WHERE name = ?`, []any{name}, &done)
	if err != nil || t.now.Sub(fromMicros(done)).Abs() < every {
		return false, err
	}
	return true, t.exec(`INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value`,
		name, strconv.FormatInt(micros(t.now), 10))
}

// DropDedupe forgets a key whose write did not happen.
func (t *Tx) DropDedupe(k Key) error {
	return t.exec(`DELETE FROM dedupe WHERE actor = ? AND profile = ? AND tool = ? AND key = ?`, k.Actor, k.Profile, k.Tool, k.Key)
}
