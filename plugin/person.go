package plugin

import (
	"cmp"
	"context"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// personKey marks the context of what a person does with their own hand.
type personKey struct{}

// ByPerson reports whether a kernel is asked for a person's own undo. The mark is
// in the context of a session that was made so, never in a request.
func ByPerson(ctx context.Context) bool {
	by, _ := ctx.Value(personKey{}).(bool)
	return by
}

// free reports whether no switch binds the call: the person's own undo.
func (s *Session) free(t *tools.Tool) bool {
	return s.cfg.Person && t.Name == capabilities.ToolCommandUndo
}

// Turned records that a switch was turned: of a pack or a tool, or with no name
// of all of them. profile is the one that it holds for, "" for every one; by is
// whose hand it was: cli, console, http.
func (s *Session) Turned(ctx context.Context, what string, on bool, profile, by string) {
	word := capabilities.SwitchedOff
	switch {
	case what == "":
		word = capabilities.SwitchesReset
	case on:
		word = capabilities.SwitchedOn
	}
	s.host.ledger.Record(context.WithoutCancel(ctx), ledger.Row{
		Time: s.host.now(), Session: s.cfg.SessionID, Run: s.cfg.RunID, TraceID: s.host.newID("trace"),
		Actor: cmp.Or(s.cfg.ActorID, by), Agent: by, Profile: profile,
		Kernel: s.host.cfg.KernelID, Workspace: s.cfg.WorkspaceID, Document: what,
		Tool: word, Kind: tools.KindWrite, Effect: tools.EffectWrite,
	})
}
