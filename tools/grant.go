package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Level is how much a grant permits: none < read < write.
type Level string

// The levels; a word that is none of them is LevelNone.
const (
	LevelNone  Level = "none"
	LevelRead  Level = "read"
	LevelWrite Level = "write"
)

// AtLeast reports whether the level permits what want asks.
func (l Level) AtLeast(want Level) bool { return l.rank() >= want.rank() }

func (l Level) rank() int {
	switch l {
	case LevelRead:
		return 1
	case LevelWrite:
		return 2
	}
	return 0
}

// Grant is what the person gave this session (AiAccessScope of seed 7-28;
// accessScope on the wire). It comes from whoever spawned the host, never from
// the model. No grant at all (a nil *Grant) is the owner's own session.
type Grant struct {
	Level       Level  `json:"permissionLevel"`
	Shared      bool   `json:"shared"`
	WorkspaceID string `json:"workspaceId,omitempty"`
	// DocumentIDs narrows to these documents; nil means not narrowed, an empty
	// list means none.
	DocumentIDs []string `json:"documentIds,omitzero"`
	// ResourceIDs lists resource ids or object identities; absent is empty, and
	// then every resource tool is refused.
	ResourceIDs []string `json:"allowedResourceIds"`
	RootURI     string   `json:"rootUri,omitempty"`
	// Scopes narrows to these permission words; nil means not narrowed.
	Scopes    []Scope    `json:"capabilityScope,omitzero"`
	ExpiresAt *time.Time `json:"expiresAt"`
}

// ParseGrant reads an access scope. An unknown level is none. Anything that is
// not such an object is an error, and the caller must then grant nothing: a
// member that is not ours, or is there twice, too, since a restriction that is
// misspelt ("documents") would otherwise open everything.
func ParseGrant(data []byte) (Grant, error) {
	none := Grant{Level: LevelNone}
	if err := onlyOwnMembers(data); err != nil {
		return none, fmt.Errorf("read an access scope: %w", err)
	}
	var g Grant
	if err := json.Unmarshal(data, &g); err != nil {
		return none, fmt.Errorf("read an access scope: %w", err)
	}
	if g.Level.rank() == 0 {
		g.Level = LevelNone
	}
	return g, nil
}

// ReadGrant reads an access scope as ParseGrant does, and a level that is missing
// or no word of ours is an error too: it would allow nothing all the same, but
// who wrote it is told which word to mend.
func ReadGrant(data []byte) (Grant, error) {
	g, err := ParseGrant(data)
	if err != nil {
		return g, err
	}
	var scope struct {
		Level *string `json:"permissionLevel"`
	}
	if err := json.Unmarshal(data, &scope); err != nil {
		return Grant{Level: LevelNone}, fmt.Errorf("read an access scope: %w", err)
	}
	levels := []Level{LevelNone, LevelRead, LevelWrite}
	switch {
	case scope.Level == nil:
		return g, fmt.Errorf("it has no permissionLevel, which is one of %v", levels)
	case !slices.Contains(levels, Level(*scope.Level)):
		return g, fmt.Errorf("permissionLevel %q is none of %v", *scope.Level, levels)
	}
	return g, nil
}

// Expired reports whether the grant ended before now.
func (g Grant) Expired(now time.Time) bool { return g.ExpiresAt != nil && !now.Before(*g.ExpiresAt) }

// Allows reports whether the grant holds the permission word.
func (g Grant) Allows(s Scope) bool { return g.Scopes == nil || slices.Contains(g.Scopes, s) }

// AllowsDocument reports whether the grant reaches the document.
func (g Grant) AllowsDocument(id string) bool {
	return g.DocumentIDs == nil || slices.Contains(g.DocumentIDs, id)
}

// AllowsResource reports whether the grant lists the resource, by id or by
// object identity.
func (g Grant) AllowsResource(id, identity string) bool {
	return id != "" && slices.Contains(g.ResourceIDs, id) ||
		identity != "" && slices.Contains(g.ResourceIDs, identity)
}

// grantMembers are the members of an access scope.
var grantMembers = []string{"permissionLevel", "shared", "workspaceId", "documentIds", "allowedResourceIds", "rootUri", "capabilityScope", "expiresAt"}

// onlyOwnMembers refuses an object with a member that a grant does not have, in
// another case, or twice.
func onlyOwnMembers(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return errors.New("it is not a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if !slices.Contains(grantMembers, name) {
			return fmt.Errorf("%q is not a member of it; it has %s", name, strings.Join(grantMembers, ", "))
		}
		if seen[name] {
			return fmt.Errorf("%q is there twice", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
	}
	return nil
}
