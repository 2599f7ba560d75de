package plugin

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

// trail is what is known of a call so far: enough to refuse it and to record
// it. Each step hands on a copy that knows more; nobody changes one. Every step's
// frame holds several, so that what never changes is pointed to: with all of it
// in place a call needed a stack of 32 KB, grown anew by each.
type trail struct {
	call tools.Call
	// tool is the snapshot's, and meta the face's; nobody changes them.
	tool  *tools.Tool
	meta  *Meta
	began time.Time
	// hash is of the document and the arguments, "" before they are bound.
	hash string
	// repairs tell what of the arguments was read otherwise than it was sent.
	repairs []string
	// bare says that the caller gave no key, and that nobody looked yet whether the
	// call repeats one in doubt.
	bare bool
	// plan is the host's own plan that the write is held to, and yes the approval
	// that it is sent on; the claim spends both.
	plan heldPlan
	yes  string
	// agreed says how the person spoke who said yes or no, "" where nobody did.
	agreed string
	// claim is what the call holds since step 8: its key, or for a read or a dry run
	// an empty one.
	claim *ledger.Claim
	// deadline is when the call gives up, in the host's clock; set with the claim.
	deadline time.Time
	// kept is the time that the ledger took: for claim, answer and row.
	kept time.Duration
	// late says that the caller has gone and only the records are left to write.
	late bool
}

func (t trail) known() trail { return t }

// The types below are how far a call has come. Only the step of that name makes
// one, and each holds the one before, so that no step can be left out.
type (
	// callArrived has its ids and nothing else.
	callArrived struct {
		trail
		name string
		raw  json.RawMessage
	}
	// callFound has its tool, from the snapshot that serves the whole call.
	callFound struct {
		callArrived
		snapshot *capabilities.Snapshot
		schema   *schema.Schema
	}
	// callOpen is one whose tool is switched on.
	callOpen struct{ callFound }
	// callRead has its arguments.
	callRead struct {
		callOpen
		args schema.Args
	}
	// callBound is the whole call but for its key.
	callBound struct{ callRead }
	// callAllowed has passed every guard.
	callAllowed struct{ callBound }
	// callFresh has no stored answer, as far as its key tells.
	callFresh struct{ callAllowed }
	// callAgreed has a person's yes, or needs none.
	callAgreed struct{ callFresh }
	// callClaimed holds its key, or needs none.
	callClaimed struct{ callAgreed }
	// callAnswered has the kernel's word.
	callAnswered struct {
		callClaimed
		env tools.Envelope
	}
	// callVerified has an answer that keeps the contract.
	callVerified struct{ callAnswered }
)

// stage is where a call is on its way: at a value that the next step takes, or
// at its end.
type stage[T interface{ known() trail }] struct {
	at T
	// end is why the way ended: a refusal, or an answer that was stored before.
	end error
	// last is the trail at the end, nil before.
	last *trail
}

func begin(c callArrived) stage[callArrived] { return stage[callArrived]{at: c} }

// then takes the next step, unless the way has ended.
func then[A, B interface{ known() trail }](
	ctx context.Context, from stage[A], step func(context.Context, A) (B, error),
) stage[B] {
	if from.end != nil {
		return stage[B]{end: from.end, last: from.last}
	}
	to, err := step(ctx, from.at)
	if err != nil {
		last := from.at.known()
		return stage[B]{end: err, last: &last}
	}
	return stage[B]{at: to}
}
