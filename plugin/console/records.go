package console

import (
	"context"
	"iter"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// Records is what the page shows and changes. Every method may be called by
// many goroutines; an error is told to the person in its own words when it is a
// *tools.Error, and only logged when it is not.
type Records interface {
	// Packs lists the packs as they stand now, for the page's profile.
	Packs(ctx context.Context) ([]Category, error)
	// SwitchPack turns a pack on or off; the answer comes when it is durable, and
	// a refusal in the language.
	SwitchPack(ctx context.Context, id string, on bool, lang tools.Lang) error
	// SwitchTool turns a single tool on or off in the page's profile.
	SwitchTool(ctx context.Context, name tools.Name, on bool, lang tools.Lang) error
	// Reset turns everything on again, for every profile, as shipped.
	Reset(ctx context.Context, lang tools.Lang) error

	// Audit gives the recorded calls; (*plugin.Host).Audit is one.
	Audit(ctx context.Context, f plugin.AuditFilter) iter.Seq2[plugin.AuditRow, error]
	// Diff gives the unified diff of one write.
	Diff(ctx context.Context, commandID string) (string, error)
	// Undo takes one write back, as a call like any other.
	Undo(ctx context.Context, commandID string, lang tools.Lang) tools.Envelope

	// Undone says which writes are undone, each with the undo that stands.
	Undone(ctx context.Context, commands []string) (map[string]string, error)

	// Plans, Plan, Answer and Outdated are those of *plugin.Host.
	Plans(ctx context.Context, f plugin.PlanFilter) ([]plugin.Plan, error)
	Plan(ctx context.Context, id string) (plugin.Plan, error)
	Answer(ctx context.Context, id string, a plugin.PlanAnswer) (plugin.Plan, error)
	Outdated(ctx context.Context, p plugin.Plan) bool

	// Profiles lists the profiles that are known, and For gives the same records
	// with the switches of another one.
	Profiles(ctx context.Context) []string
	For(profile string) Records
}

// Category groups packs for people.
type Category struct {
	Name, Title string
	Packs       []Pack
}

// Pack is a pack with its tools, as it stands for the page's session.
type Pack struct {
	capabilities.Pack
	Tools []tools.Tool
	Chips []plugin.Chip
}
