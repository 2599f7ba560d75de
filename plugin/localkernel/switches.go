package localkernel

import (
	"cmp"
	"context"
	"slices"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/tools"
)

// switched is the catalogue seen through one profile's switches.
type switched struct {
	*catalogue
	store.Switched
}

// defaultProfile is the profile of a request that names none.
const defaultProfile = "default"

// view reads the switches of a profile. Where they cannot be read nothing is
// taken to be on: the error says so.
func (k *Kernel) view(ctx context.Context, profile string) (switched, error) {
	v := switched{catalogue: ownCatalogue()}
	if k.switches == nil {
		return v, nil
	}
	var err error
	v.Switched, err = k.switches.Load(ctx, cmp.Or(profile, defaultProfile))
	return v, err
}

// packOn reports whether a pack is switched on: as a person left it, else as the
// manifest says, or off where what was switched is lost. A pack of planned tools
// is off.
func (v switched) packOn(p capabilities.Pack) bool {
	if v.planned(p) {
		return false
	}
	if !p.Toggleable {
		return p.Enabled
	}
	return v.turnedOn(p)
}

// packLost reports whether a pack is off because what it was switched to is not
// known any more, and nobody said so anew.
func (v switched) packLost(p capabilities.Pack) bool {
	_, turned := v.Packs[p.ID]
	return v.Lost && !turned && p.Toggleable && !v.planned(p)
}

// offReason says why a tool that is off is off.
func (v switched) offReason(t tools.Tool) string {
	if _, status := v.state(t); status != tools.StatusDisabledByPack {
		return capabilities.ReasonTool
	}
	for _, p := range v.packs {
		if slices.Contains(t.PackIDs, p.ID) && v.packLost(p) {
			return capabilities.ReasonLost
		}
	}
	return capabilities.ReasonCapability
}

// state tells whether a tool is on in the profile, and the status to show: the
// manifest's own while it is on, else why it is off. Off with its packs comes
// before off by itself; what is not there yet is planned, however its switches
// stand.
func (v switched) state(t tools.Tool) (on bool, status tools.Status) {
	switch {
	case t.Status == tools.StatusPlanned:
		return t.Enabled && v.anyPackOn(t) && !v.ToolsOff[string(t.Name)], t.Status
	case !v.anyPackOn(t):
		return false, tools.StatusDisabledByPack
	case v.ToolsOff[string(t.Name)] || !t.Enabled:
		return false, tools.StatusDisabled
	}
	return true, t.Status
}

// anyPackOn reports whether one of a tool's packs is on; a tool of no pack is
// nobody's to switch off.
func (v switched) anyPackOn(t tools.Tool) bool {
	return len(t.PackIDs) == 0 || slices.ContainsFunc(v.packs, func(p capabilities.Pack) bool {
		return slices.Contains(t.PackIDs, p.ID) && (v.packOn(p) || v.planned(p) && v.turnedOn(p))
	})
}

// turnedOn is packOn without regard to what is built: a planned tool is planned
// and not switched off.
func (v switched) turnedOn(p capabilities.Pack) bool {
	if on, turned := v.Packs[p.ID]; turned {
		return on
	}
	return p.Enabled && !v.Lost
}

// isFor reports whether a pack is for an agent; one that does not say who it is
// gets all.
func isFor(p capabilities.Pack, agentID string) bool {
	return agentID == "" || len(p.AgentIDs) == 0 || slices.Contains(p.AgentIDs, agentID)
}
