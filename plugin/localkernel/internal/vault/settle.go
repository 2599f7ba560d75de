package vault

import (
	"bytes"
	"errors"
)

// Outcome is what became of a write that was cut off.
type Outcome string

// The outcomes of Settle.
const (
	// Done: the file is the new bytes.
	Done Outcome = "done"
	// Dropped: the file is the old bytes, and stays so.
	Dropped Outcome = "dropped"
	// Conflicted: the file is neither; another program wrote it.
	Conflicted Outcome = "conflicted"
)

// Settlement is what Settle found.
type Settlement struct {
	Outcome Outcome
	// Now is the file's hash, "" when there is none.
	Now string
	// Stray is another program's save that was found in the temp file and could
	// not be given its place; nil when there is none.
	Stray []byte
}

// Settle finds out what became of a write that was cut off, and cleans up after
// it. after is the new bytes, to tell a half-written temp file from another
// program's save. It must not run while the write's owner may be at work: the
// caller holds the lock that Apply ran under.
func (f *Folder) Settle(w Write, after []byte) (Settlement, error) {
	if w.Before == "" {
		if err := f.unstage(w); err != nil {
			return Settlement{}, f.fault(err)
		}
	}
	s, err := f.spot(w.Path)
	if err != nil {
		if err = f.fault(err); errors.Is(err, ErrNotFound) { // its folder is gone, or never was
			return settled(w, ""), nil
		}
		return Settlement{}, err
	}
	defer s.close()
	out, err := s.settle(w, after)
	return out, f.fault(err)
}

func settled(w Write, now string) Settlement {
	switch now {
	case w.After:
		return Settlement{Outcome: Done, Now: now}
	case w.Before:
		return Settlement{Outcome: Dropped, Now: now}
	}
	return Settlement{Outcome: Conflicted, Now: now}
}

func (s *spot) settle(w Write, after []byte) (Settlement, error) {
	now, err := s.hashOf(s.name)
	if err != nil {
		return Settlement{}, err
	}
	out := settled(w, now)
	for _, name := range []string{w.Temp + ".old", w.Temp} { // .old is a Windows backup
		found, err := s.settleTemp(name, w, after, out)
		if err != nil {
			return Settlement{}, err
		}
		out = found
	}
	return out, syncFolder(s.dir)
}

// settleTemp looks at a temp file that was left: the old bytes, our own whole or
// half, or another program's save that the exchange took out.
func (s *spot) settleTemp(temp string, w Write, after []byte, out Settlement) (Settlement, error) {
	hash, err := s.hashOf(temp)
	if err != nil || hash == "" {
		return out, err
	}
	left, err := s.bytes(temp)
	if err != nil && !errors.Is(err, errNotPlain) {
		return out, err
	}
	if err == nil && (hash == w.Before && w.After != "" || bytes.HasPrefix(after, left)) {
		return out, s.drop(temp)
	}
	return s.settleSave(temp, hash, left, w, out)
}

// settleSave gives another program's save its place again: where the file is
// ours, or is gone. Where a still later save has the place the bytes are handed
// to the caller.
func (s *spot) settleSave(temp, hash string, left []byte, w Write, out Settlement) (Settlement, error) {
	switch {
	case out.Outcome == Done && w.After != "":
		if err := s.putBack(temp, hash, w.After); err != nil {
			return out, err
		}
	case out.Now == "":
		if err := moveNew(s.dir, temp, s.name); err != nil {
			return out, err
		}
	default:
		out.Stray = left
		return out, s.drop(temp)
	}
	now, err := s.hashOf(s.name)
	if err != nil {
		return out, err
	}
	if w.After == "" && now == w.Before { // a removal that had not been decided yet
		return Settlement{Outcome: Dropped, Now: now}, nil
	}
	return Settlement{Outcome: Conflicted, Now: now}, s.drop(temp)
}
