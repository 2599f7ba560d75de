package tools

import "encoding/json"

// Kind says whether a tool reads or writes.
type Kind string

// The kinds of a tool.
const (
	KindRead  Kind = "read"
	KindWrite Kind = "write"
)

// Status says what a manifest offers of a tool. Only available tools are
// advertised; an unknown status is kept, not advertised and refused.
type Status string

// The statuses of kernel-api's manifest.
const (
	StatusAvailable Status = "available"
	StatusPlanned   Status = "planned"
	StatusRetired   Status = "retired"
	// StatusCompat is callable but not advertised, and only when the tool reads.
	StatusCompat Status = "compat"
	// StatusDisabledByPack marks a tool all of whose packs are switched off.
	StatusDisabledByPack Status = "disabled_by_capability"
	// StatusDisabled marks a tool that is switched off by itself.
	StatusDisabled Status = "disabled"
)

// Scope is one permission word, such as page.read (capabilityScope on the wire).
type Scope string

// Annotations are a manifest's optional hints; nil means it does not say.
type Annotations struct {
	Destructive *bool `json:"destructive,omitempty"`
	Idempotent  *bool `json:"idempotent,omitempty"`
	OpenWorld   *bool `json:"openWorld,omitempty"`
}

// Tool is one declaration of a manifest (seed 7-6 §4, 7-47 §3.3).
type Tool struct {
	Name        Name
	Title       string
	Description string
	Kind        Kind
	Status      Status
	Enabled     bool
	// PackIDs names the packs the tool belongs to, its capabilityId first. A
	// tool of several packs is on while one of them is.
	PackIDs []string
	// Scopes are the words a grant must hold, every one, to run the tool.
	Scopes                  []Scope
	RequiresWritePermission bool
	// InputSchema is the manifest's own JSON Schema, byte for byte.
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	// Command is the kernel's name for the write (page.body.save), or empty.
	Command     string
	Aliases     []string
	Annotations Annotations
	// ConfirmWhen is a JSON Schema over the arguments; a call that matches is
	// confirmed by a person whatever the session's setting.
	ConfirmWhen json.RawMessage
	// UseInstead names the tool that replaces a retired or compat one.
	UseInstead Name
}

// Writes reports whether running the tool can change something.
func (t Tool) Writes() bool { return t.Kind != KindRead }

// Destructive reports whether the tool may lose or overwrite something: every
// write does unless its manifest says otherwise.
func (t Tool) Destructive() bool {
	if t.Annotations.Destructive != nil {
		return *t.Annotations.Destructive
	}
	return t.Writes()
}

// Idempotent reports whether the manifest promises that a second equal call
// changes nothing; every read does.
func (t Tool) Idempotent() bool {
	if t.Annotations.Idempotent != nil {
		return *t.Annotations.Idempotent
	}
	return !t.Writes()
}

// OpenWorld reports whether the tool reaches beyond the workspace.
func (t Tool) OpenWorld() bool {
	return t.Annotations.OpenWorld != nil && *t.Annotations.OpenWorld
}
