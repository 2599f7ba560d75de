package localkernel

import (
	"bytes"
	"math"
	"slices"
	"sync"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/tools"
)

// sight is what a session has seen of a page: what it knows of it, it may know
// from any revision from oldest to newest. oldest is 0 where nobody remembers.
type sight struct {
	oldest, newest int64
	// reading is the revision of a reading in parts that began at the page's
	// start, or 0.
	reading int64
	// exact is the revision whose ids the session knows, every one: it read all of
	// it, and what came since it wrote itself. 0 is none.
	exact int64
	// near are the unnumbered ids that those writes touched, which may be numbered
	// otherwise now; told are the ids that the last of them answered.
	near, told []string
	used       uint64
}

// Bounds of what is remembered: sights, and the bytes of a name in one.
const (
	maxSights    = 512
	maxSightName = 512
)

// sighted names a sight.
type sighted struct{ actor, session, path string }

// sights are the revisions that each session last saw of each page, as far as
// this process remembers.
type sights struct {
	mu   sync.Mutex
	seen map[sighted]*sight
	uses uint64
}

// of gives a session's sight of a page; the zero value is none.
func (s *sights) of(c *call, path string) sight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.seen[sighted{c.ActorID, c.SessionID, path}]; v != nil {
		return *v
	}
	return sight{}
}

