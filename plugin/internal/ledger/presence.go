package ledger

import (
	"path/filepath"
	"sync"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin/internal/file"
)

// presence shows other processes that this one lives, from its first claim on:
// the claims of one that was killed need not wait for their leases.
type presence struct {
	path, owner string
	log         zerolog.Logger

	mu     sync.Mutex
	tried  bool
	signed bool
	roll   *file.Roll
}

func rollPath(db string) string { return filepath.Join(filepath.Dir(db), "host.owners") }

// sign enters this process in the roll and reports whether it stands there.
// Where it cannot, its claims last as long as their leases.
func (p *presence) sign() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tried {
		return p.signed
	}
	p.tried = true
	err := p.open()
	if err == nil {
		err = p.roll.Sign(p.owner)
	}
	p.signed = err == nil
	if err != nil {
		p.log.Warn().Err(err).Msg("other processes cannot see that this one lives; its claims end with their leases")
	}
	return p.signed
}

// open opens the roll, once: what closes it strikes our own name.
func (p *presence) open() error {
	if p.roll != nil {
		return nil
	}
	roll, err := file.OpenRoll(p.path)
	if err == nil {
		p.roll = roll
	}
	return err
}

// left is gone for a process that only looks.
func (p *presence) left(owner string) bool {
	p.mu.Lock()
	err := p.open()
	p.mu.Unlock()
	return err == nil && p.gone(owner)
}

// gone reports whether an owner that had signed is there no more.
func (p *presence) gone(owner string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if owner == p.owner || p.roll == nil {
		return false
	}
	present, err := p.roll.Present(owner)
	return err == nil && !present
}

func (p *presence) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.roll == nil {
		return nil
	}
	roll := p.roll
	p.roll, p.tried, p.signed = nil, false, false
	return roll.Close()
}
