package conform

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mnote-dev/mnote-host/tools"
)

// document is a manifest as it stands on the wire: read strictly, not
// completed, so that a check sees what the kernel really sent.
type document struct {
	OK              *bool
	Runtime         string
	ManifestVersion string
	Capabilities    []packLine
	Tools           []toolLine
}

type packLine struct {
	ID, Title, SkillID  string
	AgentIDs, ToolNames []string
	Enabled             *bool
}

type toolLine struct {
	Name                    string
	Description             string
	Kind                    tools.Kind
	Status                  tools.Status
	Enabled                 *bool
	CapabilityID            string
	CapabilityIDs           []string
	CapabilityScope         []tools.Scope
	RequiresWritePermission bool
	InputSchema             struct {
		Type       string
		Required   []string
		Properties map[string]json.RawMessage
	}
}

func parseDocument(raw []byte) (document, error) {
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, fmt.Errorf("the manifest is not of kernel-api's form: %w", err)
	}
	return d, nil
}

// tool gives the line of a tool, an empty one for a tool that is not listed.
func (d document) tool(name tools.Name) toolLine {
	for _, t := range d.Tools {
		if t.Name == string(name) {
			return t
		}
	}
	return toolLine{}
}

func (t toolLine) available() bool { return t.Status == tools.StatusAvailable }

// takes reports whether the tool's schema has a place for the argument.
func (t toolLine) takes(arg string) bool {
	_, has := t.InputSchema.Properties[arg]
	return has
}

func (t toolLine) packs() []string {
	if t.CapabilityID == "" || slices.Contains(t.CapabilityIDs, t.CapabilityID) {
		return t.CapabilityIDs
	}
	return append([]string{t.CapabilityID}, t.CapabilityIDs...)
}
