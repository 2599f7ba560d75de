package console

import (
	"crypto/sha256"
	"sync"
	"time"
)

// How long a link and a login live, and how many there are at most: a new one
// then takes the oldest's place.
const (
	linkTime  = 10 * time.Minute
	loginTime = 12 * time.Hour
	maxDoors  = 32
	maxNotes  = 16
)

// doors holds the links that were made and the logins that came of them. What
// it keeps of a secret is its hash.
type doors struct {
	now      func() time.Time
	newToken func() string

	mu     sync.Mutex
	links  map[[32]byte]time.Time
	logins map[[32]byte]*login
}

// login is one browser that came through a link.
type login struct {
	// forms is what every form of this login carries.
	forms string
	seen  time.Time
	// over closes when the login ends.
	over chan struct{}
	// notes tell what came of the last forms, by id, oldest first.
	notes []note
}

// note is what came of a form.
type note struct {
	ID    string
	Bad   bool
	Text  string
	Diffs []namedDiff
	// Plan is the plan that was answered, which the person may answer otherwise:
	// Shown is what they saw, and Back says that the other answer is yes.
	Plan, Shown string
	Back        bool
}

func (d *doors) link() string {
	token := d.newToken()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.links == nil {
		d.links = map[[32]byte]time.Time{}
	}
	makeRoom(d.links, func(made time.Time) time.Time { return made }, func(key [32]byte) { delete(d.links, key) })
	d.links[sha256.Sum256([]byte(token))] = d.now()
	return token
}

// enter spends a link and gives the cookie's value.
func (d *doors) enter(token string) (cookie string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := sha256.Sum256([]byte(token))
	made, known := d.links[key]
	delete(d.links, key)
	if !known || d.now().Sub(made) > linkTime {
		return "", false
	}
	if d.logins == nil {
		d.logins = map[[32]byte]*login{}
	}
	makeRoom(d.logins, func(l *login) time.Time { return l.seen }, d.end)
	cookie = d.newToken()
	d.logins[sha256.Sum256([]byte(cookie))] = &login{forms: d.newToken(), seen: d.now(), over: make(chan struct{})}
	return cookie, true
}

// makeRoom drops the oldest entry of a full map.
func makeRoom[V any](m map[[32]byte]V, age func(V) time.Time, drop func([32]byte)) {
	if len(m) < maxDoors {
		return
	}
	var oldest [32]byte
	var at time.Time
	for key, v := range m {
		if t := age(v); at.IsZero() || t.Before(at) {
			oldest, at = key, t
		}
	}
	drop(oldest)
}

// find gives the login of a cookie and notes that it was seen.
func (d *doors) find(cookie string) (*login, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := sha256.Sum256([]byte(cookie))
	l, ok := d.logins[key]
	if !ok {
		return nil, false
	}
	if d.now().Sub(l.seen) > loginTime {
		d.end(key)
		return nil, false
	}
	l.seen = d.now()
	return l, true
}

func (d *doors) leave(cookie string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.end(sha256.Sum256([]byte(cookie)))
}

// end ends a login, and what its pages listen to.
func (d *doors) end(key [32]byte) {
	if l, ok := d.logins[key]; ok {
		delete(d.logins, key)
		close(l.over)
	}
}

// keep stores a note and gives its id.
func (d *doors) keep(l *login, n note) string {
	n.ID = d.newToken()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(l.notes) == maxNotes {
		l.notes = l.notes[1:]
	}
	l.notes = append(l.notes, n)
	return n.ID
}

func (d *doors) note(l *login, id string) []note {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, n := range l.notes {
		if n.ID == id {
			return []note{n}
		}
	}
	return nil
}
