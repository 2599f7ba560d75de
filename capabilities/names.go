package capabilities

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

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
var namesJSON string

// former is one name of former times, dotted and wire, and the tool to use
// instead. A name that ends in * stands for all that begin so.
type former struct {
	name, wire string
	use        tools.Name
}

// names are the words of former times that callers still send, and which pack
// a tool belonged to before manifests said so.
type names struct {
	aliases map[string]tools.Name
	retired []former
	compat  []former
	packs   map[string][]string // patterns of names, by pack
}

// known reads the embedded names once.
var known = sync.OnceValue(func() names { return readNames(namesJSON) })

// readNames reads the document of names, which is ours and tested: every start
// does, and a decoder that reflects would take ten times as long.
func readNames(doc string) names {
	n := names{aliases: map[string]tools.Name{}, packs: map[string][]string{}}
	root := gjson.Parse(doc)
	root.Get("aliases").ForEach(func(alias, name gjson.Result) bool {
		n.aliases[alias.Str] = tools.Name(name.Str)
		return true
	})
	n.retired, n.compat = formers(root.Get("retired")), formers(root.Get("compat"))
	root.Get("packs").ForEach(func(_, pack gjson.Result) bool {
		for _, pattern := range pack.Get("tools").Array() {
			n.packs[pack.Get("id").Str] = append(n.packs[pack.Get("id").Str], pattern.Str)
		}
		return true
	})
	return n
}

func formers(list gjson.Result) (all []former) {
	for _, f := range list.Array() {
		name := f.Get("name").Str
		all = append(all, former{name: name, wire: strings.ReplaceAll(name, ".", "_"), use: tools.Name(f.Get("use").Str)})
	}
	return all
}

// retired finds what replaces a retired name, dotted or wire.
func retired(name string) (tools.Name, bool) { return replacement(known().retired, name) }

// compat finds what to use instead of a name that is kept for nobody new.
func compat(name string) (tools.Name, bool) { return replacement(known().compat, name) }

func replacement(list []former, name string) (tools.Name, bool) {
	for _, f := range list {
		if matches(f.name, name) || matches(f.wire, name) {
			return f.use, true
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
