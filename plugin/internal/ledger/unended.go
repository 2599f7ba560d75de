package ledger

import (
	"maps"
	"sync"
	"time"
)

// unended are this process's claims whose end could not be written, on a full
// disk say: the file calls them taken, and nobody works on them. The next call
// with the key takes over from them as from an owner that is gone.
type unended struct {
	mu     sync.Mutex
	claims map[string]unendedClaim // by the claim's id
}

type unendedClaim struct {
	attempt int64
	lease   time.Time // when the claim ends by itself
}

// add notes a claim, and forgets those that ended by themselves.
func (u *unended) add(c *Claim, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.claims == nil {
		u.claims = map[string]unendedClaim{}
	}
	maps.DeleteFunc(u.claims, func(_ string, old unendedClaim) bool { return now.After(old.lease) })
	u.claims[string(c.id)] = unendedClaim{c.attempt, c.write.Deadline.Add(leaseGrace)}
}

// has reports whether this attempt at a claim is over. A later attempt, by
// whomever, is not.
func (u *unended) has(id []byte, attempt int64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	c, ok := u.claims[string(id)]
	return ok && c.attempt == attempt
}
