package capabilities

import "github.com/mnote-dev/mnote-host/tools"

// Snapshot is one immutable view of the registry, used for a whole call. Its
// slices are shared: do not change them.
type Snapshot struct{}

// Tools gives the advertised tools, in manifest order: available, switched on,
// and for this agent.
func (s *Snapshot) Tools() []tools.Tool { return nil }

// All gives every tool that this agent's manifest holds, in manifest order,
// whatever its status and switch.
func (s *Snapshot) All() []tools.Tool { return nil }

// Resolve finds a tool by wire name, dotted name or alias. What may not be
// called is mnote_tool_not_found, naming the three nearest names and saying so
// of a planned tool, or mnote_tool_retired, naming what to use instead. It does
// not look at switches.
func (s *Snapshot) Resolve(name string) (tools.Tool, error) { return tools.Tool{}, nil }

// The reasons of Switched.
const (
	ReasonTool       = "tool"
	ReasonCapability = "capability"
)

// Switched reports whether the tool is switched on, and if not whether by
// itself or by its packs. A tool of several packs is on while one of them is.
func (s *Snapshot) Switched(t tools.Tool) (on bool, reason string) { return true, "" }

// Packs gives the packs for this agent, in manifest order, those that are not
// public included.
func (s *Snapshot) Packs() []Pack { return nil }

// Pack finds a pack by id or alias.
func (s *Snapshot) Pack(idOrAlias string) (Pack, bool) { return Pack{}, false }

// PackOf gives the tool's first pack; a tool of no pack belongs to PackOther.
func (s *Snapshot) PackOf(t tools.Tool) Pack { return Pack{} }

// Generation counts the manifests that differed from the one before, from 1.
// One generation is one set of tools, packs and switches.
func (s *Snapshot) Generation() uint64 { return 0 }

// Version is the manifest's own version, for people.
func (s *Snapshot) Version() string { return "" }
