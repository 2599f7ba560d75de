package plugin

import (
	"context"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/tools"
)

// Call runs one tool, by its wire name, dotted name or an alias, and always
// answers with an envelope: refused, failed, replayed and cancelled are all
// envelopes, in the session's language.
//
// Each step takes what the step before it gave, so that out of order does not
// compile; a step that refuses or answers ends the way, and only record
// follows.
func (s *Session) Call(ctx context.Context, name string, raw json.RawMessage, meta Meta) (env tools.Envelope) {
	call := s.arrive(name, raw, meta)
	defer func() { env = s.fence(call, recover(), env) }()

	found := then(ctx, begin(call), s.resolve) //  1
	open := then(ctx, found, s.gate)           //  2
	read := then(ctx, open, s.decode)          //  3
	bound := then(ctx, read, s.bind)           //  4
	allowed := then(ctx, bound, s.authorise)   //  5
	fresh := then(ctx, allowed, s.replay)      //  6
	agreed := then(ctx, fresh, s.confirm)      //  7
	claimed := then(ctx, agreed, s.claim)      //  8
	answered := then(ctx, claimed, s.forward)  //  9
	verified := then(ctx, answered, s.verify)  // 10
	return s.record(ctx, verified)             // 11
}
