// Package capabilities says which tools exist and which are switched on.
//
// A Manifest is a kernel's document of packs and tools, read tolerantly; the
// fallback manifest, embedded, is one like any other. A Pack is a capability of
// seed 7-47 (能力 for people): a skill, tools and one switch. The Registry keeps
// the current manifest fresh from a Source and hands out Snapshots: immutable,
// one for a whole call.
//
// It knows no call, no guard and no HTTP.
package capabilities
