package acp

import (
	"errors"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// hold is how much of a frame is held at most before it is passed on, unless it
// has to be edited: longer ones are streamed.
const hold = 1 << 20

// verdict is what becomes of a line.
type verdict int

const (
	// pass writes the line on as it came.
	pass verdict = iota
	// more says that the bytes shown are too few to tell.
	more
	// take hands over the whole line; what comes back is written on.
	take
	// watch passes the line as it came and shows it to whoever watches.
	watch
)

// side decides for the lines of one direction. What it changes of the state it
// changes before the bytes go on.
type side interface {
	// judge sees the first bytes of a line, or with whole all of it.
	judge(b []byte, whole bool) verdict
	// take edits a whole line; nil is written nowhere.
	take(line []byte) []byte
	// watch sees a frame that is streamed, piece by piece.
	watch(piece []byte)
}

// pump moves lines from one peer to another, one after the other, and keeps none
// between reading and writing, so that order and back-pressure are the pipe's.
type pump struct {
	from, to *stdio.Frames
	side     side
	hold     int // how much of a line is held before it is streamed, in bytes
	max      int // the longest line, in bytes
}

// run moves lines until from ends (nil), from breaks or a line is too long (the
// error), or to breaks: then gone is called and the rest of from is read and
// dropped, so that whoever writes there does not hang.
func (p pump) run(gone func(error)) error {
	broken := false
	for {
		err := p.move(broken)
		if long, ok := errors.AsType[*stdio.TooLongError](err); ok {
			return long
		}
		if errors.Is(err, errRead) {
			return nil
		}
		if err != nil && !broken {
			broken = true
			gone(err)
		}
	}
}

// errRead says that from gives no more.
var errRead = errors.New("the stream ended")

// move moves one line.
func (p pump) move(broken bool) error {
	if broken {
		if _, err := p.from.Look(1); err != nil {
			return errRead
		}
		_ = p.from.Skip() // a read error comes back from Look
		return nil
	}
	for n := p.hold; ; n *= 2 {
		look, err := p.from.Look(n)
		if err != nil {
			return errRead
		}
		switch p.side.judge(look.Head, look.Whole) {
		case pass:
			return p.from.Pass(p.to)
		case watch:
			return p.from.PassSeen(p.to, p.side.watch)
		case take:
			return p.takeLine()
		}
		if len(look.Head) > p.max {
			return p.takeLine() // which says how long it is
		}
	}
}

func (p pump) takeLine() error {
	line, err := p.from.Take()
	if err != nil {
		return err
	}
	if line = p.side.take(line); line == nil {
		return nil
	}
	_, err = p.to.Write(line)
	return err
}
