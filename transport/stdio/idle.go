package stdio

import "context"

// WhenIdle runs f once, as soon as nothing is in flight; requests that come
// while f runs wait for it. Requests that KeepOpen was called for do not count.
// Once the peer is closing f is forgotten.
func (p *Peer) WhenIdle(f func()) {
	p.update(func(s *inflight) { s.whenIdle = append(s.whenIdle, f) })
}

func (p *Peer) runIdle(fs []func()) {
	defer p.update(func(s *inflight) {
		close(s.quiet)
		s.quiet = nil
	})
	for _, f := range fs {
		p.fence("", f)
	}
}

// KeepOpen says that the request of ctx stays open until the peer cancels it or
// Closing is closed (a subscription): it gives back its place among MaxInFlight,
// and WhenIdle does not wait for it.
func (p *Peer) KeepOpen(ctx context.Context) {
	f := p.flightOf(ctx)
	if f == nil {
		return
	}
	p.update(func(s *inflight) {
		if f.open || f.left {
			return
		}
		f.open = true
		s.open++
		s.held -= f.size
		f.size = 0
		p.giveBack(f)
	})
}

// InFlight is how many requests of the peer were read and not yet answered.
func (p *Peer) InFlight() int {
	n := 0
	p.update(func(s *inflight) { n = s.active })
	return n
}

// Closing is closed when no more requests are taken: stdin ended, or Run is
// about to return. A request that was kept open should then be answered.
func (p *Peer) Closing() <-chan struct{} { return p.closing }
