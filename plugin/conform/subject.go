package conform

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// People reads the lists for people and turns their switches; the documents are
// as the kernel sent them. what is capabilities, skills or tools.
type People interface {
	List(ctx context.Context, what string) (json.RawMessage, error)
	Toggle(ctx context.Context, what, id string, enabled bool) (json.RawMessage, error)
}

// Subject is a kernel and what may be done to it.
type Subject struct {
	Kernel      plugin.Kernel
	WorkspaceID string
	// DocumentID names a page that is read and, with MayWrite, written; each
	// check puts back what was there.
	DocumentID string
	ActorID    string
	Profile    string
	AgentID    string
	// MayWrite permits the checks that write to the document.
	MayWrite bool
	// People permits the checks that turn switches (and turn them back); nil
	// leaves them out.
	People People
	// NewID makes ids that were never used before; nil makes random ones.
	NewID func() string
	// Lang is the language wanted of the kernel's messages.
	Lang tools.Lang
}

// Offers reports whether the subject permits what the check needs.
func (s Subject) Offers(n Need) bool {
	switch n {
	case NeedsWrite:
		return s.MayWrite
	case NeedsSwitches:
		return s.People != nil
	}
	return true
}

func (s Subject) newID() string {
	if s.NewID != nil {
		return s.NewID()
	}
	return rand.Text()
}
