package clients

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Habits are what the program does that a server has to live with. They are
// data, so that a test, or a doctor over a live manifest, can do the same.
type Habits struct {
	// Strings sends an argument that is an object or a list as a string of JSON;
	// Scalars does the same to numbers and booleans.
	Strings bool
	Scalars bool
	// Nulls sends null for each optional argument that its model left out.
	Nulls bool
	// Relists says that it lists the tools again when it hears of a change; one
	// that does not goes on calling what it once saw.
	Relists bool
	// Asks says that it can put a server's question to a person.
	Asks bool
	// Environment is what it gives its servers besides what they are configured
	// with, as NAME=value: a short PATH, a variable that it did not expand.
	Environment []string
	// Kills says that it ends its servers by SIGKILL, with no end of stdin before.
	Kills bool
}

// Bend gives a call's arguments as they arrive when the program's model meant
// args for a tool with this inputSchema. What is no object stays as it is.
func (h Habits) Bend(schema, args json.RawMessage) json.RawMessage {
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil || given == nil {
		return args
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		given[name] = h.bent(given[name])
	}
	var shape struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if h.Nulls && json.Unmarshal(schema, &shape) == nil {
		for name := range shape.Properties {
			if given[name] == nil && !slices.Contains(shape.Required, name) {
				given[name] = json.RawMessage("null")
			}
		}
	}
	out, err := json.Marshal(given)
	if err != nil {
		return args
	}
	return out
}

// bent gives one argument as it arrives.
func (h Habits) bent(v json.RawMessage) json.RawMessage {
	v = bytes.TrimSpace(v)
	if len(v) == 0 || v[0] == '"' || string(v) == "null" {
		return v
	}
	whole := v[0] == '{' || v[0] == '['
	if whole && !h.Strings || !whole && !h.Scalars {
		return v
	}
	s, err := json.Marshal(string(v))
	if err != nil {
		return v
	}
	return s
}
