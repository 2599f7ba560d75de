package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// Key says which write it is: the same Key is the same write, whoever sends it.
type Key struct {
	Kernel, Workspace, Actor, Profile string

	Tool tools.Name
	Key  tools.Key
}

// Write is a write about to be forwarded.
type Write struct {
	Key Key
	// BodyHash is the hash of the canonical document and arguments, without
	// dryRun, planId and idempotencyKey.
	BodyHash            string
	Session, ToolCallID string
	// Document is the document's id, or "".
	Document string
	// Deadline is when the call gives up: waiting for the key ends then, and
	// the lease 5 s later. It must be set.
	Deadline time.Time
	// Bare says that the caller gave no key, and that Key.Key was made for it: if
	// the write repeats one in doubt (as MatchInDoubt finds), Claim takes that
	// one's key instead.
	Bare bool
	// PlanID names a plan of the host's, ApprovalID a person's yes, that the
	// write is sent on; "" is none. The claim spends both.
	PlanID, ApprovalID string
}

// HashKey gives the hash of an idempotency key that an audit row holds.
func HashKey(k tools.Key) string {
	sum := sha256.Sum256([]byte(k))
	return hex.EncodeToString(sum[:])
}

// id names the write in the file.
func (w Write) id() []byte { return digest(append(w.Key.scope(), string(w.Key.Key))...) }

// twin is equal for writes that can only be told apart by their keys.
func (w Write) twin() []byte {
	return digest(append(w.Key.scope(), w.Session, w.Document, w.BodyHash)...)
}

func (k Key) scope() []string {
	return []string{k.Kernel, k.Workspace, k.Actor, k.Profile, string(k.Tool)}
}

// digest hashes the parts with their lengths, so that no two lists of parts run
// together.
func digest(parts ...string) []byte {
	all := make([]byte, 0, 1024)
	for _, p := range parts {
		all = append(binary.AppendUvarint(all, uint64(len(p))), p...)
	}
	sum := sha256.Sum256(all)
	return sum[:]
}
