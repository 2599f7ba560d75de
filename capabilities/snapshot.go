package capabilities

import (
	"reflect"
	"slices"

	"github.com/mnote-dev/mnote-host/tools"
)

// Snapshot is one immutable view of the registry, used for a whole call. Its
// slices are shared: do not change them.
type Snapshot struct {
	version    string
	generation uint64
	workspace  string
	guess      bool
	packs      []Pack
	all        []tools.Tool
	advertised []tools.Tool

	byName map[string]int // wire and dotted names and aliases, to places in all
	byPack map[string]int // ids and aliases, to places in packs
}

// NewSnapshot gives the view that an agent has of a manifest, as generation 1.
// Packs that are not for the agent are dropped, and the tools of no other pack
// with them. An empty agentID is mcp.
func NewSnapshot(m Manifest, agentID string) *Snapshot {
	if agentID == "" {
		agentID = "mcp"
	}
	s := &Snapshot{version: m.Version, workspace: m.WorkspaceID, generation: 1, byName: map[string]int{}, byPack: map[string]int{}}
	dropped := map[string]bool{}
	for _, p := range m.Packs {
		if len(p.AgentIDs) > 0 && !slices.Contains(p.AgentIDs, agentID) {
			dropped[p.ID] = true
			continue
		}
		s.packs = append(s.packs, p)
	}
	for _, t := range m.Tools {
		if elsewhere := func(id string) bool { return !dropped[id] }; len(t.PackIDs) == 0 || slices.ContainsFunc(t.PackIDs, elsewhere) {
			s.all = append(s.all, t)
		}
	}
	s.index()
	for _, t := range s.all {
		if on, _ := s.Switched(t); on && t.Status == tools.StatusAvailable {
			s.advertised = append(s.advertised, t)
		}
	}
	return s
}

// index makes the look-ups. A name beats an alias, an id beats a pack's alias,
// and of two equal aliases the first counts.
func (s *Snapshot) index() {
	for i, t := range s.all {
		s.byName[string(t.Name)] = i
		s.byName[tools.WireName(t.Name)] = i
	}
	for i, t := range s.all {
		for _, a := range t.Aliases {
			addIfNew(s.byName, a, i)
		}
	}
	for alias, n := range known().aliases {
		if i, ok := s.byName[string(n)]; ok {
			addIfNew(s.byName, alias, i)
		}
	}
	for i := range s.packs {
		s.byPack[s.packs[i].ID] = i
		s.settle(&s.packs[i])
	}
	for i, p := range s.packs {
		for _, a := range p.Aliases {
			addIfNew(s.byPack, a, i)
		}
	}
}

func addIfNew(m map[string]int, key string, i int) {
	if _, taken := m[key]; !taken {
		m[key] = i
	}
}

// settle marks a pack none of whose tools is built yet: it cannot be on.
func (s *Snapshot) settle(p *Pack) {
	built := func(n string) bool {
		i, ok := s.byName[n]
		return ok && s.all[i].Status != tools.StatusPlanned
	}
	if len(p.ToolNames) > 0 && !slices.ContainsFunc(p.ToolNames, built) {
		p.Planned, p.Enabled, p.Toggleable = true, false, false
	}
}

// Tools gives the advertised tools, in manifest order: available, switched on,
// and for this agent.
func (s *Snapshot) Tools() []tools.Tool { return s.advertised }

// All gives every tool that this agent's manifest holds, in manifest order,
// whatever its status and switch.
func (s *Snapshot) All() []tools.Tool { return s.all }

// Switched reports whether the tool is switched on, and if not for which of the
// reasons. A tool of several packs is on while one of them is.
func (s *Snapshot) Switched(t tools.Tool) (on bool, reason string) {
	switch {
	case t.Status == tools.StatusDisabledByPack || s.packsOff(t):
		return false, s.whyOff(t)
	case t.Status == tools.StatusDisabled || !t.Enabled:
		return false, ReasonTool
	}
	return true, ""
}

// packsOff reports whether the tool has packs and all of them are off. A pack
// that is not built yet is never on, but nobody switched it off: a tool that it
// shares with others stays, unless the kernel says that it is off.
func (s *Snapshot) packsOff(t tools.Tool) bool {
	off := false
	for _, id := range t.PackIDs {
		if i, ok := s.byPack[id]; ok {
			if s.packs[i].Enabled || s.packs[i].Planned {
				return false
			}
			off = true
		}
	}
	return off
}

// whyOff says why the packs of the tool are off: as they were switched, unless
// for one of them that is not known.
func (s *Snapshot) whyOff(t tools.Tool) string {
	reason := ReasonCapability
	for _, id := range t.PackIDs {
		switch i, ok := s.byPack[id]; {
		case ok && s.packs[i].Unread:
			return ReasonUnread
		case ok && s.packs[i].Lost:
			reason = ReasonLost
		}
	}
	return reason
}

// Packs gives the packs for this agent, in manifest order, those that are not
// public included.
func (s *Snapshot) Packs() []Pack { return s.packs }

// Pack finds a pack by id or alias.
func (s *Snapshot) Pack(idOrAlias string) (Pack, bool) {
	i, ok := s.byPack[idOrAlias]
	if !ok {
		return Pack{}, false
	}
	return s.packs[i], true
}

// PackOf gives the tool's first pack; a tool of no pack belongs to PackOther.
func (s *Snapshot) PackOf(t tools.Tool) Pack {
	for _, id := range t.PackIDs {
		if p, ok := s.Pack(id); ok {
			return p
		}
	}
	return other(nil)
}

// Generation counts the manifests that differed from the one before, from 1.
// One generation is one set of tools, packs and switches.
func (s *Snapshot) Generation() uint64 { return s.generation }

// Certain reports whether the view is the kernel's own word and not what an
// earlier process, or nobody, heard of it: what is switched may be otherwise.
func (s *Snapshot) Certain() bool { return !s.guess }

// Version is the manifest's own version, for people.
func (s *Snapshot) Version() string { return s.version }

// WorkspaceID is the one workspace that the kernel serves, or "".
func (s *Snapshot) WorkspaceID() string { return s.workspace }

// same reports whether both views hold the same tools, packs and switches.
func (s *Snapshot) same(o *Snapshot) bool {
	return reflect.DeepEqual(s.all, o.all) && reflect.DeepEqual(s.packs, o.packs)
}

// looksLike reports whether a client would notice no difference: the same tools
// advertised, the same packs on. Which tools a pack would have is not seen.
func (s *Snapshot) looksLike(o *Snapshot) bool {
	samePack := func(a, b Pack) bool {
		a.ToolNames, b.ToolNames = nil, nil
		return reflect.DeepEqual(a, b)
	}
	return reflect.DeepEqual(s.advertised, o.advertised) && slices.EqualFunc(s.packs, o.packs, samePack)
}