// note changes a session's sight of a page; the one unused for longest makes
// room for a new one.
func (s *sights) note(c *call, path string, change func(*sight)) {
	name := sighted{c.ActorID, c.SessionID, path}
	if len(name.actor)+len(name.session) > maxSightName {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.seen[name]
	if v == nil {
		if s.seen == nil {
			s.seen = make(map[sighted]*sight)
		}
		s.makeRoom()
		v = &sight{}
		s.seen[name] = v
	}
	s.uses++
	v.used = s.uses
	change(v)
}

func (s *sights) makeRoom() {
	if len(s.seen) < maxSights {
		return
	}
	var last sighted
	least := uint64(math.MaxUint64)
	for name, v := range s.seen {
		if v.used < least {
			last, least = name, v.used
		}
	}
	delete(s.seen, last)
}

// read notes that a session was shown a part of a page: its first, its last, or
// both. Only when all of it was shown is what it knew before forgotten.
func (s *sights) read(c *call, d *document, first, last bool) {
	if d.revision == 0 {
		if d.uncounted { // it saw bytes that no revision is known of
			s.note(c, d.key(), func(v *sight) { *v = sight{newest: unknownRevision, used: v.used} })
		}
		return
	}
	s.note(c, d.key(), func(v *sight) {
		if v.newest != unknownRevision {
			v.newest = d.revision
		}
		if first {
			v.reading = d.revision
		}
		if last && v.reading == d.revision {
			v.oldest, v.newest = d.revision, d.revision
			v.exact, v.near, v.told = d.revision, nil, nil
		}
	})
}

// wrote notes that a session was told what its write made of a page. Where the
// answer does not list all that changed, the ids are not exactly known any more.
func (s *sights) wrote(c *call, path string, base, made int64, changed []page.Change, all bool) {
	s.note(c, path, func(v *sight) {
		v.follow(base, made, changed, all)
		if v.oldest != 0 && v.oldest == base {
			v.oldest = made
		}
		if v.newest != unknownRevision {
			v.newest = made
		}
	})
}

// maxTouched bounds the ids that a session's own writes touched since it read.
const maxTouched = 256

func (v *sight) follow(base, made int64, changed []page.Change, all bool) {
	if v.exact == 0 || v.exact != base || !all || len(v.near)+2*len(changed) > maxTouched {
		v.exact, v.near, v.told = 0, nil, nil
		return
	}
	near, told := slices.Clone(v.near), []string{} // what was handed out is not changed
	for _, ch := range changed {
		near = append(near, page.Unnumbered(ch.OldID), page.Unnumbered(ch.NewID))
		told = append(told, ch.NewID)
	}
	v.exact, v.near, v.told = made, near, told
}

// listed reports whether the answer tells of every block that has another id or
// another place among its equals: a move of one of them does not.
func (ch *change) listed() bool {
	moved := func(o page.Op) bool { return o.Op == "move" }
	return len(ch.changed) <= maxChangedRows && !slices.ContainsFunc(ch.ops, moved)
}

// knows reports whether an id of the revision can mean no other block to the
// session than it means now.
func (v sight) knows(revision int64, id string) bool {
	return v.exact != 0 && v.exact == revision && (slices.Contains(v.told, id) || !slices.Contains(v.near, page.Unnumbered(id)))
}

// unknownRevision stands for one that the state could not tell; no other is it.
const unknownRevision = -1

var textEqualBlocks = tools.Text{
	ZH: "块 %s：页面上有或有过内容相同的块，这个 id 可能已指向另一个块；没有写入任何内容。请重新读取整页再用它给出的 id；或者同时给出取得这个 id 时那次读取的 expectedRevision",
	EN: "the block %s: the page has or had others with the same content, so the id may mean another block by now; nothing was written. Read the whole page again and use the ids it gives; or send the expectedRevision of the reading that you have this id from",
}

// unmistaken refuses an id that may mean another block than the session saw:
// where the page has equal ones, or had some in any revision that the session
// may know the id from, up to now. The current revision is not told: with it an id
// of an older reading would pass.
func (k *Kernel) unmistaken(tx *store.Tx, c *call, d *document, id string) error {
	if k.sights.of(c, d.key()).knows(d.revision, id) {
		return nil
	}
	base := page.Unnumbered(id)
	sure := base == id && d.page.Copies(id) == 1
	if sure {
		var err error
		if sure, err = k.sameSince(tx, c, d, id); err != nil {
			return err
		}
	}
	if sure {
		return nil
	}
	return tools.Errorf(tools.CodeConflict, textEqualBlocks, bounded(id, maxHeading)).With("reason", "equal_blocks")
}

// Bounds of the look back; the revision before the current one is always looked
// at.
const (
	mostLookedBack  = 200
	mostBytesLooked = 8 << 20
)

// sameSince reports whether no revision from the session's sight up to now is
// known to have, or cannot be shown not to have, several of the block; and that
// the newest one it saw has it.
func (k *Kernel) sameSince(tx *store.Tx, c *call, d *document, id string) (bool, error) {
	s := k.sights.of(c, d.key())
	if s.oldest == d.revision {
		return true, nil
	}
	list, err := tx.Revisions(d.key(), d.revision, mostLookedBack)
	if err != nil {
		return false, err
	}
	line, looked, met := firstLine(d.page, id), 0, s.newest == 0 || s.newest == d.revision
	for n, r := range list {
		if r.Revision < s.oldest {
			return met, nil
		}
		if n > 0 && looked > mostBytesLooked {
			return met && s.oldest == 0, nil
		}
		p, known, err := k.pageAt(tx, r.Hash, d)
		if err != nil || !known {
			return false, err
		}
		looked += len(p.Bytes())
		seen := r.Revision == s.newest
		if met = met || seen; !seen && bytes.Count(p.Bytes(), line) <= 1 {
			continue
		}
		if copies := p.Copies(id); copies > 1 || seen && copies != 1 {
			return false, nil
		}
	}
	return met && (s.oldest == 0 || len(list) < mostLookedBack), nil
}

// pageAt gives the page of a kept hash; one that was gone is empty.
func (k *Kernel) pageAt(tx *store.Tx, hash string, d *document) (*page.Page, bool, error) {
	switch hash {
	case "":
		return page.Parse(nil), true, nil
	case d.file.Hash:
		return d.page, true, nil
	}
	data, kept, err := tx.Content(hash)
	return page.Parse(data), kept, err
}

// firstLine is what every copy of a block starts with.
func firstLine(p *page.Page, id string) []byte {
	b, err := p.Block(id)
	if err != nil {
		return nil
	}
	line := []byte(p.Source(b))
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	return bytes.TrimRight(line, " \t")
}
