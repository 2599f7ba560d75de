package capabilities

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
)

// The few tools that the host itself calls or knows.
const (
	ToolSkillRead   tools.Name = "mnote.skill.read"
	ToolListRefs    tools.Name = "mnote.context.list_refs"
	ToolContextGet  tools.Name = "mnote.context.get"
	ToolPageGet     tools.Name = "mnote.page.get"
	ToolDocList     tools.Name = "mnote.doc.list"
	ToolCommandUndo tools.Name = "mnote.command.undo"
)

// The words of the audit for switches that were turned; no tool has such a name.
const (
	SwitchedOn    = "mnote.capability.enable"
	SwitchedOff   = "mnote.capability.disable"
	SwitchesReset = "mnote.capability.reset"
)

// PackOther is the id of the pack of tools that no capability names.
const PackOther = "other"

//go:embed names.json
var namesJSON []byte

// former is one name of former times and the tool to use instead. A name that
// ends in * stands for all that begin so.
type former struct {
	Name string     `json:"name"`
	Use  tools.Name `json:"use"`
}

// names are the words of former times that callers still send, and which pack
// a tool belonged to before manifests said so.
type names struct {
	Aliases map[string]tools.Name `json:"aliases"`
	Retired []former              `json:"retired"`
	Compat  []former              `json:"compat"`
	Packs   []struct {
		ID    string   `json:"id"`
		Tools []string `json:"tools"`
	} `json:"packs"`
}

// known reads the embedded names once.
var known = sync.OnceValue(func() (n names) {
	if err := json.Unmarshal(namesJSON, &n); err != nil {
		panic("capabilities: names.json: " + err.Error()) // embedded and tested
	}
	return n
})

// retired finds what replaces a retired name, dotted or wire.
func retired(name string) (tools.Name, bool) { return replacement(known().Retired, name) }

// compat finds what to use instead of a name that is kept for nobody new.
func compat(name string) (tools.Name, bool) { return replacement(known().Compat, name) }

func replacement(list []former, name string) (tools.Name, bool) {
	for _, f := range list {
		if matches(f.Name, name) || matches(strings.ReplaceAll(f.Name, ".", "_"), name) {
			return f.Use, true
		}
	}
	return "", false
}

func matches(pattern, name string) bool {
	if head, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(name, head)
	}
	return pattern == name
}
