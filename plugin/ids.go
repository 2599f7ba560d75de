package plugin

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
)

// idLetters are those of the ids made here: short for a model to repeat, none
// that needs escaping anywhere.
var idLetters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// randomID makes ids of 80 random bits, so that no restart and no other process
// repeats one.
func randomID(prefix string) string {
	var b [10]byte
	rand.Read(b[:]) // never fails
	return string(idLetters.AppendEncode(append(append(make([]byte, 0, 32), prefix...), '_'), b[:]))
}

// maxForeignID is how long an id from outside may be.
const maxForeignID = 128

// foreignID reports whether an id from outside is taken over: visible ASCII, not
// too long. Any other is replaced by one of ours. It is no pattern, because
// every start and every call asks it, and one with {1,128} takes longer to
// compile than all else that a start needs of this package.
func foreignID(id string) bool {
	hidden := func(c rune) bool { return c < 0x21 || c > 0x7e }
	return id != "" && len(id) <= maxForeignID && !strings.ContainsFunc(id, hidden)
}

func (h *Host) idOr(prefix string, given ...string) string {
	for _, id := range given {
		if foreignID(id) {
			return id
		}
	}
	return h.newID(prefix)
}

// draft is a call before it has a tool and arguments.
func (s *Session) draft(name string, meta Meta) tools.Call {
	c := tools.Call{
		ToolName:    tools.Name(cut(name)),
		WorkspaceID: s.cfg.WorkspaceID,
		ActorID:     s.cfg.ActorID,
		SessionID:   s.host.idOr("session", meta.SessionID, s.cfg.SessionID),
		RunID:       s.host.idOr("run", meta.RunID, s.cfg.RunID),
		ToolCallID:  s.host.idOr("call", meta.ToolCallID),
		Scopes:      []tools.Scope{},
		Profile:     s.cfg.Profile,
		AgentID:     s.cfg.AgentID,
		Grant:       s.cfg.Grant,
		Refs:        s.cfg.Refs,
		Selection:   s.cfg.Selection,
		Lang:        s.Lang(),
	}
	if meta.Refs != nil {
		c.Refs = meta.Refs
	}
	if meta.Selection != nil {
		c.Selection = meta.Selection
	}
	c.ObjectIdentity = cmp.Or(meta.ObjectIdentity, s.cfg.ObjectIdentity)
	if focus := s.focus(meta); focus != "" {
		c.DocumentID = &focus
	}
	c.PendingFocus = s.reached(meta.PendingFocus)
	c.TraceID, c.TraceParent = s.trace(meta.TraceParent, c.ToolCallID)
	return c
}

// focus is the page the turn is about.
func (s *Session) focus(meta Meta) string {
	return s.reached(cmp.Or(meta.DocumentID, s.cfg.DocumentID))
}

// reached is the page, if a turn may be about it. One that the grant does not
// reach is no focus: it is not the model's choice, so it must not fail what
// needs no page.
func (s *Session) reached(id string) string {
	if id == "" || s.cfg.Grant != nil && !s.cfg.Grant.AllowsDocument(id) {
		return ""
	}
	return id
}

// traceForm is a W3C traceparent of any version; its second part is the trace
// id.
var traceForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[0-9a-e][0-9a-f]|f[0-9a-e])-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$`)
})

// trace gives the trace id that the envelope, the log and the audit share, and
// the header that goes with it: the caller's, or one made from our own id.
func (s *Session) trace(parent, callID string) (id, header string) {
	if parent != "" { // most callers send none, and the pattern costs
		if m := traceForm().FindStringSubmatch(parent); m != nil && strings.Trim(m[1], "0") != "" {
			return m[1], parent
		}
	}
	id = s.host.newID("trace")
	return id, traceHeader(id, callID)
}

// traceHeader makes a traceparent from ids that are none of W3C's.
func traceHeader(id, callID string) string {
	trace, span := sha256.Sum256([]byte(id)), sha256.Sum256([]byte(callID))
	h := append(make([]byte, 0, 55), "00-"...)
	h = append(hex.AppendEncode(h, trace[:16]), '-')
	h = append(hex.AppendEncode(h, span[:8]), "-01"...)
	return string(h)
}

// cut bounds a name that came from outside and is said back.
func cut(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}
