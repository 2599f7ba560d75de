package schema

import (
	"encoding/json"

	"github.com/mnote-dev/mnote-host/tools"
)

// Args are a call's arguments as Decode read them, numbers as json.Number.
type Args struct {
	// HostFields holds what the caller sent of the host's own fields, by name;
	// bind compares or replaces them. They are not among the arguments.
	HostFields map[string]any

	values map[string]any
}

// Values gives the arguments by name, documentId, dryRun, planId and
// idempotencyKey among them. Do not change the map.
func (a Args) Values() map[string]any { return a.values }

// Own gives the arguments that travel in a call's args: all but documentId,
// idempotencyKey and dryRun, which have their own place in the envelope.
func (a Args) Own() map[string]any { return nil }

// Body gives what a key is bound to, for hashing: canonical JSON of the
// arguments without dryRun, planId, idempotencyKey and documentId.
func (a Args) Body() []byte { return nil }

// Full gives the arguments together with the bound session fields, for Check.
func (a Args) Full(fields map[string]any) map[string]any { return nil }

// JSON gives all arguments as canonical JSON.
func (a Args) JSON() json.RawMessage { return nil }

// DryRun reports whether the caller asked for a plan only.
func (a Args) DryRun() bool { return false }

// PlanID gives the plan the caller names, or "".
func (a Args) PlanID() string { return "" }

// IdempotencyKey gives the caller's own key, or "".
func (a Args) IdempotencyKey() tools.Key { return "" }

// DocumentID gives the document the caller names, or "".
func (a Args) DocumentID() string { return "" }

// ExpectedRevision gives the revision the caller expects, and whether it names
// one.
func (a Args) ExpectedRevision() (int64, bool) { return 0, false }

// MindmapID gives the mind map the caller names, or "".
func (a Args) MindmapID() string { return "" }

// AssetID gives the office asset the caller names, or "".
func (a Args) AssetID() string { return "" }

// IsHostField reports whether only the host fills in the field.
func IsHostField(name string) bool { return false }
