// Package schema says what the arguments of one tool may be.
//
// Narrow gives the JSON Schema that a model sees: the manifest's own, less the
// fields that the host fills in, in a form that the strictest clients accept.
// A Schema reads one tool's arguments: Decode reads the bytes once, repairs
// what can only mean one thing, and refuses the rest with a violation that says
// the path, the fault and what is allowed; Check holds the bound call against
// the manifest's full schema. Args are what Decode read; their Canonical bytes
// are what is hashed and forwarded.
//
// The judge is google/jsonschema-go: it says yes or no. It tells the first
// fault only, passes over what it does not know, reads numbers as doubles and
// knows no formats; so a reader checks a schema and writes it in the judge's
// form, a shower writes a call's values as the judge reads them, and a finder
// asks it about smaller and smaller pieces of a refused call until each fault
// is one keyword.
//
// A host field is a member of the call's envelope that only the host knows
// (workspaceId, sessionId, …). The package knows no session and fills none in.
package schema
