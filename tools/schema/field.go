package schema

import "slices"

// The fields of a call that both the envelope and a tool's schema may name
// (seed 7-6 §2).
const (
	documentID       = "documentId"
	idempotencyKey   = "idempotencyKey"
	dryRun           = "dryRun"
	planID           = "planId"
	expectedRevision = "expectedRevision"
	mindmapID        = "mindmapId"
	assetID          = "assetId"
	mode             = "mode"
	content          = "content"
)

// hostFields are the members of the call's envelope that only the host fills
// in. A model is not shown them. The envelope's selection is not among them: a
// tool may well have a selection of its own.
var hostFields = []string{
	"toolName", "workspaceId", "actorId", "sessionId", "runId", "toolCallId", "traceId",
	"capabilityScope", "profile", "agentId", "accessScope", "contextRefs", "objectIdentity", "rootUri",
}

// envelope gives the schema of a member of the envelope that a caller may name
// of every tool, for where the tool's own says nothing; nil for any other name.
func envelope(name string) *object {
	switch name {
	case documentID, idempotencyKey, planID:
		return typed("string")
	case dryRun:
		return typed("boolean")
	}
	return nil
}

// openFields are the names that envelope knows.
var openFields = []string{documentID, idempotencyKey, dryRun, planID}

func typed(kind string) *object {
	o := &object{}
	o.set("type", kind)
	return o
}

// IsHostField reports whether only the host fills in the field.
func IsHostField(name string) bool { return slices.Contains(hostFields, name) }

func isOpenField(name string) bool { return slices.Contains(openFields, name) }
