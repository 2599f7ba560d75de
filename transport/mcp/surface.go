package mcp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
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
// generation gets another one, so no client sees a list half replaced (mcp-go's
// SetResources and SetPrompts empty theirs in between).
type surface struct {
	snap *capabilities.Snapshot
	// server dispatches what is not hot: handshake, discovery, the lists of
	// resources and prompts, prompts/get, completion, logging.
	server *server.MCPServer
	// tools are the two results of tools/list, legacy and modern, built at their
	// first use: building one takes a millisecond, copying it out nothing.
	legacy, modern func() []byte
	// packs are those whose skill can be read.
	packs []capabilities.Pack
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
	rows := sync.OnceValue(func() []byte { return f.rows(snap) })
	s.legacy = sync.OnceValue(func() []byte { return fmt.Appendf(nil, `{"tools":[%s]}`, rows()) })
	s.modern = sync.OnceValue(func() []byte {
		return fmt.Appendf(nil, `{%s,"ttlMs":%d,"cacheScope":%q,"tools":[%s]}`, f.stamp, ttlMs, cacheScope, rows())
	})
	s.server = server.NewMCPServer(serverName, f.cfg.Version, f.options(s)...)
	if f.client.Offers.Prompts {
		s.server.SetPrompts(f.prompts(s)...)
	}
	if f.client.Offers.Resources {
		s.server.SetResources(f.skillResources(s)...)
		s.server.SetResourceTemplates(f.pageTemplate(s)...)
	}
	s.seen = sync.OnceValue(func() listing {
		return listing{tools: sha256.Sum256(rows()), prompts: s.packPrint(), resources: s.resourcePrint()}
	})
	return s
}

// options are mcp-go's: what this server declares. Only what the client has a
// use for is declared (L4).
func (f *Face) options(s *surface) []server.ServerOption {
	o := []server.ServerOption{
		server.WithTitle(serverTitle),
		server.WithInstructions(f.instructions(s)),
		server.WithCacheHints(ttlMs, cacheScope),
		server.WithToolCapabilities(true),
		server.WithLogging(),
		server.WithHooks(ordered(s)),
	}
	if f.client.Offers.Prompts {
		o = append(o, server.WithPromptCapabilities(true))
	}
	if f.client.Offers.Resources {
		o = append(o, server.WithResourceCapabilities(false, true), server.WithCompletions(),
			server.WithResourceCompletionProvider(completer{f}))
	}
	return o
}

// readable gives the packs whose skill can be read now: switched on, built, and
// with a tool to read it by.
func readable(snap *capabilities.Snapshot) []capabilities.Pack {
	if !callable(snap, capabilities.ToolSkillRead) {
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

// callable reports whether the snapshot has the tool, switched on.
func callable(snap *capabilities.Snapshot, name tools.Name) bool {
	t, err := snap.Resolve(string(name))
	if err != nil {
		return false
	}
	on, _ := snap.Switched(t)
	return on
}

// packPrint is the fingerprint of the lists made of packs.
func (s *surface) packPrint() [sha256.Size]byte {
	var b strings.Builder
	for _, p := range s.packs {
		fmt.Fprintf(&b, "%q %q %q %q\n", p.ID, p.SkillID, p.Title, p.Description)
	}
	return sha256.Sum256([]byte(b.String()))
}

func (s *surface) resourcePrint() [sha256.Size]byte {
	packs := s.packPrint()
	return sha256.Sum256(fmt.Appendf(packs[:], "%t", callable(s.snap, capabilities.ToolPageGet)))
}

// requestKey is the context key of the request that mcp-go's handlers serve.
type requestKey struct{}

// requestOf gives the request that a handler below mcp-go serves.
func requestOf(ctx context.Context) *request {
	q, _ := ctx.Value(requestKey{}).(*request)
	return q
}
