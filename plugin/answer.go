package plugin

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// PlanAnswer is what a person says to a plan that they were shown.
type PlanAnswer struct {
	Yes bool
	// By says how the person speaks: terminal, console.
	By string
	// Shown is the Digest of the Plan that the person looked at; "" compares
	// nothing.
	Shown string
}

// Answer records what a person says to the plan. One that is unknown, expired,
// used, of a session that has ended, out of date, or not what was shown any more
// is mnote_tool_conflict with that reason.
func (h *Host) Answer(ctx context.Context, id string, a PlanAnswer) (Plan, error) {
	if !a.Yes {
		return h.ledger.DecideShown(ctx, id, ledger.Declined, a.By, a.Shown)
	}
	plan, err := h.Plan(ctx, id)
	if err != nil {
		return Plan{}, err
	}
	if !plan.Used && h.Outdated(ctx, plan) {
		if err := h.ledger.Void(ctx, id); err != nil {
			return Plan{}, err
		}
	}
	return h.ledger.DecideShown(ctx, id, ledger.Approved, a.By, a.Shown)
}

// outdatedPatience is how long a person waits for the kernel's word on a page.
const outdatedPatience = 2 * time.Second

// Outdated reports whether the page of a plan is known to have changed since the
// plan was made, so that it can never be written. Where the kernel cannot be
// asked nothing is known, and nothing is claimed.
func (h *Host) Outdated(ctx context.Context, p Plan) bool {
	outdated, _ := h.Judge(ctx, p)
	return outdated
}

// Judge is Outdated with whether that can be told here at all. A plan that looked
// at no page cannot become out of date.
func (h *Host) Judge(ctx context.Context, p Plan) (outdated, known bool) {
	if p.Document == "" || p.Revision == 0 {
		return false, true
	}
	if h.cfg.Kernel == nil || !h.ofPage(p.Tool) {
		return false, false
	}
	if here := h.cfg.Registry.Snapshot().WorkspaceID(); here != "" && p.Workspace != here {
		return false, false
	}
	ctx, cancel := context.WithTimeout(ctx, outdatedPatience)
	defer cancel()
	env, err := h.cfg.Kernel.Call(ctx, tools.Call{
		ToolName: capabilities.ToolPageGet, Kind: tools.KindRead, Scopes: []tools.Scope{"page.read"},
		WorkspaceID: p.Workspace, DocumentID: &p.Document, ActorID: p.Actor,
		SessionID: h.newID("session"), RunID: h.newID("run"), ToolCallID: h.newID("call"), TraceID: h.newID("trace"),
		Args: json.RawMessage(`{"includeBlocks":false,"includeBody":false,"includeOptions":false}`),
	})
	if err != nil || !env.OK {
		return false, false
	}
	var page struct{ Revision int64 }
	if json.Unmarshal(env.Result, &page) != nil {
		return false, false
	}
	return page.Revision > p.Revision, true
}

// ofPage reports whether a plan's revision is its page's: that of an artifact is
// the artifact's own.
func (h *Host) ofPage(name tools.Name) bool {
	tool, err := h.cfg.Registry.Snapshot().Resolve(string(name))
	if err != nil {
		return false
	}
	for _, s := range tool.Scopes {
		if strings.HasPrefix(string(s), "artifact.") {
			return false
		}
	}
	return true
}
