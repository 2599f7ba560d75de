package schema

import (
	"encoding/json"
	"maps"
	"math/big"

	"github.com/mnote-dev/mnote-host/tools"
)

// Args are a call's arguments as Decode read them, numbers as json.Number.
type Args struct {
	// HostFields holds what the caller sent of the host's own fields, by name;
	// bind compares or replaces them. They are not among the arguments.
	HostFields map[string]any

	values map[string]any
	// hostPlan means that planId is the host's own and never goes out.
	hostPlan bool
}

// Values gives the arguments by name, documentId, dryRun, planId and
// idempotencyKey among them. Do not change the map.
func (a Args) Values() map[string]any { return a.values }

// Own gives the arguments that travel in a call's args: all but documentId,
// idempotencyKey and dryRun, which have their own place in the envelope, and
// without a planId that is the host's own.
func (a Args) Own() map[string]any {
	m := a.without(documentID, idempotencyKey, dryRun)
	if a.hostPlan {
		delete(m, planID)
	}
	return m
}

// Body gives what a key is bound to, for hashing: canonical JSON of the
// arguments without dryRun, planId, idempotencyKey and documentId.
func (a Args) Body() []byte {
	return compact(a.without(documentID, idempotencyKey, dryRun, planID))
}

// Full gives the arguments together with the bound session fields, for Check.
func (a Args) Full(fields map[string]any) map[string]any {
	m := make(map[string]any, len(a.values)+len(fields))
	maps.Copy(m, a.values)
	if a.hostPlan {
		delete(m, planID)
	}
	maps.Copy(m, fields)
	return m
}

// JSON gives all arguments as canonical JSON.
func (a Args) JSON() json.RawMessage { return compact(a.without()) }

// DryRun reports whether the caller asked for a plan only.
func (a Args) DryRun() bool { return a.values[dryRun] == true }

// PlanID gives the plan the caller names, or "".
func (a Args) PlanID() string { return a.text(planID) }

// IdempotencyKey gives the caller's own key, or "".
func (a Args) IdempotencyKey() tools.Key { return tools.Key(a.text(idempotencyKey)) }

// DocumentID gives the document the caller names, or "".
func (a Args) DocumentID() string { return a.text(documentID) }

// MindmapID gives the mind map the caller names, or "".
func (a Args) MindmapID() string { return a.text(mindmapID) }

// AssetID gives the office asset the caller names, or "".
func (a Args) AssetID() string { return a.text(assetID) }

// ExpectedRevision gives the revision the caller expects, and whether it names
// one.
func (a Args) ExpectedRevision() (int64, bool) {
	n, ok := a.values[expectedRevision].(json.Number)
	if !ok {
		return 0, false
	}
	rat, ok := new(big.Rat).SetString(string(n))
	if !ok || !rat.IsInt() || !rat.Num().IsInt64() {
		return 0, false
	}
	return rat.Num().Int64(), true
}

func (a Args) text(name string) string {
	s, _ := a.values[name].(string)
	return s
}

func (a Args) without(names ...string) map[string]any {
	m := maps.Clone(a.values)
	if m == nil {
		m = map[string]any{}
	}
	for _, n := range names {
		delete(m, n)
	}
	return m
}

// takeHostFields moves the host's fields out of the arguments.
func takeHostFields(values map[string]any) map[string]any {
	var taken map[string]any
	for _, name := range hostFields {
		if v, sent := values[name]; sent {
			if taken == nil {
				taken = map[string]any{}
			}
			taken[name] = v
			delete(values, name)
		}
	}
	return taken
}
