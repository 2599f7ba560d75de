package plugin

import (
	"slices"

	"github.com/mnote-dev/mnote-host/plugin/internal/guard"
	"github.com/mnote-dev/mnote-host/tools"
)

// Narrow gives what is in both grants: a client may ask for less than the launch
// gave, never for more. A bound of nil is the owner's own session, of which
// anything may be given. Two grants that have nothing in common give nothing.
func Narrow(bound *tools.Grant, asked tools.Grant) tools.Grant {
	if bound == nil {
		return asked
	}
	g := *bound
	if !bound.Level.AtLeast(asked.Level) {
		asked.Level = bound.Level
	}
	g.Level = asked.Level
	g.Shared = bound.Shared || asked.Shared
	g.DocumentIDs = common(bound.DocumentIDs, asked.DocumentIDs)
	g.Scopes = common(bound.Scopes, asked.Scopes)
	g.ResourceIDs = slices.DeleteFunc(slices.Clone(bound.ResourceIDs), func(id string) bool {
		return !slices.Contains(asked.ResourceIDs, id)
	})
	if asked.ExpiresAt != nil && (bound.ExpiresAt == nil || asked.ExpiresAt.Before(*bound.ExpiresAt)) {
		g.ExpiresAt = asked.ExpiresAt
	}
	if !narrowPlace(&g, asked) {
		g.Level = tools.LevelNone
	}
	return g
}

// narrowPlace takes over the narrower workspace and root; false says that the
// two are apart.
func narrowPlace(g *tools.Grant, asked tools.Grant) bool {
	switch {
	case g.WorkspaceID == "":
		g.WorkspaceID = asked.WorkspaceID
	case asked.WorkspaceID != "" && asked.WorkspaceID != g.WorkspaceID:
		return false
	}
	switch {
	case g.RootURI == "" || asked.RootURI != "" && guard.Within(g.RootURI, asked.RootURI):
		g.RootURI = asked.RootURI
	case asked.RootURI != "" && !guard.Within(asked.RootURI, g.RootURI):
		return false
	}
	return true
}

// common gives what is in both lists; nil is everything.
func common[T comparable](a, b []T) []T {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	both := []T{}
	for _, v := range a {
		if slices.Contains(b, v) {
			both = append(both, v)
		}
	}
	return both
}
