package mcp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
)

// stateTime is how long a requestState is good for.
const stateTime = 10 * time.Minute

// Sizes in a state's bytes: expiry, nonce, bind, shown, then the call id, then the
// MAC.
const (
	nonceSize = 16
	bindSize  = sha256.Size
	macSize   = sha256.Size
	headSize  = 8 + nonceSize + 2*bindSize
	maxState  = 1024
)

// slip is what a requestState says: which question was asked, by its digest, in
// which call, and until when the answer counts. The client carries it and could
// send anything in its place, so it says nothing that the next leg does not
// compare with what it finds by itself.
type slip struct {
	expires time.Time
	nonce   [nonceSize]byte
	bind    [bindSize]byte
	// shown stands for the change that the person was shown.
	shown  [bindSize]byte
	callID string
}

// seal makes and judges requestStates. Its key lives as long as the connection:
// a state from before a restart is a stranger's.
type seal struct {
	// key is made when it is first needed: most connections ask nothing.
	key func() []byte
	now func() time.Time

	mu sync.Mutex
	// used holds the nonces of answers that counted, until they would be too
	// late anyway.
	used map[[nonceSize]byte]time.Time
}

func newSeal(now func() time.Time) *seal {
	key := sync.OnceValue(func() []byte {
		key := make([]byte, macSize)
		_, _ = rand.Read(key) // never fails: it would end the process
		return key
	})
	return &seal{key: key, now: now, used: map[[nonceSize]byte]time.Time{}}
}

// issue makes the state of a question.
func (s *seal) issue(q plugin.Question, callID string) string {
	p := slip{expires: s.now().Add(stateTime), bind: digest(q), shown: sha256.Sum256([]byte(q.Shown)), callID: callID}
	_, _ = rand.Read(p.nonce[:])
	b := binary.BigEndian.AppendUint64(nil, uint64(p.expires.UnixMilli()))
	b = append(append(append(append(b, p.nonce[:]...), p.bind[:]...), p.shown[:]...), callID...)
	return base64.RawURLEncoding.EncodeToString(s.mac(b))
}

// mac appends the MAC of b to b.
func (s *seal) mac(b []byte) []byte {
	h := hmac.New(sha256.New, s.key())
	h.Write(b)
	return h.Sum(b)
}

// open reads a state; ok only when this seal made it.
func (s *seal) open(state string) (slip, bool) {
	if len(state) > maxState {
		return slip{}, false
	}
	b, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil || len(b) < headSize+macSize || base64.RawURLEncoding.EncodeToString(b) != state {
		return slip{}, false // the decoder skips line ends and takes any padding bits
	}
	body := b[: len(b)-macSize : len(b)-macSize]
	if !hmac.Equal(s.mac(body), b) {
		return slip{}, false
	}
	var p slip
	p.expires = time.UnixMilli(int64(binary.BigEndian.Uint64(body)))
	copy(p.nonce[:], body[8:])
	copy(p.bind[:], body[8+nonceSize:])
	copy(p.shown[:], body[8+nonceSize+bindSize:])
	p.callID = string(body[headSize:])
	return p, true
}

// verdict is what an authentic slip is worth for a question.
type verdict int

// The verdicts of spend.
const (
	// strange: for another question, or used before.
	strange verdict = iota
	// late: for this question, but it has expired, or what the write would do is
	// not what was shown any more.
	late
	// spent: for this question, and now used up.
	spent
)

// spend takes a slip as the answer to a question, once.
func (s *seal) spend(p slip, q plugin.Question) verdict {
	if p.bind != digest(q) {
		return strange
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for nonce, expires := range s.used {
		if !now.Before(expires) {
			delete(s.used, nonce)
		}
	}
	if _, used := s.used[p.nonce]; used {
		return strange
	}
	if !now.Before(p.expires) || p.shown != sha256.Sum256([]byte(q.Shown)) {
		return late
	}
	s.used[p.nonce] = p.expires
	return spent
}

// digest binds a question to its session, tool, document, arguments and
// revision; each is led by its length, so that no two questions share bytes.
func digest(q plugin.Question) [bindSize]byte {
	var b []byte
	for _, part := range []string{q.SessionID, string(q.Tool.Name), q.DocumentID, q.ArgsHash} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	return sha256.Sum256(binary.BigEndian.AppendUint64(b, uint64(q.Revision)))
}
