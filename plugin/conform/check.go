package conform

import (
	"context"
	"slices"
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
	// Clause is the sentence of the contract that is tried.
	Clause string
	Needs  Need
	// Run answers nil when the clause is kept, else how it was broken.
	Run func(ctx context.Context, s Subject) error
}

// Checks lists every check, what only looks before what writes.
func Checks() []Check {
	return slices.Concat(manifestChecks(), readChecks(), refusalChecks(), grantChecks(), writeChecks(), planChecks(), switchChecks())
}

// check makes a Check of a function over a probe, and puts the document back
// after one that writes.
func check(name string, needs Need, run func(*probe) error, clause string) Check {
	return Check{Name: name, Clause: clause, Needs: needs, Run: func(ctx context.Context, s Subject) error {
		p, err := begin(ctx, s)
		if err != nil {
			return err
		}
		if needs == NeedsWrite {
			return p.leaveAsFound(run)
		}
		return run(p)
	}}
}
