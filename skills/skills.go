// Package skills says how a capability is used: the SKILL.md texts, one folder
// a pack, embedded.
//
// A Skill is the text of one SKILL.md, written for a model that has never seen
// MNote. The texts name tools by their dotted names; Text hands a skill out
// with the names as a given agent shows them, and without the lines that speak
// of tools which that agent does not have.
package skills

import (
	"embed"
	"regexp"
	"strings"
	"sync"
)

// Skill is one SKILL.md.
type Skill struct {
	// ID is the folder's and the pack's name, such as mnote-current-page.
	ID string
	// Title is the name for people.
	Title string
	// Description tells an agent when to read the skill; one paragraph.
	Description string
	// Body is the Markdown below the frontmatter; tools stand in it by dotted
	// name.
	Body string
}

//go:embed */SKILL.md
var files embed.FS

// all reads the embedded texts once, at the first use.
var all = sync.OnceValue(func() []Skill {
	var list []Skill
	dirs, _ := files.ReadDir(".") // embedded: cannot fail
	for _, d := range dirs {
		text, _ := files.ReadFile(d.Name() + "/SKILL.md")
		list = append(list, parse(string(text)))
	}
	return list
})

// All lists the skills by id.
func All() []Skill { return append([]Skill(nil), all()...) }

// Read finds a skill by its id. Aliases belong to the packs of a manifest.
func Read(id string) (Skill, bool) {
	for _, s := range all() {
		if s.ID == id {
			return s, true
		}
	}
	return Skill{}, false
}

// parse splits a SKILL.md into its frontmatter's three lines and its body. The
// texts are ours and tested, so that no YAML parser is needed here.
func parse(text string) Skill {
	head, body, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	field := map[string]string{}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		field[key] = value
	}
	return Skill{ID: field["name"], Title: field["title"], Description: field["description"], Body: body}
}

// toolName finds a tool's dotted name in a text; prose such as "mnote.md" has
// no second dot and is left alone.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(dotted) })

// named finds a run of quoted names that a line opens with or lists (`a`, `b`),
// or one name that stands bare.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`" + dotted + "`(?:, `" + dotted + "`)*|" + dotted)
})

const dotted = `\bmnote\.[a-z0-9_]+(?:\.[a-z0-9_]+)+\b`

// Text gives the body for one agent: shown maps a tool's dotted name to the
// name that the agent shows, or to false where the agent does not have the
// tool. A line that names only tools which are missing is left out, and in a
// line that lists several the missing ones are.
func (s Skill) Text(shown func(name string) (string, bool)) string {
	var out strings.Builder
	for line := range strings.Lines(s.Body) {
		if kept, ok := rewrite(line, shown); ok {
			out.WriteString(kept)
		}
	}
	return out.String()
}

// Tools lists the dotted names that the body mentions, each once, in order.
func (s Skill) Tools() []string {
	var names []string
	seen := map[string]bool{}
	for _, n := range toolName().FindAllString(s.Body, -1) {
		if !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	return names
}

// rewrite puts the shown names into a line; false means the line is left out.
func rewrite(line string, shown func(string) (string, bool)) (string, bool) {
	ok := true
	kept := named().ReplaceAllStringFunc(line, func(run string) string {
		quote := ""
		if run[0] == '`' {
			quote = "`"
		}
		var names []string
		for _, name := range strings.Split(run, ", ") {
			if name, has := shown(strings.Trim(name, "`")); has {
				names = append(names, quote+name+quote)
			}
		}
		ok = ok && len(names) > 0
		return strings.Join(names, ", ")
	})
	return kept, ok
}
