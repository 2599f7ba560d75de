package main

import (
	"path"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin/clients"
)

// agentClient is what we know of the agent: by --client, else by its command's
// name. The pipeline's agent id follows from it.
func (p *program) agentClient(argv []string) clients.Client {
	if c := p.client(); c.Name != "" {
		return c
	}
	c, known := clients.Agent(argv)
	if !known {
		c, known = clients.Agent(scripted(argv))
	}
	if !known {
		return clients.Generic()
	}
	p.values.byName["client"] = value{c.Name, "agent"}
	return c
}

// interpreters run the program that their first argument names.
var interpreters = []string{"node", "nodejs", "npx", "bun", "bunx", "python", "python3", "py", "uvx", "pipx"}

// scripted is the command line that an interpreter's runs, as far as its user
// typed it: nil where the first argument is a flag that may take the next one
// along, since a wrong guess would say that an agent keeps sessions apart.
func scripted(argv []string) []string {
	if len(argv) < 2 || !slices.Contains(interpreters, commandName(argv[0])) {
		return nil
	}
	rest := argv[1:]
	for len(rest) > 1 && slices.Contains([]string{"-y", "--yes", "-u", "-m", "run"}, rest[0]) {
		rest = rest[1:]
	}
	if strings.HasPrefix(rest[0], "@") {
		return nil // somebody's package of that name
	}
	name := commandName(rest[0])
	for _, ext := range []string{".js", ".mjs", ".cjs", ".py"} {
		name = strings.TrimSuffix(name, ext)
	}
	name, _, _ = strings.Cut(name, "@") // npx reasonix@1.2
	return append([]string{name}, rest[1:]...)
}

// commandName is what a command is called, whatever folder it is in.
func commandName(command string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(command, `\`, "/")))
	return strings.TrimSuffix(name, ".exe")
}
