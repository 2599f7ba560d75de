package stdio

import (
	"context"
	"errors"
)

// ErrCancelled is the cause of the context of a request that the peer cancelled.
var ErrCancelled = errors.New("the peer cancelled the request")

// errAnswered is the cause of the context of a request that is over.
var errAnswered = errors.New("the request was answered")

// flight is one request in flight, and the context of its handler. The fields
// below the line are changed in Peer.update only.
type flight struct {
	context.Context
	cancel context.CancelCauseFunc
	peer   *Peer
	req    Request
	key    string // of req.ID, in inflight.byID
	size   int    // bytes of the frame it keeps alive
	batch  *batch // the batch it came in, or nil
	inline bool   // served on the read loop, without a place
	reply  Reply  // set before it is queued
	quiet  <-chan struct{}
	// -- state
	cancelled bool // by the peer: nothing more is written for it
	over      bool // its reply is on its way: notifications come too late
	placed    bool // it holds one of the places of MaxInFlight
	open      bool // KeepOpen was called
	settled   bool // it has no more to say to its batch
	left      bool // it is not counted any more
}

type flightKey struct{}

// Value makes the flight itself findable in any context made from it.
func (f *flight) Value(key any) any {
	if key == (flightKey{}) {
		return f
	}
	return f.Context.Value(key)
}

// flightOf returns the request of this peer that ctx belongs to, or nil.
func (p *Peer) flightOf(ctx context.Context) *flight {
	f, _ := ctx.Value(flightKey{}).(*flight)
	if f == nil || f.peer != p {
		return nil
	}
	return f
}

// inflight is all that is in flight on one connection.
type inflight struct {
	// byID finds what the peer may still cancel. An entry goes when the peer
	// cancels it or its reply is taken for writing: from then on the id is free.
	byID map[string]*flight
	// active counts requests from the read loop's look at them until the reply is
	// written, or until the handler returned when there is none to write.
	active int
	// open counts those of active that KeepOpen was called for.
	open int
	// held is how many bytes of frames active keeps alive.
	held int
	// unwritten counts lines other than replies that wait for the pipe.
	unwritten int

	// closing: no more requests are taken. over: nothing more is queued.
	closing, over bool

	// whenIdle waits for nothing to be in flight; quiet is there while one of
	// them runs, and new requests wait until it is closed.
	whenIdle []func()
	quiet    chan struct{}

	// room is there while the read loop waits for less to be in flight.
	room chan struct{}
	// drained is closed when a closing peer has nothing left to write.
	drained chan struct{}
	isDry   bool
}

// update is the only code that touches the state, and it draws what follows from
// a change: the read loop goes on, an idle function runs, the peer is drained.
func (p *Peer) update(change func(*inflight)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &p.state
	change(s)
	if s.room != nil && p.hasRoom(s) {
		close(s.room)
		s.room = nil
	}
	if len(s.whenIdle) > 0 && s.isIdle() && !s.closing {
		s.quiet = make(chan struct{})
		go p.runIdle(s.whenIdle)
		s.whenIdle = nil
	}
	if s.closing && s.active == 0 && s.unwritten == 0 && !s.isDry {
		s.isDry = true
		close(s.drained)
	}
}

func (s *inflight) isIdle() bool {
	return s.active == s.open && s.unwritten == 0 && s.quiet == nil
}

// hasRoom reports whether the read loop may take more: what waits for a place or
// for the pipe is bounded in number and in bytes.
func (p *Peer) hasRoom(s *inflight) bool {
	return s.active-s.open < p.backlog && s.unwritten < p.backlog && s.held <= p.maxHeld
}

// enter registers f, so that it can be cancelled from now on. It refuses an id
// that is in flight already, and says so with a fault.
func (p *Peer) enter(f *flight) (taken bool, fault *Fault) {
	p.update(func(s *inflight) {
		if s.closing {
			return
		}
		if s.byID[f.key] != nil {
			fault = RequestFault("a request with this id is in flight already")
			return
		}
		taken = true
		s.byID[f.key] = f
		s.active++
		s.held += f.size
		f.quiet = s.quiet
		if f.batch != nil {
			f.batch.waiting++
		}
	})
	return taken, fault
}

// leave ends f: it is neither running nor waiting to be written any more.
func (p *Peer) leave(f *flight) {
	p.update(func(s *inflight) {
		p.uncount(s, f)
		s.forget(f)
	})
	f.cancel(errAnswered)
}

// uncount takes f out of the numbers. Within update only.
func (p *Peer) uncount(s *inflight, f *flight) {
	p.giveBack(f)
	f.left = true
	s.active--
	s.held -= f.size
	if f.open {
		s.open--
	}
}

// giveBack frees f's place. Within update only.
func (p *Peer) giveBack(f *flight) {
	if f.placed {
		f.placed = false
		<-p.places
	}
}

// forget frees f's id for another request.
func (s *inflight) forget(f *flight) {
	if s.byID[f.key] == f {
		delete(s.byID, f.key)
	}
}

// cancelRequest is the peer's word that it wants no answer to a request. An
// unknown id is one that was answered meanwhile.
func (p *Peer) cancelRequest(id []byte) {
	var f *flight
	var batch *batch
	p.update(func(s *inflight) {
		if f = s.byID[idKey(id)]; f == nil {
			return
		}
		f.cancelled = true
		s.forget(f)
		batch = f.settle()
	})
	if f == nil {
		return
	}
	f.cancel(ErrCancelled)
	p.sendBatch(batch)
}
