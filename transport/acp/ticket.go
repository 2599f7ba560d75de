package acp

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// Environment variables that lead a relay to its session.
const (
	VarSocket = "MNOTE_HOST_SOCKET"
	VarTicket = "MNOTE_HOST_TICKET"
)

// ticket is the secret that a relay shows; the session keeps the hash that a
// lookup needs.
type ticket string

// newTicket makes 43 characters of 256 random bits.
func newTicket() ticket {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return ticket(base64.RawURLEncoding.EncodeToString(b[:]))
}

// hash is what the state looks a ticket up by: no comparison byte for byte.
func (t ticket) hash() stub { return sha256.Sum256([]byte(t)) }

// stub is a ticket's hash.
type stub [sha256.Size]byte
