package mcp

import (
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/capabilities"
)

// Cache hints of every list and read in the modern era: switches take effect on
// the next call anyway, so a list may be a minute old.
const (
	ttlMs      = 60000
	cacheScope = mcp.CacheScopePrivate
)

// surface is all that a client may list of one snapshot, a function of the
// manifest, its switches and the launch flags alone: never of the session, its
// grant, its language or clientInfo (M13). It is never changed; another
// generation gets another one, so no client sees a list half replaced.
type surface struct {
	snap *capabilities.Snapshot
	// packs are those whose skill can be read, in the manifest's order, which was
	// chosen for people and is every list's.
	packs []capabilities.Pack

	tools, prompts, resources, templates list
	// seen is what a client that listed everything has seen.
	seen func() listing
}

// listing is a fingerprint of each list, to tell a real difference by.
type listing struct{ tools, prompts, resources [sha256.Size]byte }

// surface gives that of the registry's current snapshot. Two requests at once
// may both build a new one; the later store wins and both are right.
func (f *Face) surface() *surface {
	snap := f.cfg.Registry.Snapshot()
	if s := f.shown.Load(); s != nil && s.snap.Generation() == snap.Generation() && s.snap.Certain() == snap.Certain() {
		return s
	}
	s := f.build(snap)
	f.shown.Store(s)
	return s
}

func (f *Face) build(snap *capabilities.Snapshot) *surface {
	s := &surface{snap: snap, packs: readable(snap)}
	toolRows := sync.OnceValue(func() []byte { return f.toolRows(snap) })
	promptRows, skillRows, pageRows := rows(s.promptRows), rows(s.skillRows), rows(s.pageRows)
	s.tools, s.prompts = f.newList("tools", toolRows), f.newList("prompts", promptRows)
	s.resources, s.templates = f.newList("resources", skillRows), f.newList("resourceTemplates", pageRows)
	s.seen = sync.OnceValue(func() listing {
		return listing{
			tools: sha256.Sum256(toolRows()), prompts: sha256.Sum256(promptRows()),
			resources: sha256.Sum256(slices.Concat(skillRows(), pageRows())),
		}
	})
	return s
}

// readable gives the packs whose skill can be read now: switched on, built, and
// with a tool to read it by.
func readable(snap *capabilities.Snapshot) []capabilities.Pack {
	if !snap.Offers(capabilities.ToolSkillRead) {
		return nil
	}
	var packs []capabilities.Pack
	for _, p := range snap.Packs() {
		if p.Enabled && !p.Planned && p.SkillID != "" {
			packs = append(packs, p)
		}
	}
	return packs
}
