package conform

import (
	"context"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// Need says what a check asks of its subject.
type Need int

// The needs of checks.
const (
	// NeedsRead: the document may be read. Every subject offers it.
	NeedsRead Need = iota
	// NeedsWrite: the document may be written.
	NeedsWrite
	// NeedsSwitches: the lists and switches for people are there and may be used.
	NeedsSwitches
)

// Check tries one clause of the contract.
type Check struct {
	// Name is short and stable, such as write/replay.
	Name string
	// Clause is the sentence of kernel-api that is tried.
	Clause string
	Needs  Need
	// Run answers nil when the clause is kept, else how it was broken.
	Run func(ctx context.Context, s Subject) error
}

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

// Checks lists every check in the order in which they tell most.
func Checks() []Check { return nil }
